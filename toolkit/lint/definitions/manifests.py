"""Reads manifests: `server.json` of the MCP registry, `manifest.json` of a bundle (MCPB), and of Claude Code."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final, Literal

from toolkit.documents.json_reading import parse_json
from toolkit.documents.nodes import Mapping as MappingNode, Node, Scalar, plain
from toolkit.lint.definitions.project_code import ProjectCode
from toolkit.lint.definitions.tool_definitions import nearest_node
from toolkit.problems import Location, Problem
from toolkit.regular_files import bounded_text
from toolkit.schemas.validation import Validator

Kind = Literal["registry", "bundle", "plugin"]
NAMES: Final = ("server.json", "manifest.json", "plugin.json")
PLUGIN_FOLDER: Final = ".claude-plugin"

_SCHEMAS = Path(__file__).parent / "manifest_schemas"
_LATEST = "server-2025-12-11.json"
_DATE = re.compile(r"modelcontextprotocol\.io/schemas/([\d-]+)/server\.schema\.json")
_LARGEST = 1024 * 1024


def kind_of(file: str, text: str | None = None) -> Kind | None:
    """Return the kind of manifest in a JSON file, by its name and content; None if it is something else.

    Args:
        file: The path of the file.
        text: The content, if it is not that of the file.
    """
    path = Path(file)
    if path.name not in NAMES:
        return None
    if path.name == "plugin.json":
        return "plugin" if path.parent.name == PLUGIN_FOLDER else None
    try:
        data = json.loads(bounded_text(path, most=_LARGEST) if text is None else text)
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    if path.name == "server.json":
        schema = data.get("$schema")
        is_server = {"name", "description", "version"} <= data.keys() and data.keys() & {"packages", "remotes"}
        return "registry" if (is_server if schema is None else "/server.schema.json" in str(schema)) else None
    version = data.get("manifest_version", data.get("dxt_version"))
    return "bundle" if isinstance(version, str) and "server" in data else None


class Manifest:
    """A manifest, with the location of each part and the code of its project."""

    def __init__(self, file: str, kind: Kind, root: MappingNode) -> None:
        """Create it from the document."""
        self.file = file
        self.kind = kind
        self.root = root

    @cached_property
    def data(self) -> dict[str, Any]:
        """The document as plain data."""
        found: dict[str, Any] = plain(self.root)
        return found

    @cached_property
    def project(self) -> ProjectCode:
        """The code of the project that the manifest is about; a bundle in Python has its code beside it."""
        folder = Path(self.file).absolute().parent
        found = ProjectCode.around(folder)
        return ProjectCode(folder) if found.folder is None and self.is_python_bundle else found

    @property
    def validator(self) -> Validator | None:
        """The validator for the version of the schema that the manifest names; None if that is not known here."""
        match self.kind:
            case "plugin":
                return _validator("plugin.json")
            case "bundle":
                version = self.data.get("manifest_version", self.data.get("dxt_version"))
                return _validator(f"mcpb-{version}.json")
            case "registry":
                named = self.data.get("$schema")
                found = _DATE.search(str(named))
                if named is None or found is None:
                    return _validator(_LATEST) if named is None else None
                return _validator(f"server-{found[1].replace('10-11', '10-17')}.json")

    def place(self, *path: str | int, is_key: bool = False) -> Location:
        """Return the location of the value at a path, or of the last part that exists; with `is_key`, of its key."""
        parent = nearest_node(self.root, path[:-1])
        if path and isinstance(parent, MappingNode) and (entry := parent.entries.get(str(path[-1]))):
            return entry.key.location if is_key else entry.value.location
        found: Node = nearest_node(self.root, path)
        return found.location if isinstance(found, Scalar) else _start_of(found.location)

    @property
    def packages(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """The Python packages that the MCP registry lists for a server, each with its index."""
        listed = self.data.get("packages") if self.kind == "registry" else None
        for index, one in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(one, dict) and one.get("registryType", one.get("registry_type")) == "pypi":
                yield index, one

    @property
    def is_python_bundle(self) -> bool:
        """Whether it is the manifest of a bundle whose server is written in Python."""
        server = self.data.get("server")
        return self.kind == "bundle" and isinstance(server, dict) and server.get("type") in {"python", "uv"}


def parse_manifest(text: str, file: str, kind: Kind) -> tuple[Manifest | None, list[Problem]]:
    """Return the manifest in a text, or None if it is not a JSON object, and all problems."""
    root, problems = parse_json(text, file)
    return (Manifest(file, kind, root) if isinstance(root, MappingNode) else None), problems


@cache
def _validator(name: str) -> Validator | None:
    file = _SCHEMAS / name
    return Validator(json.loads(file.read_text("utf-8"))) if file.exists() else None


def _start_of(place: Location) -> Location:
    """Return the first character of a place, so that an excerpt does not show a whole object."""
    return place._replace(end_line=place.line, end_column=(place.column or 1) + 1)

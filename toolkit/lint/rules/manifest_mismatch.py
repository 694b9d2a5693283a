"""TK652: a manifest that says something else than the project."""

import re
from collections.abc import Iterator
from pathlib import Path

from toolkit.codes import MANIFEST_MISMATCH
from toolkit.documents.document_reader import read_text
from toolkit.lint.definitions.manifests import Manifest
from toolkit.lint.rule import Rule
from toolkit.problems import Problem

_BUILDING = (".github/workflows/*.y*ml", "Makefile", "justfile", "*.sh", "scripts/*.*", "build*.py")
"""The files that may put a bundle together."""
_TRANSPORTS = {"stdio": ("stdio",), "sse": ("sse",), "streamable-http": ("streamable-http", "http", "streamable_http")}


class ManifestMismatch(Rule):
    """A manifest has another name, version, transport or file than the project.

    ## Why

    The registry then lists a package that does not exist, or an old one; and a client starts the server with a
    transport that it does not have. The registry also demands that the description of a package on PyPI contains
    `mcp-name:` and the name of the server, or it refuses the entry. The name and the version come from the nearest
    `pyproject.toml`, if it has them. A file that a workflow or a script of the project writes before it packs the bundle,
    such as `build/server/main.py`, need not be there.

    ## Example

    ```text
    # The version is 1.0.0 in server.json, and 1.1.0 in pyproject.toml.
    ```

    ## Instead

    ```text
    # Both have the same version.
    ```

    ## Source

    - MCP registry, [Package types](https://modelcontextprotocol.io/registry/package-types): ownership verification
      (checked 2026-11-26)
    - MCPB, [MANIFEST.md](https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md): `version`, `entry_point`
      (checked 2026-11-26)
    """

    code = MANIFEST_MISMATCH

    def check_manifest(self, manifest: Manifest) -> Iterator[Problem]:
        project = manifest.project.metadata
        name, version = project.get("name"), project.get("version")
        packages = list(manifest.packages)
        is_of_project = manifest.is_python_bundle or bool(packages)
        if manifest.kind == "plugin":
            folder = manifest.project.folder
            is_of_project = folder == Path(manifest.file).absolute().parent.parent and _plain(name) == _plain(
                manifest.data.get("name")
            )
        if is_of_project and isinstance(version, str):
            yield from self._version(manifest, version, "version")
            for index, _ in packages:
                yield from self._version(manifest, version, "packages", index, "version")
        for index, package in packages:
            identifier = package.get("identifier")
            if isinstance(name, str) and isinstance(identifier, str) and _plain(identifier) != _plain(name):
                message = f"the package is {identifier!r}, but the project is named {name!r}"
                yield self.problem(message, manifest.place("packages", index, "identifier"))
            yield from self._transport(manifest, index)
        if packages and isinstance(name, str):
            yield from self._ownership(manifest)
        yield from self._entry_point(manifest)

    def _version(self, manifest: Manifest, version: str, *path: str | int) -> Iterator[Problem]:
        node: object = manifest.data
        for step in path:
            node = node.get(step) if isinstance(node, dict) else node[step] if isinstance(node, list) else None  # type: ignore[index]  # the index of a package is a number
        is_stated = isinstance(node, str) and node[:1].isalnum()  # anything else stands for the version
        if is_stated and node != version and ".dev" not in version:  # a manifest names what has been released
            message = f"the version is {node!r}, but that of the project is {version!r}"
            yield self.problem(message, manifest.place(*path), hint="give both the same version when you release")

    def _transport(self, manifest: Manifest, index: int) -> Iterator[Problem]:
        transport = manifest.data["packages"][index].get("transport")
        kind = transport.get("type") if isinstance(transport, dict) else None
        code = manifest.project
        others = [one for one, words in _TRANSPORTS.items() if any(map(code.says, words))]
        if kind in _TRANSPORTS and kind != "stdio" and others and kind not in others:
            message = f"the transport is {kind!r}, but the code only names {', '.join(map(repr, others))}"
            yield self.problem(message, manifest.place("packages", index, "transport", "type"))

    def _ownership(self, manifest: Manifest) -> Iterator[Problem]:
        readme, name = manifest.project.readme, manifest.data.get("name")
        if readme is None or not isinstance(name, str):
            return
        found = re.search(r"mcp-name:\s*(\S+)", readme)
        if not re.search(rf"mcp-name:\s*{re.escape(name)}(?![\w/-])", readme):
            what = f"has 'mcp-name: {found[1]}'" if found else "has no 'mcp-name:'"
            message = f"the description of the package {what}, which the registry compares with {name!r}"
            hint = f"write '<!-- mcp-name: {name} -->' into the file that 'readme' in pyproject.toml names"
            yield self.problem(message, manifest.place("name"), hint=hint)

    def _entry_point(self, manifest: Manifest) -> Iterator[Problem]:
        server = manifest.data.get("server")
        entry = server.get("entry_point") if isinstance(server, dict) and manifest.is_python_bundle else None
        folder = Path(manifest.file).parent
        project = manifest.project.folder or folder
        if isinstance(entry, str) and not any(
            (one / entry).exists() or _is_built(one, entry) for one in {folder, project}
        ):
            yield self.problem(f"there is no file {entry!r}", manifest.place("server", "entry_point"))


def _is_built(folder: Path, entry: str) -> bool:
    """Whether a workflow or a script of the project names a file in another folder, such as `build/server/main.py`.

    One that packs a bundle may also name the first folder of the entry only, if the project has no such folder.
    """
    first, slash, _ = entry.partition("/")
    named = re.compile(
        rf"[\w./-]/{re.escape(entry)}(?![\w/])"
        + (rf"|mcpb(?s:.*)/{re.escape(first)}(?![\w.-])" if slash and not (folder / first).exists() else "")
    )
    files = (file for pattern in _BUILDING for file in folder.glob(pattern) if file.is_file())
    return any(named.search(text) for file in files if isinstance(text := read_text(file, str(file)), str))


def _plain(name: object) -> str:
    """Return the name of a package as indexes compare it."""
    return re.sub(r"[-_.]+", "-", str(name)).lower()

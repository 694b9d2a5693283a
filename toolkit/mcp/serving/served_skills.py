"""Serves agent skills: the Skills extension of MCP (`io.modelcontextprotocol/skills`), and its resources.

The files are read once, before the first client connects, and again only when the server is reloaded, so that a digest
never differs from what a client reads, and no request leads to the file system. Secrets are masked in them as in all
answers.

Source: https://github.com/modelcontextprotocol/ext-skills, specification/stable/skills.mdx at commit 0682b7b (SEP-2640,
final; checked 2026-11-26).
"""

import base64
from collections.abc import Sequence
from hashlib import sha256
from mimetypes import guess_type
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import quote

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolkit.documents.nodes import plain
from toolkit.errors import ConfigurationError
from toolkit.redactors.redactor import Redactor
from toolkit.skills.skill_files import SKILL_FILE, parse_skill
from toolkit.skills.skill_folders import files_of_skill

EXTENSION = "io.modelcontextprotocol/skills"

Context = ServerRequestContext[Any, Any]


class _Uri(types.RequestParams):
    uri: str


class _List(types.CacheableResult):
    result_type: Literal["complete"] = "complete"
    skills: list[dict[str, Any]]


class _Get(types.CacheableResult):
    result_type: Literal["complete"] = "complete"
    skill: dict[str, Any]


class _File(NamedTuple):
    about: types.Resource
    data: bytes


class ServedSkills:
    """The skills of a server, as they were when it started or was last reloaded."""

    def __init__(self, folders: Sequence[Path], redactor: Redactor) -> None:
        """Read the files of skills.

        Args:
            folders: The folder of each skill.
            redactor: Masks secrets in texts.

        Raises:
            ConfigurationError: If a file of a skill cannot be served.
        """
        self._redactor = redactor
        self._files: dict[str, _File] = {}
        self._entries: dict[str, dict[str, Any]] = {}
        self.replace(folders)

    def replace(self, folders: Sequence[Path]) -> bool:
        """Read the files of skills again, which replaces all of them, and return whether any has changed.

        Args:
            folders: The folder of each skill.

        Raises:
            ConfigurationError: If a file of a skill cannot be served; the skills are still served as they were.
        """
        read = {}
        for folder in folders:
            try:
                read[folder] = files_of_skill(folder)
            except OSError as error:
                raise ConfigurationError(f"the skill '{folder}' cannot be served: {error}") from error
        before = self._entries
        self._files, self._entries = {}, {}
        for folder, files in read.items():
            self._add(folder, {path: _masked(data, self._redactor) for path, data in files.items()})
        return self._entries != before

    def _add(self, folder: Path, files: dict[str, bytes]) -> None:
        skill = parse_skill(files[SKILL_FILE].decode("utf-8", "replace"), str(folder / SKILL_FILE))
        header = plain(skill.header) if skill.header else {}
        root = f"skill://{quote(folder.name)}"
        records = []
        for path, data in files.items():
            uri = f"{root}/{quote(path)}"
            is_skill = path == SKILL_FILE
            about = types.Resource(
                uri=uri,
                name=folder.name if is_skill else f"{folder.name}/{path}",
                description=str(header.get("description")) if is_skill else None,
                mime_type="text/markdown" if path.endswith(".md") else guess_type(path)[0],
                size=len(data),
            )
            self._files[uri] = _File(about, data)
            records.append({"uri": uri, "digest": f"sha256:{sha256(data).hexdigest()}", "size": len(data)})
        main = f"{root}/{SKILL_FILE}"
        self._entries[main] = {"uri": main, "frontmatter": header, "resources": records}

    def add_to(self, protocol: Server[Any]) -> None:
        """Add the requests that clients can send to a server, and declare the extension."""
        protocol.extensions[EXTENSION] = {}
        protocol.add_request_handler("skills/list", types.PaginatedRequestParams, self._list)
        protocol.add_request_handler("skills/get", _Uri, self._get)

    @property
    def resources(self) -> list[types.Resource]:
        """The files of the skills, as resources."""
        return [file.about for file in self._files.values()]

    def read(self, address: str) -> types.ReadResourceResult | None:
        """Return a file of a skill, or `None` if there is none at this URI."""
        file = self._files.get(address)
        if file is None:
            return None
        uri, kind = file.about.uri, file.about.mime_type
        content: types.TextResourceContents | types.BlobResourceContents
        try:
            content = types.TextResourceContents(uri=uri, mime_type=kind, text=file.data.decode("utf-8"))
        except UnicodeDecodeError:
            encoded = base64.b64encode(file.data).decode("ascii")
            content = types.BlobResourceContents(uri=uri, mime_type=kind, blob=encoded)
        return types.ReadResourceResult(contents=[content])

    async def _list(self, request: Context, _: types.PaginatedRequestParams) -> _List:
        _require_extension(request)
        return _List(skills=list(self._entries.values()))

    async def _get(self, request: Context, params: _Uri) -> _Get:
        _require_extension(request)
        entry = self._entries.get(params.uri)
        if entry is None:
            raise MCPError(types.INVALID_PARAMS, f"No skill is served at {params.uri[:200]!a}")
        return _Get(skill=entry)


def _require_extension(request: Context) -> None:
    """Refuse a request of an older version of the protocol, which has no extensions."""
    if request.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        raise MCPError(types.METHOD_NOT_FOUND, "Method not found")


def _masked(data: bytes, redactor: Redactor) -> bytes:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return data
    masked = redactor.text(text)
    return data if masked == text else masked.encode()

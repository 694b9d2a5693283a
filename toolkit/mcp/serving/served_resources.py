"""The resources and prompts that clients can read: the files of skills, and what servers behind ours may pass on.

A resource or prompt of a server behind is passed on only if the server's settings allow its URI or its name. What it
says is untrusted, so from then on the session counts as one that has read untrusted content.
"""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import mcp_types as types
from mcp.client.client import Client
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from toolkit.approvals.policies import Risk
from toolkit.disclosure.groups import matches
from toolkit.errors import ConfigurationError, ToolExecutionError
from toolkit.mcp.client.server_sessions import connection_to, reach
from toolkit.mcp.serving.answers import LARGEST
from toolkit.mcp.serving.calls import Rules
from toolkit.mcp.serving.served_skills import ServedSkills
from toolkit.mcp.settings.server_settings import McpServer, offered_prefix
from toolkit.redactors.redactor import Redactor
from toolkit.visibility import without_hidden

Context = ServerRequestContext[Any, Any]
Kind = Literal["resources", "resource_templates", "prompts"]
Ask = Callable[[Client], Awaitable[list[Any]]]
"""Sends a request with a client, and returns the parts of the answer."""

_log = logging.getLogger("toolkit.mcp")

_MOST_PAGES = 100
_MOST_LISTED = 10_000
_LEADS_UP = re.compile(r"(^|[/\\]|%2f|%5c)(\.|%2e){2}([/\\?#]|%2f|%5c|$)", re.IGNORECASE)
"""A part of a URI that leads to the folder above, by which it could match a pattern and be somewhere else."""


class Reading(NamedTuple):
    """What reading depends on.

    Attributes:
        rules: Returns the rules for a request.
        session: Returns the key of the session of a request, or `None`.
        redactor: Masks secrets in everything that is passed on.
    """

    rules: Callable[[Context], Rules]
    session: Callable[[Context], str | None]
    redactor: Redactor


class ServedResources:
    """The resources and prompts of a server."""

    def __init__(self, servers: Sequence[McpServer], skills: ServedSkills | None, reading: Reading) -> None:
        """Serve resources and prompts; no server is contacted yet.

        Args:
            servers: The servers behind.
            skills: The skills, whose files are resources.
            reading: What reading depends on.
        """
        self._with_resources = [server for server in servers if server.resources]
        self._with_prompts = [server for server in servers if server.prompts]
        self._skills = skills
        self._reading = reading
        self._owners: dict[str, McpServer] = {}

    def add_to(self, protocol: Server[Any]) -> None:
        """Add the requests that clients can send to a server, as far as there is something to read."""
        if self._with_resources or self._skills is not None:
            protocol.add_request_handler("resources/list", types.PaginatedRequestParams, self._list)
            protocol.add_request_handler("resources/read", types.ReadResourceRequestParams, self._read)
        if self._with_resources:
            protocol.add_request_handler("resources/templates/list", types.PaginatedRequestParams, self._list_templates)
        if self._with_prompts:
            protocol.add_request_handler("prompts/list", types.PaginatedRequestParams, self._list_prompts)
            protocol.add_request_handler("prompts/get", types.GetPromptRequestParams, self._prompt)

    async def _list(self, request: Context, _: types.PaginatedRequestParams) -> types.ListResourcesResult:
        found = {one.uri: one for one in (self._skills.resources if self._skills is not None else ())}
        for server, listed in await self._listed(request, "resources", self._with_resources):
            for one in listed:
                if one.uri not in found and _is_chosen(one.uri, server.resources):
                    found[one.uri] = one
                    self._owners[one.uri] = server
        return types.ListResourcesResult(resources=[*found.values()])

    async def _list_templates(
        self, request: Context, _: types.PaginatedRequestParams
    ) -> types.ListResourceTemplatesResult:
        found = {
            one.uri_template: one
            for server, listed in await self._listed(request, "resource_templates", self._with_resources)
            for one in listed
            if _is_chosen(one.uri_template, server.resources)
        }
        return types.ListResourceTemplatesResult(resource_templates=[*found.values()])

    async def _read(self, request: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        if self._skills is not None and (file := self._skills.read(uri)) is not None:
            return file
        chosen = (server for server in self._with_resources if _is_chosen(uri, server.resources))
        server = None if _LEADS_UP.search(uri) else self._owners.get(uri) or next(chosen, None)
        if server is None:
            raise MCPError(types.INVALID_PARAMS, f"No resource is served at {uri[:200]!a}", {"uri": uri[:200]})
        self._note(request, server, uri, "resources")
        try:
            contents = await self._ask(request, server, partial(_contents_of, uri=uri))
        except MCPError as error:
            raise MCPError(error.code, error.message, {"uri": uri}) from error
        if sum(map(_size_of, contents)) > LARGEST:
            raise MCPError(types.INTERNAL_ERROR, f"the resource has more than {LARGEST} bytes")
        return types.ReadResourceResult(contents=contents)

    async def _list_prompts(self, request: Context, _: types.PaginatedRequestParams) -> types.ListPromptsResult:
        found: dict[str, types.Prompt] = {}
        for server, listed in await self._listed(request, "prompts", self._with_prompts):
            for one in listed:
                if _is_chosen(one.name, server.prompts):
                    name = f"{offered_prefix(server)}{one.name}"
                    found.setdefault(name, one.model_copy(update={"name": name}))
        return types.ListPromptsResult(prompts=[*found.values()])

    async def _prompt(self, request: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        server, name = next(self._servers_with_prompt(params.name), (None, ""))
        if server is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name[:100]!a}")
        self._note(request, server, params.name, "prompts")
        [result] = await self._ask(request, server, partial(_prompt_of, name=name, arguments=params.arguments))
        return types.GetPromptResult(description=result.description, messages=result.messages)

    def _servers_with_prompt(self, name: str) -> Iterator[tuple[McpServer, str]]:
        """Yield each server that may have a prompt, with the server's name for it."""
        for server in self._with_prompts:
            own = name.removeprefix(offered_prefix(server))
            if name.startswith(offered_prefix(server)) and _is_chosen(own, server.prompts):
                yield server, own

    async def _listed(
        self, request: Context, kind: Kind, servers: Sequence[McpServer]
    ) -> list[tuple[McpServer, list[Any]]]:
        """Return what servers list; one that cannot be reached does not hide what the others have."""
        lists = (self._ask(request, server, partial(_all_of, kind=kind)) for server in servers)
        answers = await asyncio.gather(*lists, return_exceptions=True)
        found = []
        for server, answer in zip(servers, answers, strict=True):
            if isinstance(answer, MCPError):
                if answer.code != types.METHOD_NOT_FOUND:
                    _log.warning("%s", answer.message)
            elif isinstance(answer, BaseException):
                raise answer
            else:
                found.append((server, answer if server.trusted else [_without_hidden(one) for one in answer]))
        return found

    async def _ask(
        self, request: Context, server: McpServer, ask: Callable[[Client], Awaitable[list[Any]]]
    ) -> list[Any]:
        """Return the parts of the answer of a server behind, without secrets.

        Raises:
            MCPError: If it cannot be reached, or refuses.
        """
        try:
            connection = connection_to(server, self._reading.rules(request).values)
            parts = await reach(connection.ask(ask))
        except (ConfigurationError, ToolExecutionError) as error:
            code = getattr(error, "code", None)
            message = self._reading.redactor.text(str(error))
            raise MCPError(code if isinstance(code, int) else types.INTERNAL_ERROR, message) from error
        return [_changed(part, connection.redactor.data, self._reading.redactor.data) for part in parts]

    def _note(self, request: Context, server: McpServer, what: str, key: str) -> None:
        """Record that something is read, and that it is untrusted."""
        rules, source = self._reading.rules(request), f"mcp://{server.name}"
        rules.histories.of(self._reading.session(request)).add(
            Risk(what, source=source, flow=frozenset({"reads_untrusted"}))
        )
        if rules.audit is not None:
            record = {"event": "decision", "tool": what, "source": source, "chosen_by": "model"}
            rules.audit.append(record | {"decision": "allow", "by": f"{key} in [mcp.{server.name}]"})


def _without_hidden(part: Any) -> Any:
    """Return a part without characters that models read but people cannot see."""
    return _changed(part, without_hidden)


def _changed(part: Any, *changes: Callable[[Any], Any]) -> Any:
    data = part.model_dump(mode="json", by_alias=True, exclude_none=True)
    for change in changes:
        data = change(data)
    return type(part).model_validate(data)


def _is_chosen(name: str, patterns: Sequence[str]) -> bool:
    return any(matches(name, pattern) for pattern in patterns)


def _size_of(content: types.TextResourceContents | types.BlobResourceContents) -> int:
    return len(content.text if isinstance(content, types.TextResourceContents) else content.blob)


async def _contents_of(client: Client, uri: str) -> list[Any]:
    return [*(await client.read_resource(uri)).contents]


async def _prompt_of(client: Client, name: str, arguments: dict[str, str] | None) -> list[Any]:
    return [await client.get_prompt(name, arguments)]


async def _all_of(client: Client, kind: Kind) -> list[Any]:
    """Return everything of a kind that a server lists."""
    list_page: Callable[..., Awaitable[Any]] = getattr(client, f"list_{kind}")
    found: list[Any] = []
    cursor = None
    for _ in range(_MOST_PAGES):
        page = await list_page(cursor=cursor)
        found += getattr(page, kind)
        cursor = page.next_cursor
        if cursor is None or len(found) > _MOST_LISTED:
            break
    return found

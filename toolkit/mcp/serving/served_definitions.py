"""The definition of a tool as clients receive it, the pages of long lists, and text tools called without their text."""

import json
from collections.abc import Mapping
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolkit.dialects import export
from toolkit.redactors.redactor import Redactor
from toolkit.schemas.places import definitions_in
from toolkit.schemas.validation import Validator
from toolkit.tools.base import Tool
from toolkit.tools.shapes.schema_shapes import misfit_in_words, shape_of_schema
from toolkit.tools.spec import ToolSpec

_OF_MCP = "2020-12"  # the draft of schemas in MCP that declare none

RESULT = "result"
"""The key of a structured result that is not an object, for clients that accept objects only."""


class Definition:
    """The definition of a tool for clients, in both eras of the protocol."""

    def __init__(self, spec: ToolSpec, redactor: Redactor) -> None:
        """Create the definition.

        Args:
            spec: The specification of the tool.
            redactor: Masks secrets.
        """
        written: dict[str, Any] = redactor.data(_as_json(export(spec, "mcp").definition))
        output = redactor.data(_as_json(spec.output_schema)) if _says_something(spec.output_schema) else None
        self.name = spec.name
        self.input_schema: dict[str, Any] = written["inputSchema"]
        self._output = _check(output)
        written.pop("outputSchema", None)
        self._of_now = types.Tool.model_validate(_with_output(written, self._output))
        self._of_handshake = types.Tool.model_validate(_with_output(written, self._wrapped_output()))

    def in_era(self, version: str) -> types.Tool:
        """Return the definition for a client of a protocol version."""
        return self._of_now if version in MODERN_PROTOCOL_VERSIONS else self._of_handshake

    @property
    def promises_output(self) -> bool:
        """Whether clients receive an output schema."""
        return self._output is not None

    def fault_of(self, structured: Any) -> str | None:
        """Return why a structured result does not match the output schema, or `None` if it does."""
        return None if self._output is None else misfit_in_words(self._validator, structured)

    def content_in_era(self, structured: Any, version: str) -> Any:
        """Return a structured result in the form for a client of a protocol version."""
        if version in MODERN_PROTOCOL_VERSIONS:
            return structured
        if isinstance(structured, dict) and not self._is_wrapped:
            return structured
        return {RESULT: structured}

    @property
    def _is_wrapped(self) -> bool:
        return self._output is not None and self._output.get("type") != "object"

    def _wrapped_output(self) -> dict[str, Any] | None:
        """Return the output schema for clients that accept objects only."""
        if self._output is None or not self._is_wrapped:
            return self._output
        shared = definitions_in(self._output)
        inner = {key: value for key, value in self._output.items() if key not in shared}
        return {"type": "object", "properties": {RESULT: inner}, "required": [RESULT], **shared}

    @cached_property
    def _validator(self) -> Validator:
        return Validator(self._output, draft=_OF_MCP)


def _with_output(written: dict[str, Any], output: dict[str, Any] | None) -> dict[str, Any]:
    return written if output is None else written | {"outputSchema": output}


def _says_something(output: Mapping[str, Any] | None) -> bool:
    """Return whether an output schema says more than that the result is a string, which is always true."""
    return output is not None and output.get("type") != "string"


def _check(schema: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return a schema if results can be validated against it, or `None`: what cannot be checked is not promised."""
    try:
        if schema is not None:
            Validator(schema, draft=_OF_MCP)
    except ValueError:
        return None
    return schema


def _as_json(value: Any) -> Any:
    return json.loads(json.dumps(value, default=str))


def check_required_text(tool: Tool, arguments: Mapping[str, Any]) -> None:
    """Check that a call of a text tool has its text; other tools check their arguments themselves.

    Raises:
        ToolArgumentsError: If the text is missing. The message suggests the closest parameter.
    """
    if tool.pipe == "text" and any(arguments.get(name) is None for name in tool.spec.required):
        shape_of_schema(tool.spec.parameters, foreign=True).read(arguments, drops_nulls=False)


LONGEST = 200
"""Maximum number of tools on a page."""

_INVALID = "Invalid cursor: the list may have changed; start again without a cursor"


class Page(NamedTuple):
    """A page of a tool list.

    Attributes:
        tools: The tools.
        next_cursor: The cursor of the next page, or `None` on the last page.
    """

    tools: list[Tool]
    next_cursor: str | None


def page_of(offered: Mapping[str, Tool], cursor: str | None) -> Page:
    """Return the page for a cursor, or the first page without one.

    Raises:
        MCPError: If the cursor is not valid.
    """
    tools = [*offered.values()]
    if cursor is None and len(tools) <= LONGEST:
        return Page(tools, None)
    mark = sha256("\n".join(offered).encode()).hexdigest()[:16]
    starts = {f"{mark}-{start}": start for start in range(LONGEST, len(tools), LONGEST)}
    if cursor is not None and cursor not in starts:
        raise MCPError(INVALID_PARAMS, _INVALID)
    end = LONGEST + (0 if cursor is None else starts[cursor])
    return Page(tools[end - LONGEST : end], f"{mark}-{end}" if end < len(tools) else None)

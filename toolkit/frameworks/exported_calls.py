"""Exports Tools and their results to other frameworks, and to the types of the Model Context Protocol (MCP)."""

from binascii import Error, a2b_base64
from collections.abc import Iterable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

from toolkit.dialects.providers import export
from toolkit.errors import ConfigurationError, not_installed
from toolkit.tools.base import Tool
from toolkit.tools.calls.attachments import Attachment, Kind, attachments_in, block_of, pieces_of
from toolkit.tools.calls.foreign_values import call_safely
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.outcomes import as_result

_MARK = "__toolkit_tool__"


def imported(module: str, name: str, *, package: str, wanted_by: str) -> Any:
    """Import and return a module of the framework that a tool is exported to.

    Args:
        module: The name of the module.
        name: An attribute of the real module, to notice a folder of the user with the same name.
        package: The package to install.
        wanted_by: The function that needs the module, for messages.

    Raises:
        ConfigurationError: If the module is not installed, or if another module with its name was imported.
    """
    try:
        found = import_module(module)
    except ModuleNotFoundError as error:
        raise not_installed(f"{wanted_by} needs", package) from error
    if hasattr(found, name):
        return found
    if not (file := getattr(found, "__file__", None)):  # a folder without code, so the package is not installed
        raise not_installed(f"{wanted_by} needs", package)
    raise ConfigurationError(f"{wanted_by} needs '{package}', but '{module}' is {file}: rename that file")


def context_of_agent(context: ToolContext) -> ToolContext:
    """Return a copy of the context for calls that an agent's model chooses."""
    return context.replace(chosen_by="model")


def record_export(thing: Any, tool: Tool) -> None:
    """Record the Tool that a function, a class or an object of a framework was made from."""
    setattr(thing, _MARK, tool)


def exported_tool(*things: Any) -> Tool | None:
    """Return the Tool that the first of these objects was exported from, or None."""
    nothing: Any = None
    found = (call_safely(partial(getattr, thing, _MARK, None), nothing) for thing in things)
    return next((one for one in found if isinstance(one, Tool)), None)


def definition_of(tool: Tool, dialect: str = "mcp") -> dict[str, Any]:
    """Return the JSON definition of a tool: in that of MCP `name`, `description`, `inputSchema`, `annotations`."""
    return export(tool.spec, dialect).definition


def annotations_of(tool: Tool) -> Any:
    """Return the hints of a tool as the SDK's `ToolAnnotations`, or None if it has no hints."""
    hints = definition_of(tool).get("annotations")
    return import_module("mcp.types").ToolAnnotations.model_validate(hints) if hints else None


def answer_of(result: ToolResult) -> Any:
    """Return a result as the SDK's `CallToolResult`."""
    answer: dict[str, Any] = {"content": contents_of(result), "isError": not result.succeeded}
    if isinstance(result.structured, Mapping):
        answer["structuredContent"] = result.structured
    return import_module("mcp.types").CallToolResult.model_validate(answer)


def contents_of(result: ToolResult) -> list[dict[str, Any]]:
    """Return the text and the attachments of a result as JSON content blocks, and after them the note for the model.

    The note comes last because programs read the result from the first block.
    """
    text = result.output if result.error is None else result.error
    pieces = [*pieces_of(text, attachments_in(result.artifact)), *([result.note] if result.note else [])]
    return [block_of(piece) if isinstance(piece, Attachment) else {"type": "text", "text": piece} for piece in pieces]


def result_of_parts(parts: Iterable[Any], *, structured: Any = None, artifact: Any = None) -> ToolResult:
    """Return texts, attachments and other values as one result, one line each.

    Args:
        parts: The pieces, in order.
        structured: The same content as plain data.
        artifact: What the framework returns for programs in addition; by default, the attachments.
    """
    pieces = list(parts)
    attachments = [part for part in pieces if isinstance(part, Attachment)]
    lines = [part.words if isinstance(part, Attachment) else as_result(part).output for part in pieces]
    return ToolResult.success(
        "\n".join(lines), structured=structured, artifact=attachments or None if artifact is None else artifact
    )


def attachment_of(media_type: str, data: bytes | str) -> Attachment | None:
    """Return bytes, or their base64 encoding, as an attachment; None if the string is not valid base64."""
    try:
        raw = data if isinstance(data, bytes) else a2b_base64(data)
    except (Error, ValueError):
        return None
    first = media_type.partition("/")[0]
    kinds: dict[str, Kind] = {"image": "image", "audio": "audio"}
    if (kind := kinds.get(first)) is not None:
        return Attachment(kind, media_type, raw)
    return Attachment("resource", media_type, raw, f"data:{media_type}")


def attachment_of_data_url(url: str) -> Attachment | None:
    """Return the content of a `data:` URL; None for any other URL."""
    head, separator, data = url.partition(";base64,")
    return attachment_of(head.removeprefix("data:"), data) if separator and head.startswith("data:") else None

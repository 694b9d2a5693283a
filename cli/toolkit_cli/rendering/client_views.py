"""Renders what the model of a client or provider receives of a tool's result, and how the client passes results on."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from toolkit.amounts import about_tokens, tokens_in
from toolkit.dialects.client_results import APIS, RESULTS, CallOf, Received, received
from toolkit.errors import ConfigurationError, not_installed
from toolkit.problems import Problem, did_you_mean
from toolkit.redactors.redactor import Redactor
from toolkit.tools.calls.attachments import attachments_in, block_of
from toolkit_cli.rendering.styles import Line, table

if TYPE_CHECKING:
    from toolkit.tools.base import Tool
    from toolkit.tools.calls.results import ToolResult
    from toolkit.tools.definition.spec import ToolSpec


def known_client(name: str) -> str:
    """Return the name of a client or provider.

    Raises:
        ConfigurationError: If it is not known how it passes on results.
    """
    if name not in RESULTS:
        hint = did_you_mean(name, RESULTS, otherwise=f"known are {', '.join(RESULTS)}")
        message = f"--as: there are no facts about '{name}'"
        raise ConfigurationError(message, problems=[Problem("", message, hint=hint)])
    return name


def seen_by(
    client: str, tool: "Tool", arguments: Mapping[str, Any], result: "ToolResult", redactor: Redactor
) -> Received:
    """Return what the model of a client receives, if our server or our agent sends it this result."""
    if client in APIS:
        answer = _answer_of(result, redactor)
    else:
        try:
            from toolkit.mcp.serving.answers import wire_answer  # it loads the SDK of the protocol
        except ImportError as error:
            raise not_installed("the answer of a server needs", "toolkit-cli[mcp]") from error

        answer = wire_answer(tool.spec, result, redactor)
    return received(answer, client, CallOf(tool.name, arguments))


def _answer_of(result: "ToolResult", redactor: Redactor) -> dict[str, Any]:
    """Return a result as an answer of the protocol, for a provider, to which no server sends it."""
    text = redactor.text(result.output if result.error is None else result.error)
    others = [one.redacted(redactor) for one in attachments_in(result.artifact) if one.words not in text]
    answer: dict[str, Any] = {"content": [{"type": "text", "text": text}, *map(block_of, others)]}
    if result.structured is not None:
        answer["structuredContent"] = redactor.data(result.structured)
    return answer | ({} if result.error is None else {"isError": True})


def view_record(seen: Received) -> dict[str, Any]:
    """Return what a model receives as plain data."""
    return {
        "client": seen.client,
        "parts": list(seen.parts),
        "tokens": tokens_in(seen.text),
        "left_out": list(seen.left_out),
    }


def remarks_on(seen: Received) -> list[Line]:
    """Return what a model does not receive, and the size of what it does."""
    passing = RESULTS[seen.client]
    lines: list[Line] = [[("quiet", f"the model of {passing.title} receives {about_tokens(seen.text)}")]]
    if seen.left_out:
        lines.append([("quiet", f"left out: {', '.join(seen.left_out)}")])
    if seen.is_too_large and passing.size is not None:
        lines.append([("quiet", passing.size.says)])
    return lines


def has_structure(spec: "ToolSpec") -> bool:
    """Return whether our server sends the results of a tool as structured content too."""
    return spec.output_schema is not None and spec.output_schema.get("type") != "string"


def facts_of(client: str, width: int) -> list[Line]:
    """Return how a client passes on results, with the sources."""
    rows = [
        (topic, f"{fact.says} ({fact.source.place}, checked {fact.source.checked})")
        for topic, fact in RESULTS[client].facts().items()
    ]
    return table(("RESULT", f"WHAT THE MODEL OF {RESULTS[client].title.upper()} RECEIVES"), rows, width, indent=2)


def fact_records(client: str) -> list[dict[str, str]]:
    """Return how a client passes on results, as plain data."""
    return [
        {"topic": topic, "says": fact.says, "source": fact.source.place, "checked": fact.source.checked}
        for topic, fact in RESULTS[client].facts().items()
    ]

"""What clients and providers pass on to their model of the result of a tool, each fact with its source and date.

A client receives the answer of an MCP server: content blocks, structured content, and whether the call failed. Which of
these its model sees differs widely. What is not known is not listed, and is shown as it was sent.

received(answer, "codex", CallOf("forecast", {"city": "Oslo"})).text      what the model of Codex sees
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple

from toolkit.dialects.provider_limits import Limit, Source

Structured = Literal["instead of all", "instead of text", "if nothing else", "never"]
"""When structured content reaches the model: in place of all blocks or only of texts, or if there are no blocks."""


class Passing(NamedTuple):
    """How a client or provider passes on the results of tools; None means that it is not known.

    Attributes:
        title: Its usual name.
        structured: When structured content reaches the model.
        blocks: A template for each type of block; those without one are passed on as they are. `{itself}` is the block,
            `{link}` a link to it, and an empty template leaves it out.
        joined: The text between texts, if they are joined to one.
        errors: A template for the text of a failed call, if it is changed.
        size: The number of characters above which a result is treated differently.
    """

    title: str
    structured: Limit[Structured] | None = None
    blocks: Limit[Mapping[str, str]] | None = None
    joined: Limit[str] | None = None
    errors: Limit[str] | None = None
    size: Limit[int] | None = None

    def facts(self) -> dict[str, Limit[Any]]:
        """Return what is known, by topic."""
        topics = {
            "structured content": self.structured,
            "texts, images, links": self.blocks,
            "order": self.joined,
            "errors": self.errors,
            "size": self.size,
        }
        return {topic: fact for topic, fact in topics.items() if fact is not None}


class CallOf(NamedTuple):
    """A call whose result is passed on: the name of the tool, and the arguments."""

    tool: str
    arguments: Mapping[str, Any]


class Received(NamedTuple):
    """What a model receives of a result.

    Attributes:
        client: The client or provider.
        parts: The parts in their order, as blocks of MCP.
        left_out: What it does not receive, by the types of the blocks.
    """

    client: str
    parts: tuple[Mapping[str, Any], ...]
    left_out: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The parts as text, with a short text for each that is none."""
        return "\n".join(map(_words, self.parts))

    @property
    def is_too_large(self) -> bool:
        """Whether the client treats a result of this size differently."""
        size = RESULTS[self.client].size
        return size is not None and len(self.text) > size.value


def received(answer: Mapping[str, Any], client: str, call: CallOf) -> Received:
    """Return what the model of a client receives of an answer of an MCP server, given as plain data.

    Args:
        answer: The result of the call, as in the protocol.
        client: The name of the client or provider.
        call: The call.
    """
    passing, blocks, structured = RESULTS[client], answer.get("content", []), answer.get("structuredContent")
    if answer.get("isError") and passing.errors is not None:
        texts = "\n\n".join(block["text"] for block in blocks if block["type"] == "text" and block["text"].strip())
        words = {
            "text": texts,
            "tool": call.tool,
            "call": _json(_called(call)),
            "response": _json(_response(call, answer)),
        }
        return Received(client, ({"type": "text", "text": passing.errors.value.format_map(words)},))
    rule = passing.structured.value if passing.structured is not None else None
    whole = () if structured is None else ({"type": "text", "text": _json(structured)},)
    lost = (
        () if any(_says_the_same(block, one["text"]) for one in whole for block in blocks) else ("structuredContent",)
    )
    match rule:
        case "instead of all" if whole:
            return Received(client, whole, _others(blocks, whole[0]))
        case "instead of text" if whole:
            media = [block for block in blocks if block["type"] != "text"]
            others = [block for block in blocks if block["type"] == "text"]
            parts, gone = _passed(media, passing, call)
            return Received(client, (*parts, *whole), (*_others(others, whole[0]), *gone))
        case "if nothing else" if whole and not blocks:
            return Received(client, whole)
    parts, gone = _passed(blocks, passing, call)
    return Received(client, parts, (*gone, *(lost if whole else ())))


def _passed(
    blocks: list[Mapping[str, Any]], passing: Passing, call: CallOf
) -> tuple[tuple[Mapping[str, Any], ...], tuple[str, ...]]:
    templates = passing.blocks.value if passing.blocks is not None else {}
    parts = [part for block in blocks for part in _written(block, templates.get(block["type"], "{itself}"), call)]
    gone = tuple(block["type"] for block in blocks if templates.get(block["type"]) == "")
    if passing.joined is not None and any(part["type"] == "text" for part in parts):
        texts = passing.joined.value.join(part["text"] for part in parts if part["type"] == "text")
        parts = [{"type": "text", "text": texts}, *(part for part in parts if part["type"] != "text")]
    return tuple(parts), gone


def _written(block: Mapping[str, Any], template: str, call: CallOf) -> Iterator[Mapping[str, Any]]:
    """Yield the parts for a block: the text of its template, and the block itself where the template says so."""
    inner = block.get("resource", block)
    if template == "{link}":
        yield {"type": "resource_link", "uri": inner["uri"], "name": inner["uri"]}
        return
    before, itself, _ = template.partition("{itself}")
    if before:
        known = {
            "text": str(inner.get("text") or _words(block)).replace(
                "</untrusted_context>", "&lt;/untrusted_context&gt;"
            ),
            "tool": call.tool,
            "type": block["type"],
            "mimeType": inner.get("mimeType", ""),
            "label": block.get("title") or block.get("name", ""),
            "uri": inner.get("uri", ""),
            "json": _json(block),
        }
        yield {"type": "text", "text": before.format_map(known)}
    if itself:
        yield block


def _others(blocks: list[Mapping[str, Any]], whole: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the types of the blocks that say something else than the structured content does."""
    return tuple(block["type"] for block in blocks if not _says_the_same(block, whole["text"]))


def _says_the_same(block: Mapping[str, Any], text: str) -> bool:
    if block["type"] != "text":
        return False
    try:
        written, whole = json.loads(block["text"]), json.loads(text)
    except ValueError:
        return bool(block["text"] == text)
    wrapped: Any = whole.get("result") if isinstance(whole, dict) and len(whole) == 1 else whole
    return bool(written in (whole, wrapped))


def _called(call: CallOf) -> dict[str, Any]:
    return {"name": call.tool, "args": dict(call.arguments)}


def _response(call: CallOf, answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"functionResponse": {"name": call.tool, "response": dict(answer)}}]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _words(part: Mapping[str, Any]) -> str:
    match part:
        case {"type": "text", "text": text}:
            return str(text)
        case {"type": "resource", "resource": {"text": text}}:
            return str(text)
        case {"type": "resource_link", "uri": uri}:
            return f"[resource {part.get('name') or uri}: {uri}]"
        case {"type": "resource", "resource": {"uri": uri}}:
            return f"[resource {uri}]"
    return f"[{part['type']} {part.get('mimeType', '')}]"


# ----------------------------------------------------------------------------------------------------------- the table

_CHECKED: Final = "2026-11-26"


def _at(place: str) -> Source:
    return Source(place, _CHECKED)


_NUMBER = "https://github.com/{}/issues/{}"
_CODEX = _at("codex, codex-rs/protocol/src/models.rs at 5ef96ab2: as_function_call_output_payload")
_VSCODE = _at("vscode, src/vs/workbench/contrib/mcp/common/mcpLanguageModelToolContribution.ts at b801fe97")
_GEMINI = _at("gemini-cli, packages/core/src/tools/mcp-tool.ts at 5411f113: transformMcpContentToParts")
_GEMINI_ERRORS = _at("gemini-cli, packages/core/src/tools/mcp-tool.ts at 5411f113: execute")
_GEMINI_SIZE = _at("gemini-cli, packages/core/src/scheduler/tool-executor.ts at 5411f113: truncateOutputIfNeeded")
_OPENCODE = _at("opencode, packages/opencode/src/mcp/catalog.ts at 974bbbba: convertTool")
_OPENCODE_BLOCKS = _at("opencode, packages/opencode/src/session/tools.ts at 72769539: resolve")
_GOOSE = _at("goose, crates/goose/src/providers/formats/openai.rs at 0e4b403f: format_messages")
_CHAT = _at("openai 3.57.0, types/chat/chat_completion_tool_message_param.py")
_RESPONSES = _at("openai 3.57.0, types/responses/response_input_item_param.py: FunctionCallOutput")
_ANTHROPIC = _at("anthropic 2.14.0, types/tool_result_block_param.py")
_GOOGLE = _at("google-genai 2.34.0, types.py: FunctionResponse")

_TEXT_ONLY: Mapping[str, str] = dict.fromkeys(("image", "audio", "resource", "resource_link"), "")
_OWN_ERROR = "Error: {text}"


def _api(title: str, source: Source, can: str, errors: str) -> Passing:
    """Return the row of a provider, to which `toolkit agent` sends every result as text."""
    return Passing(
        title,
        structured=Limit("never", "the text is sent, which by default is the structured data as JSON", source),
        blocks=Limit(_TEXT_ONLY, f"{can}; `toolkit agent` sends only the text of a result", source),
        errors=Limit(_OWN_ERROR, f"{errors}; `toolkit agent` sends 'Error: ' and the message", source),
    )


APIS: Final[Mapping[str, Passing]] = {
    "openai": _api("OpenAI (Chat Completions)", _CHAT, "only text can be sent", "no field says that a call failed"),
    "openai-responses": _api(
        "OpenAI (Responses)", _RESPONSES, "text, images and files can be sent", "no field says that a call failed"
    ),
    "anthropic": _api(
        "Anthropic", _ANTHROPIC, "text, images, documents and search results can be sent", "`is_error` can be set"
    ),
    "gemini": _api("Gemini", _GOOGLE, "a JSON object and media can be sent", "the key `error` can be set"),
}
"""The providers, to which `toolkit agent` sends results."""

RESULTS: Final[Mapping[str, Passing]] = {
    "claude-code": Passing(
        "Claude Code",
        structured=Limit(
            "instead of text",
            "structured content is sent as JSON, and texts are left out",
            _at(_NUMBER.format("anthropics/claude-code", 79944)),
        ),
        blocks=Limit(
            {},
            "an image is passed on as an image, also beside structured content",
            _at(_NUMBER.format("anthropics/claude-code", 70280)),
        ),
        size=Limit(
            50_000,
            "a text of more than 50,000 characters is saved to a file, and the model receives its path; "
            "of an error, about 11,000 are kept",
            _at("https://qiita.com/akihidem/items/32e331a9cbe0abf3af11"),
        ),
    ),
    "claude-desktop": Passing(
        "Claude Desktop",
        structured=Limit(
            "never",
            "structured content without content shows nothing",
            _at(_NUMBER.format("seuros/action_mcp", 181)),
        ),
        size=Limit(
            1_048_576,
            "a result of more than 1,048,576 characters is replaced by an error",
            _at(_NUMBER.format("PrefectHQ/fastmcp", 1036)),
        ),
    ),
    "codex": Passing(
        "Codex",
        structured=Limit(
            "instead of all", "structured content is sent as JSON, and all blocks are left out, images too", _CODEX
        ),
        blocks=Limit(
            {"resource": "{json}", "resource_link": "{json}"},
            "texts, images and audio are passed on; anything else is sent as JSON",
            _CODEX,
        ),
        errors=Limit("{text}", "the text is sent, and nothing says that the call failed", _CODEX),
    ),
    "vscode": Passing(
        "VS Code",
        structured=Limit(
            "instead of text", "structured content is sent as JSON after the other blocks; texts are left out", _VSCODE
        ),
        blocks=Limit(
            {"resource": "{link}"},
            "images are made smaller, and passed on; a link and any other resource are sent as a link",
            _VSCODE,
        ),
        errors=Limit("{text}", "the text is sent, and nothing says that the call failed", _VSCODE),
    ),
    "gemini-cli": Passing(
        "Gemini CLI",
        structured=Limit("never", "structured content is left out", _GEMINI),
        blocks=Limit(
            {
                "text": "<untrusted_context>\n{text}\n</untrusted_context>",
                "image": "[Tool '{tool}' provided the following {type} data with mime-type: {mimeType}]{itself}",
                "audio": "[Tool '{tool}' provided the following {type} data with mime-type: {mimeType}]{itself}",
                "resource": "<untrusted_context>\n{text}\n</untrusted_context>",
                "resource_link": "Resource Link: {label} at {uri}",
            },
            "texts are marked as untrusted; images and audio follow a line of text; a link is text",
            _GEMINI,
        ),
        errors=Limit(
            "MCP tool '{tool}' reported tool error for function call: {call} with response: {response}",
            "the model receives a sentence with the call and the whole answer as JSON",
            _GEMINI_ERRORS,
        ),
        size=Limit(
            40_000,
            "a single text of more than 40,000 characters is cut, and saved to a file",
            _GEMINI_SIZE,
        ),
    ),
    "goose": Passing(
        "goose (OpenAI format)",
        structured=Limit("never", "structured content is left out", _GOOSE),
        blocks=Limit(
            {
                "image": "This tool result included an image that is uploaded in the next message.{itself}",
                "audio": "",
                "resource": "{text}",
                "resource_link": "",
            },
            "an image follows in a message of the user; the text of a resource is sent; links and audio are left out",
            _GOOSE,
        ),
        joined=Limit(" ", "all texts are joined with blanks, and images come after them", _GOOSE),
        errors=Limit("{text}", "the text is sent, and nothing says that the call failed", _GOOSE),
    ),
    "opencode": Passing(
        "opencode",
        structured=Limit(
            "if nothing else", "structured content is sent as JSON if the result has no content blocks", _OPENCODE
        ),
        blocks=Limit(
            {"audio": "", "resource": "{text}", "resource_link": ""},
            "an image is attached; the text of a resource is sent; links and audio are left out",
            _OPENCODE_BLOCKS,
        ),
        joined=Limit("\n\n", "all texts are joined, with a blank line between them", _OPENCODE_BLOCKS),
        errors=Limit("{text}", "the texts are sent as the error of the call; anything else is left out", _OPENCODE),
    ),
    **APIS,
}
"""How each client and provider passes on results, by its name."""

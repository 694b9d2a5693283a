"""What clients and providers pass on to their model of the result of a tool, each fact with its source and date.

A client receives the answer of an MCP server: content blocks, structured content, and whether the call failed. Which of
these its model sees differs widely. What is not known is not listed, and is shown as it was sent.

received(answer, "codex", CallOf("forecast", {"city": "Oslo"})).text      what the model of Codex sees
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple

from toolkit.dialects.provider_limits import Limit, Source

Structured = Literal["instead of all", "instead of text", "after all", "if nothing else", "never"]
"""When structured content reaches the model: in place of all blocks or of texts, after all, or if there are none."""

STRUCTURED: Final = "toolkit/structured"
"""The `_meta` key with the data of a result whose text is all that a model is to see; no client passes it on."""


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
    passing, structured = RESULTS[client], answer.get("structuredContent")
    blocks: list[Mapping[str, Any]] = answer.get("content", [])
    said = [block["text"] for block in blocks if block["type"] == "text"]
    if answer.get("isError") and passing.errors is not None:
        words = {
            "text": "\n\n".join(text for text in said if text.strip()),
            "tool": call.tool,
            "call": _json(_called(call)),
            "response": _json(_response(call, answer)),
        }
        return Received(client, ({"type": "text", "text": passing.errors.value.format_map(words)},))
    rule = passing.structured.value if passing.structured is not None else None
    whole = () if structured is None else ({"type": "text", "text": _json(structured)},)
    is_said = any(says_the_same(text, structured) for text in said)
    match rule:
        case "instead of all" if whole:
            return Received(client, whole, _others(blocks, structured))
        case "instead of text" if whole:
            media = [block for block in blocks if block["type"] != "text"]
            others = [block for block in blocks if block["type"] == "text"]
            parts, gone = _passed(media, passing, call)
            return Received(client, (*parts, *whole), (*_others(others, structured), *gone))
        case "after all" if whole and not any(_is_json_of(text, structured) for text in said):
            between = "\n\n" if said else ""
            blocks, is_said = [*blocks, {"type": "text", "text": f"{between}{_json(structured)}"}], True
        case "if nothing else" if whole and not blocks:
            return Received(client, whole)
    parts, gone = _passed(blocks, passing, call)
    is_lost = STRUCTURED in answer.get("_meta", {}) or (whole and not is_said)
    return Received(client, parts, (*gone, *(("structured data",) if is_lost else ())))


def says_the_same(text: str, data: Any) -> bool:
    """Return whether a text is this data as JSON, or what is wrapped in it to make it an object."""
    inner = data["result"] if isinstance(data, Mapping) and data.keys() == {"result"} else data
    return _is_json_of(text, data) or _is_json_of(text, inner)


def _is_json_of(text: str, data: Any) -> bool:
    try:
        return bool(json.loads(text) == data)
    except (ValueError, RecursionError):
        return bool(text == data)


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


def _others(blocks: list[Mapping[str, Any]], data: Any) -> tuple[str, ...]:
    """Return the types of the blocks that say something else than the structured content does."""
    return tuple(block["type"] for block in blocks if block["type"] != "text" or not says_the_same(block["text"], data))


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


def _seen(program: str) -> Source:
    """Return the source of what a program sent to a model on the same machine, for answers that were made for this."""
    return Source(f"{program}, what it sent to a model on the same machine", "2026-11-27")


_NUMBER = "https://github.com/{}/issues/{}"
_CLAUDE_CODE = _seen("Claude Code 2.1.197")
_CODEX = _seen("Codex CLI 0.171.0")
_COPILOT = _seen("Copilot CLI 1.0.102")
_VSCODE = _at("vscode, src/vs/workbench/contrib/mcp/common/mcpLanguageModelToolContribution.ts at b801fe97")
_VSCODE_SIZE = Source(
    "vscode-copilot-chat, src/extension/prompts/node/panel/toolCalling.tsx at 31acd00a: onText", "2026-11-27"
)
_GEMINI = _seen("Gemini CLI 0.61.0")
_OPENCODE = _seen("opencode 1.18.33")
_GOOSE = Source(
    "aaif-goose/goose, crates/goose/src/providers/formats/openai.rs at 03b90085: format_messages", "2026-11-27"
)
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
            "structured content is sent as JSON after the other blocks; texts are left out",
            _CLAUDE_CODE,
        ),
        blocks=Limit(
            {
                "audio": "[Audio from toolkit] Binary content ({mimeType}) saved to a file",
                "resource": "[Resource from toolkit at {uri}] {text}",
                "resource_link": "[Resource link: {label}] {uri}",
            },
            "an image is passed on; a link is text, the text of a resource follows its URI, "
            "and audio is saved to a file whose path is sent",
            _CLAUDE_CODE,
        ),
        errors=Limit("{text}", "the texts are sent, marked as an error; structured content is left out", _CLAUDE_CODE),
        size=Limit(
            50_000,
            "a text of more than 50,000 characters is saved to a file, and the model receives its path and the first "
            "2 KB; of an error, about 10,000 characters are kept",
            _CLAUDE_CODE,
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
            "texts and images are passed on, after a line with the time that the call took; "
            "a link and a resource are sent as JSON",
            _CODEX,
        ),
        errors=Limit("{text}", "the texts are sent, and nothing says that the call failed", _CODEX),
        size=Limit(12_000, "of a text of more than 12,000 characters, the middle is left out", _CODEX),
    ),
    "copilot-cli": Passing(
        "Copilot CLI (with a provider of your own)",
        structured=Limit(
            "after all", "structured content is sent as JSON after the texts, unless a text is the same JSON", _COPILOT
        ),
        blocks=Limit(
            {"image": "", "audio": "", "resource": "{text}", "resource_link": ""},
            "the text of a resource is sent; images, audio and links are left out",
            _COPILOT,
        ),
        joined=Limit("", "all texts are joined with nothing between them", _COPILOT),
        errors=Limit("MCP server 'toolkit': {text}", "the name of the server and the texts are sent", _COPILOT),
        size=Limit(
            20_480,
            "a text of more than about 20 KB (19,000 characters passed, and 22,000 did not) is saved to a file, and "
            "the model receives its path and the first 500 characters",
            _COPILOT,
        ),
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
        size=Limit(
            8_192,
            "a text of more than 8,192 characters is written to a file, and the model receives its path",
            _VSCODE_SIZE,
        ),
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
            _GEMINI,
        ),
        size=Limit(
            40_000,
            "a single text of more than 40,000 characters is cut, and saved to a file",
            _GEMINI,
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
            _OPENCODE,
        ),
        joined=Limit("\n\n", "all texts are joined, with a blank line between them", _OPENCODE),
        errors=Limit("{text}", "the texts are sent, and nothing says that the call failed", _OPENCODE),
        size=Limit(
            51_200,
            "of a text of more than 51,200 bytes or 2,000 lines, the beginning and the path of a file are sent",
            _OPENCODE,
        ),
    ),
    **APIS,
}
"""How each client and provider passes on results, by its name."""

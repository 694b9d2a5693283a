"""Requests whose tools a model searches for, and that code calls: deferred loading and programmatic calling.

A deferred tool is not part of the prompt until a search of the provider has found it. `metadata` decides: the key
`defer_loading` under the name of a provider defers a tool, or keeps it loaded, and `allowed_callers` lets code call it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from toolkit.amounts import tokens_of_data
from toolkit.dialects.providers import Export, dialect
from toolkit.dialects.registry import DIALECTS
from toolkit.tools.definition.spec import ToolSpec

DEFERRING: Final = ("anthropic", "openai")
"""The providers whose requests can have deferred tools."""

_ANTHROPIC_SEARCH: Final = {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}
_OPENAI_SEARCH: Final = {"type": "tool_search"}
_OPENAI_CODE: Final = {"type": "programmatic_tool_calling"}
_DIRECT: Final = "direct"


def can_defer(name: str) -> bool:
    """Return whether there is a dialect of this name that can express deferred tools."""
    return name in DIALECTS and dialect(name).provider in DEFERRING


def deferred_request(
    specs: Sequence[ToolSpec], exports: Sequence[Export], name: str, *, loaded: int = 0
) -> list[dict[str, Any]]:
    """Return the value of `tools` in a request in which tools are deferred, with the tools of the provider they need.

    OpenAI supports this in its Responses API only, so the definitions have the form of that API.

    Args:
        specs: The specifications.
        exports: Their exports in the dialect.
        name: The dialect: that of Anthropic or OpenAI.
        loaded: The number of tokens up to which definitions stay loaded, in their order; marks take precedence.
    """
    provider = dialect(name).provider
    pairs = zip(specs, exports, strict=True)
    tools = [_for_responses(*pair) if provider == "openai" else dict(pair[1].definition) for pair in pairs]
    spent = 0
    for tool in tools:
        if "defer_loading" not in tool:
            spent += tokens_of_data(tool)
            if spent > loaded:
                tool["defer_loading"] = True
        elif not tool["defer_loading"]:
            del tool["defer_loading"]
    return [*_needed(tools, provider), *tools]


def called_by_code(spec: ToolSpec) -> bool:
    """Return whether the marks of a tool let code call it."""
    settings = (spec.metadata.get(provider) for provider in DEFERRING)
    callers = (one.get("allowed_callers") for one in settings if isinstance(one, Mapping))
    return any(isinstance(names, list | tuple) and set(names) - {_DIRECT} for names in callers)


def _needed(tools: Sequence[Mapping[str, Any]], provider: str) -> list[dict[str, Any]]:
    """Return the provider's own tools that a request needs: its search, and what runs code that calls tools."""
    callers = dict.fromkeys(caller for tool in tools for caller in tool.get("allowed_callers", ()) if caller != _DIRECT)
    deferred = any(tool.get("defer_loading") for tool in tools)
    if provider == "openai":
        return [*([_OPENAI_SEARCH] if deferred else []), *([_OPENAI_CODE] if callers else [])]
    code = [{"type": caller, "name": "code_execution"} for caller in callers]
    return [*([_ANTHROPIC_SEARCH] if deferred else []), *code[-1:]]


def _for_responses(spec: ToolSpec, made: Export) -> dict[str, Any]:
    """Return a definition in the form of OpenAI's Responses API, with the schema of what code receives."""
    definition = dict(made.definition)
    written: dict[str, Any] = {"type": "function", "strict": False} | definition.pop("function") | definition
    if set(written.get("allowed_callers", ())) - {_DIRECT} and spec.output_schema is not None:
        written["output_schema"] = dict(spec.output_schema)
    return written

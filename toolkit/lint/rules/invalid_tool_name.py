"""TK101: a name that some provider refuses."""

import re
from collections.abc import Iterator

from toolkit.codes import INVALID_TOOL_NAME
from toolkit.dialects.conformance import name_objections
from toolkit.dialects.providers import LIMITS
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import PORTABLE, Rule
from toolkit.problems import Fix, Problem, Severity
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.requirements import is_required_by
from toolkit.tools.definition.names import legal_name, name_problem
from toolkit.tools.foreign.source_marks import Terms

_PROVIDERS = ("openai", "anthropic", "gemini", "bedrock", "mistral")


class InvalidToolName(Rule):
    '''The name of a tool is blank, or has characters that some provider refuses.

    ## Why

    A request with such a name fails as a whole, with all its other tools. MCP and Gemini allow dots, as in
    `shop.find`, but a client that passes the name on to OpenAI, Anthropic, Bedrock or Mistral fails. Every provider accepts letters, digits,
    underscores and hyphens after an initial letter or underscore. The name is an `info` in a file of which a generator
    makes others: in a folder for templates, with names such as `__PackageName__`; so it is
    in a project that gives the tools of a FastMCP server other names with a `ToolTransform`, and for a name that MCP allows in a server,
    which does not know what its clients do with it.

    ## Example

    ```python
    from toolkit import tool


    @tool(name="get rates!")
    def rates(currency: str) -> str:
        """Return today's exchange rates of a currency."""
        return currency
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool(name="get_rates")
    def rates(currency: str) -> str:
        """Return today's exchange rates of a currency."""
        return currency
    ```

    ## Source

    - OpenAI, `FunctionDefinition.name`: "Must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length
      of 64" (`openai` 2.x, `types/shared_params/function_definition.py`, checked 2026-11-21)
    - Gemini, `FunctionDeclaration.name`: "Must start with a letter or an underscore" (`google-genai`, `types.py`, checked
      2026-11-21)
    '''

    code = INVALID_TOOL_NAME
    severity = "error"
    fix = "unsafe"

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        if not tool.is_named or (tool.terms and _is_rewritten(tool.name, tool.terms, tool.function)):
            return
        if tool.origin != "json" and (found := name_problem(tool.name, tool.location)):
            message, hint = found.message, found.hint
            if tool.framework is not None and (refusing := _refusing(tool.name)):
                message = f"invalid tool name {tool.name!r}: {refusing} refuse it"
                hint = f"call it {_good_name(tool.name)!r}" if _has_letters(tool.name) else "use letters from a to z"
        elif (what := self._objection(tool.name)) is not None:
            message, hint = f"the tool's name is {what}", f"call it {_good_name(tool.name)!r}"
        else:
            return
        is_changed = tool.is_in_template or _is_transformed(tool) or _is_legal_in_server(tool)
        severity: Severity = "info" if is_changed else self.severity
        yield self.problem(message, tool.location, hint=hint, severity=severity, fix=self._renaming(tool))

    def _objection(self, name: str) -> str | None:
        """Return why some of the selected providers refuse a name; None if they all accept it."""
        if not name.strip():
            return "blank"
        limits = [LIMITS[provider] for provider in self.settings.providers]
        refusing = [
            one.title for one in limits if any(objection.code == self.code for objection in name_objections(name, one))
        ]
        if not refusing:
            return None
        if LIMITS[PORTABLE].title in refusing:
            return f"{name!r}, which not every provider accepts"
        return f"{name!r}, which is not accepted by {' and '.join(dict.fromkeys(refusing))}"

    def _renaming(self, tool: ToolDefinition) -> Fix | None:
        """Return the fix for a name that is written as a literal; callers of the tool must change too."""
        written = next((text.written for text in tool.texts if text.kind == "name"), None)
        name = _good_name(tool.name)
        edit = written.replaced(0, len(tool.name), name) if written is not None and tool.name else None
        return None if edit is None else self.fixed_by(f"Call it '{name}'", edit)


def _is_rewritten(name: str, terms: Terms, function: PythonFunction | None) -> bool:
    """Whether the framework of a tool, or one that the project gives it to, converts names to valid ones."""
    if terms.rewrites_names or name_problem(name) is None or function is None:
        return terms.rewrites_names
    return any(is_required_by(function.file, one) for one in terms.renamers)


def _is_transformed(tool: ToolDefinition) -> bool:
    """Whether the project has what gives tools of a framework other names, possibly for some clients only."""
    if tool.terms is None or tool.function is None:
        return False
    return tool.function.file.reader.is_mentioned(tool.function.file, tool.terms.transforms)


def _is_legal_in_server(tool: ToolDefinition) -> bool:
    """Whether a tool is served over MCP, which allows its name, such as one with a dot."""
    is_served = tool.function is not None and tool.function.written is not None and tool.function.written.marks.serves
    return bool(is_served) and not any(
        one.code == INVALID_TOOL_NAME for one in name_objections(tool.name, LIMITS["mcp"])
    )


def _refusing(name: str) -> str:
    """Return the providers that refuse a name, such as `OpenAI and Anthropic`; empty if there are less than two."""
    limits = [LIMITS[provider] for provider in _PROVIDERS]
    titles = [
        one.title for one in limits if any(found.code == INVALID_TOOL_NAME for found in name_objections(name, one))
    ]
    return f"{', '.join(titles[:-1])} and {titles[-1]}" if len(titles) > 1 else ""


def _has_letters(name: str) -> bool:
    return re.search(r"[A-Za-z]", name) is not None


def _good_name(name: str) -> str:
    """Return the closest name that every provider accepts: some require a letter or an underscore first."""
    legal = legal_name(name)
    return f"tool_{legal}" if legal[0].isdigit() else legal

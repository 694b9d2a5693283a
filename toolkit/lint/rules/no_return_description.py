"""TK207: a tool that does not describe its result."""

import ast
import re
from collections.abc import Iterator

from toolkit.codes import NO_RETURN_DESCRIPTION
from toolkit.lint.clues.wording import READING
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.syntax_nodes import is_none
from toolkit.tools.definition.spec import ToolSpec

_RESULT_WORDS = re.compile(
    r"\b(?:returns?|returned|returning|gives?|giving|yields?|answers?|responds?|results?|outputs?)\b", re.IGNORECASE
)
_RESULT_VERBS = READING | {
    "say", "tell", "ask", "forecast", "predict", "judge", "classify", "summarize", "summarise", "condense", "translate", "compute"
}  # fmt: skip
_TYPE = frozenset({"type", "title", "additionalProperties"})
_RETURNS = re.compile(r"^\s*(?:Returns?:|Returns?\n\s*-{3,}|:returns?:)", re.MULTILINE)


class NoReturnDescription(Rule):
    '''Neither the description of a tool nor its output schema says what it returns.

    ## Why

    A model that does not know what a tool returns calls it to find out, or does not call it when it should. One
    sentence is enough. A result type with fields is enough too, for clients that read output schemas. Models never see
    a `Returns:` section of a docstring. A description such as "List the open orders" already says what the tool
    returns.

    ## Example

    ```python
    from toolkit import tool


    @tool
    def quote(weight: float) -> str:
        """Work out the postage for a parcel.

        Args:
            weight: The weight in kilograms.
        """
        return f"{weight * 2.5} EUR"
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool
    def quote(weight: float) -> str:
        """Work out the postage for a parcel. Returns the price with its currency, such as `12.50 EUR`.

        Args:
            weight: The weight in kilograms.
        """
        return f"{weight * 2.5} EUR"
    ```

    ## Source

    - Anthropic, [Define tools](https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools): a description
      says what the tool does not return, too (checked 2026-11-21)
    '''

    code = NO_RETURN_DESCRIPTION
    severity = "info"
    default = False

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        text, docstring = (tool.description or "").strip(), ""
        if tool.spec is None or not text or _describes_return(text) or _is_in_schema(tool.spec):
            return
        if tool.function is not None:
            if is_none(tool.function.node.returns):
                return  # it returns nothing
            docstring = ast.get_docstring(tool.function.node) or ""
        hint = "say in the description what it returns, and in which format"
        if "eturn" in docstring and _RETURNS.search(docstring):
            hint = "say it in the description too: models never see the section 'Returns'"
        yield self.problem(f"nothing says what {tool.name!r} returns", tool.location, hint=hint)


def _describes_return(text: str) -> bool:
    first = text.split(maxsplit=1)[0].strip(".,:").lower()
    return bool(_RESULT_WORDS.search(text)) or first in _RESULT_VERBS or first.removesuffix("s") in _RESULT_VERBS


def _is_in_schema(spec: ToolSpec) -> bool:
    """Whether the output schema has more than a type."""
    return not (spec.output_schema or {}).keys() <= _TYPE

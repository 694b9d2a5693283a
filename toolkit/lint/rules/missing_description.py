"""TK201: a tool without a description."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from toolkit.codes import MISSING_DESCRIPTION
from toolkit.lint.clues.mocks import is_exercise, is_mock
from toolkit.lint.clues.offers import is_left_out
from toolkit.lint.definitions.pipeline_files import PipelineFile
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Problem, Severity, nearest
from toolkit.sources.targets import YAML


class MissingDescription(Rule):
    '''A tool has no description.

    ## Why

    The description is all that a model has to decide whether to call a tool, and with what. Without one it guesses
    from the name, calls the tool for the wrong purpose, or never does. Providers accept such tools without a
    warning. A pipeline is a tool, too.

    For tools of other frameworks, it is an `info` in folders of examples and tests, in files such as `mock_server.py`,
    and for functions that only pretend to do something: whose result is fixed, random, or one expression of the parameters.
    A tool that no code of the project names, although it names others of the same file, is not recommended: nobody offers it
    to a model.

    ## Example

    ```python
    from toolkit import tool


    @tool
    def forecast(city: str) -> str:
        return f"sun in {city}"
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city; for the weather of today use `weather`."""
        return f"sun in {city}"
    ```

    ## Source

    - Anthropic, [Define tools](https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools): "provide
      extremely detailed descriptions" (checked 2026-11-21)
    '''

    code = MISSING_DESCRIPTION
    severity = "error"

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        is_checked = tool.origin != "openapi" and (tool.source or "").endswith(YAML)
        if tool.description is None or tool.description.strip() or is_checked:
            return  # a pipeline is checked as a document, even if no tool could be built from it
        what = "what it does and when to use it"
        written = tool.terms.description if tool.terms else "a docstring"
        is_class = not tool.terms and tool.function is not None and tool.function.takes_call
        hint = f"write {'a description' if is_class else written}: {what}" if tool.function else f"describe {what}"
        hint = f"write 'summary: …': {what}" if tool.origin == "openapi" else hint
        yield self.problem(
            f"tool {tool.name!r} has no description",
            tool.location,
            hint=hint,
            severity=self._severity_for(tool),
            is_minor=tool.framework is not None and is_left_out(tool.function),
        )

    def _severity_for(self, tool: ToolDefinition) -> Severity:
        if tool.framework is None:
            return self.severity
        is_pretended = tool.function is not None and (is_mock(tool.function) or is_exercise(tool.function))
        return "info" if is_pretended else self.severity_in(tool.location and tool.location.file)

    def check_pipeline(self, pipeline: PipelineFile) -> Iterator[Problem]:
        root = pipeline.root
        is_agent = "agent" in pipeline.data
        if root is None or not (is_agent or "steps" in root.entries) or _is_described(pipeline.data):
            return
        kind = "agent" if is_agent else "pipeline"
        message = f"{kind} '{pipeline.data.get('name') or Path(pipeline.file).stem}' has no description"
        place = (root.get("name") or next(iter(root.entries.values())).key).location
        yield self.problem(message, place, hint="write 'description: …': what it does and when to use it")


def _is_described(data: Mapping[str, Any]) -> bool:
    """Whether there is a description, or a misspelled key for one, which is reported separately."""
    if "description" in data:
        return bool(str(data["description"] or "").strip())
    return bool(nearest("description", data))

"""TK204: a parameter without a description."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from toolkit.codes import MISSING_PARAMETER_DESCRIPTION
from toolkit.lint.clues.parameter_evidence import evidence_for
from toolkit.lint.clues.unclear_parameters import is_unclear
from toolkit.lint.definitions.tool_definitions import ParameterDefinition, ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.lint.rules.docstring_parameter_mismatch import renamed_parameters
from toolkit.problems import Problem, Severity
from toolkit.tools.foreign.source_marks import Terms

_MESSAGE = re.compile(r"parameter (?P<name>'[^']+') of (?P<tool>'[^']+') has no description")
_SAYS_ENOUGH = re.compile(
    r"\w+(?:_ids?|Ids?|_uu?id|Uid|_name|Name|_email|_url|Url|_path|_filename)|limit|offset|page|page_size|pageSize|per_page"
)
"""Names such as `note_id` and `page_size`, to which a description seldom adds anything."""
_SCHEMAS = {"args_schema", "inputSchema", "input_schema", "parameters", "schema"}
_MOST_REASONS = 3
_EXPLAINED = r"(?: ?[(（][^()（）\n]{1,40}[)）])? ?(?: [-–—] |:\s|：)"  # noqa: RUF001 - as people write them
"""What follows the name of a parameter in a list of them: `city (str) - …`, `city — …`."""
# LlamaIndex puts the signature before the docstring: it lists every parameter without describing any.
_SIGNATURE = re.compile(r"\A\w+\(.*\)(?: -> .*)?\n")


class MissingParameterDescription(Rule):
    '''A parameter has no description.

    ## Why

    A model chooses arguments by their descriptions. `date: str` alone does not say whether you want `tomorrow`,
    `2026-05-17` or `17.5.26`. Write the description in the docstring, in `Annotated[str, "…"]` or in a `Field`.

    If a framework sends the whole docstring, its `Args:` section counts. So does a mention of the parameter in the
    tool's description: `city` in quotes or backticks, `city: …`, `city (str) - …`, or an unmistakable name such as max_results. A
    description that a framework generates, such as `Parameter city`, does not count. A parameter that the docstring
    describes under another name is reported by `TK205` alone.

    In tools of other frameworks, a finding is recommended only if the code shows what is lost, and its hint says what that is:

    - somebody described the parameter where it is not sent: in a docstring that `description=` replaces or that the
      framework does not read, or in a comment behind the parameter. The text must say more than the name and the
      tool's description do: values, a form, a condition, or an explanation;
    - the code expects certain texts, which it compares with the value, looks up in a table or finds in an `Enum` or a
      `Literal`, and the tool's description names less than half of them;
    - the code reads keys of a `dict`, of those in a list, or of JSON, or looks them up in another object, and the tool's
      description names less than half of them; or the parameter is JSON, or an object of a tool whose code is not known,
      and the tool has no description at all.

    Functions and classes of the project that get the value are read too. Nothing is lost if the body is a mock, if the
    parameter has no effect, or if a long text in the file, such as a prompt, explains the tool.

    The other findings are in the profile `all`. If a tool's parameters without descriptions all have names such as `note_id` or
    `page_size`, which say most of it, they are an `info`. In tools of other frameworks, they are a warning only if a model has
    to guess: one of several fixed values, a unit or a format in a required parameter such as `mode`, `sort_by`, `duration` or
    `date`, if the tool has other parameters or no description; a text that is parsed; and objects, unless they are passed
    on as they are, such as `metadata`. Names such as `city` and `n`, parameters with defaults, those that are only printed or
    returned, and whatever is in a folder of examples are an `info`. Parameters of a tool whose mark has a
    schema in an argument that the framework does not know, such as `input_schema=`, are not reported here.

    Reports for people have one finding for each tool, with the names of all its parameters. `concise`, JSON and SARIF
    have one for each parameter, for editors.

    ## Example

    ```python
    from toolkit import tool


    @tool
    def forecast(city: str, date: str) -> str:
        """Forecast the weather in a city on one of the next ten days.

        Args:
            city: The name of the city, such as `Oslo`.
        """
        return f"sun in {city} on {date}"
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool
    def forecast(city: str, date: str) -> str:
        """Forecast the weather in a city on one of the next ten days.

        Args:
            city: The name of the city, such as `Oslo`.
            date: The day, as `2026-05-17`.
        """
        return f"sun in {city} on {date}"
    ```

    ## Source

    - OpenAI, [Function calling](https://platform.openai.com/docs/guides/function-calling): "Explicitly describe the
      purpose of the function and each parameter (and its format)" (checked 2026-11-21)
    '''

    code = MISSING_PARAMETER_DESCRIPTION

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        if tool.origin == "pipeline" or _has_unknown_schema(tool):
            return
        renamed = frozenset() if tool.function is None else renamed_parameters(tool.function)
        bare = [one for one in tool.parameters if one.name not in renamed and _is_bare(tool, one)]
        for parameter in bare:
            evidence = evidence_for(tool, parameter)
            yield self.problem(
                f"parameter {parameter.name!r} of {tool.name!r} has no description",
                parameter.location or tool.location,
                hint=_hint_for(tool, parameter.name, evidence),
                severity=self._severity_for(tool, parameter, bare, is_loss=evidence is not None),
                is_minor=evidence is None,
            )

    def _severity_for(
        self, tool: ToolDefinition, parameter: ParameterDefinition, bare: list[ParameterDefinition], *, is_loss: bool
    ) -> Severity:
        if not tool.is_by_others:
            is_clear = not is_loss and all(_SAYS_ENOUGH.fullmatch(one.name) for one in bare)
            return "info" if is_clear else self.severity
        if not is_loss and not is_unclear(tool, parameter):
            return "info"
        return self.severity_in(tool.location and tool.location.file)


def _is_bare(tool: ToolDefinition, parameter: ParameterDefinition) -> bool:
    is_elsewhere = isinstance(parameter.schema, dict) and "$ref" in parameter.schema
    return parameter.description == "" and not (is_elsewhere or _mentions(tool.description or "", parameter.name))


def _has_unknown_schema(tool: ToolDefinition) -> bool:
    """Whether the mark has a schema in an argument that the framework does not know: the author describes them there."""
    mark = tool.function.mark if tool.function is not None else None
    registration = tool.function.registered.registration if tool.function and tool.function.registered else None
    if tool.framework is None or registration is None or not isinstance(mark, ast.Call):
        return False
    return any(one.arg in _SCHEMAS and one.arg not in registration.schema for one in mark.keywords)


def joined(problems: Iterable[Problem]) -> list[Problem]:
    """Return the findings with one for each tool, in place of one for each of its parameters."""
    found: list[list[Problem]] = []
    of_tool: dict[tuple[object, ...], list[Problem]] = {}
    for problem in problems:
        matched = _MESSAGE.fullmatch(problem.message) if problem.code == MISSING_PARAMETER_DESCRIPTION else None
        key = matched and (problem.location and problem.location.file, matched["tool"], problem.severity)
        if key is not None and key in of_tool:
            of_tool[key].append(problem)
            continue
        found.append([problem])
        if key is not None:
            of_tool[key] = found[-1]
    return [_as_one(one) for one in found]


def _as_one(problems: list[Problem]) -> Problem:
    first = problems[0]
    if len(problems) == 1:
        return first
    matches = [matched for one in problems if (matched := _MESSAGE.fullmatch(one.message))]
    *most, last = dict.fromkeys(one["name"] for one in matches)
    if not most:
        return first  # of two tools with one name, such as those of two branches
    message = f"parameters {', '.join(most)} and {last} of {matches[0]['tool']} have no descriptions"
    return replace(first, message=message, hint=_hint_for_all([one["name"] for one in matches], problems))


def _hint_for_all(names: list[str], problems: list[Problem]) -> str:
    """Return how to describe several parameters, and what shows for each that its description is missed."""
    hints = [one.hint or "" for one in problems]
    if len(set(hints)) == 1:
        return hints[0]
    how, *_ = hints[0].split("; ")
    reasons: dict[str, list[str]] = {}
    for name, hint in zip(names, hints, strict=True):
        if reason := hint.partition("; ")[2]:
            reasons.setdefault(reason, []).append(name)
    shown = [f"{' and '.join(of[:2])}: {reason}" for reason, of in [*reasons.items()][:_MOST_REASONS]]
    return "; ".join([f"{how}, and likewise for the others", *shown])


def _mentions(description: str, name: str) -> bool:
    """Whether the description of a tool mentions a parameter, and so probably describes it."""
    description = _SIGNATURE.sub("", description)
    word = re.escape(name)
    is_distinctive = "_" in name or re.search(r"[a-z][A-Z]", name) is not None
    pattern = rf"\b{word}\b" if is_distinctive else rf"[`'\"]{word}[`'\"=]|(?<![\w-]){word}(?:=|:\s|{_EXPLAINED})"
    return re.search(pattern, description) is not None


def _hint_for(tool: ToolDefinition, name: str, evidence: str | None) -> str:
    is_lost = tool.framework and not tool.habit and tool.function and name in tool.function.docstring.parameters
    what = evidence or ("what the docstring says about it is not sent" if is_lost else None)
    return "; ".join(filter(None, [_how_to_describe(tool, name), what, tool.habit]))


def _description_in(tool: ToolDefinition, terms: Terms) -> str:
    if tool.function is None or all(one.python is None for one in tool.parameters):
        return terms.member
    written = tool.function.written
    is_overridden = written is not None and written.as_class is not None
    return terms.method if is_overridden and terms.method else terms.parameter


def _how_to_describe(tool: ToolDefinition, name: str) -> str:
    if tool.terms is not None and (tool.function is not None or tool.schema is None):
        return f"write {_description_in(tool, tool.terms).replace('NAME', name)}"
    if tool.function is None:
        return 'add a "description": what it is, and in which format'
    return f"add '{name}: …' under 'Args:' in the docstring, or write Annotated[…, '…']"

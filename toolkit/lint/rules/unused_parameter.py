"""TK401: a parameter that the function never reads."""

import ast
import re
from collections.abc import Iterator

from toolkit.codes import UNUSED_PARAMETER
from toolkit.lint.clues.mocks import does_work, is_fixed
from toolkit.lint.clues.offers import is_left_out
from toolkit.lint.rule import Rule
from toolkit.lint.rules.exposed_context import is_exposed_context
from toolkit.problems import Problem
from toolkit.source_code.python_files import PythonFile
from toolkit.source_code.python_functions import PythonFunction
from toolkit.tools.definition.names import words_of

# These can read every local name of the function.
_SEE_ALL = {"locals", "vars", "eval", "exec", "dir"}


_SEVERAL = 3
_INPUT = re.compile(r"(?:tool_)?input(?:_(?:str|text|data))?|query|dummy|unused|text")
"""The names of the only parameter of a tool that needs none."""
_SAYS_UNUSED = re.compile(
    r"\b(?:unused|not (?:yet |currently )?used|ignored|inject\w*|reserved|deprecated|placeholder|compatib\w+|informational"
    r"|for (?:\w+ )?reference)\b"
    r"|\bfor (?:\w+ )?(?:logging|log traces|tracing|telemetry) (?:purposes? )?only\b|\bonly for (?:logging|logs?|tracing)\b"
    r"|\b(?:ignor(?:iert|ado|ada|ato|ata|é|ée)|nicht verwendet|no se usa|non utilizzat[oa]|non utilisée?|não usad[oa])\b"
    r"|무시|사용되지 않|사용하지 않|忽略|仅用于日志|用于日志|未使用|不使用|無視|使用されません|使われません|игнорируется|не используется",
    re.IGNORECASE,
)
"""That nothing reads a parameter, in the languages of most docstrings."""
_GIVEN_REASONS = {"reason", "comment", "note"}
"""What a model may be asked for, so that it thinks about its call."""
_THINKING = {"think", "thinking", "thought", "thoughts", "reflect", "reflection", "scratchpad"}
"""What tools are called whose arguments a model writes for itself."""
_EXPLAINING = {"description", "explanation", "rationale", "summary", "reasoning", "thought", "thoughts"}


class UnusedParameter(Rule):
    '''A parameter of a tool is never read in its body.

    ## Why

    A model spends tokens to fill it in and believes that it has an effect. Use the parameter in the function, or remove
    it. If it is unused on purpose, begin its name with an underscore, or write `del name`. A function that only returns
    a constant, or only raises, is a placeholder and is not checked.

    If at least three tools of another framework in one file have the parameter, or three functions of the file with the
    tool's function, it is probably a convention of the project, such as an account that a middleware fills in, and the
    finding is an `info`. So it is if the docstring says
    that the parameter is injected, reserved, unused, or only for reference or the log, and if the function is a mock, which only
    returns what is written in it, or a simulation according to its docstring and its body.

    In tools of other frameworks, a finding is recommended, but not essential, and only if the function does something: it
    reads another parameter, or calls something that may have an effect, and no name, comment or text in it says that it
    is a mock, a stub, not implemented or not supported yet, nor the docstring of the module that it has stubs or mock
    data. A `reason` that nobody reads is not recommended, nor a parameter of a tool such as `think`, in which a model
    writes for itself, nor that of a tool that no code of the project names although it names others of the file.

    ## Example

    ```python
    from toolkit import tool


    @tool
    def forecast(city: str, days: int) -> str:
        """Forecast the weather in a city.

        Args:
            city: The name of the city, such as `Oslo`.
            days: For how many days, from 1 to 10.
        """
        return f"sun in {city}"
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool
    def forecast(city: str, days: int) -> str:
        """Forecast the weather in a city.

        Args:
            city: The name of the city, such as `Oslo`.
            days: For how many days, from 1 to 10.
        """
        return f"{days} days of sun in {city}"
    ```

    ## Source

    - Ruff, [unused-function-argument](https://docs.astral.sh/ruff/rules/unused-function-argument/), which skips public
      signatures that others may call by name; only models call those of tools (checked 2026-11-21)
    '''

    code = UNUSED_PARAMETER

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        if function.is_decorated or function.takes_call:
            return  # another decorator sees the arguments too; an overridden method has these parameters
        read = {
            node.id for node in function.nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store)
        }
        if read & _SEE_ALL or _is_placeholder(function, read):
            return
        is_given = function.written is not None and function.written.as_class is not None
        if function.written is not None and function.written.registry and len(function.parameters) == 1:
            return  # the project's registry passes one object to every function
        for parameter in function.parameters:
            if is_given and parameter.default is not None:
                continue  # the overridden class passes it
            if is_exposed_context(function, parameter):
                continue  # reported as an exposed context
            if parameter.name in _EXPLAINING:
                continue  # a model explains its call to those who read the log, or to itself
            if parameter.name not in read and not parameter.name.startswith("_"):
                yield self.problem(
                    f"{function.tool_name!r} never reads its parameter {parameter.name!r}",
                    function.file.location(parameter.node),
                    hint=_hint(function, parameter.name),
                    severity="info" if _is_convention(function, parameter.name) else self.severity,
                    is_minor=parameter.name in _GIVEN_REASONS
                    or not _THINKING.isdisjoint(words_of(function.tool_name or ""))
                    or not does_work(function)
                    or is_left_out(function),
                )


def _is_convention(function: PythonFunction, name: str) -> bool:
    """Whether several functions of a file have a parameter like that of a tool, or it is said to be unused."""
    if function.written is None or not isinstance(function.file, PythonFile):
        return False
    if _SAYS_UNUSED.search(function.docstring.parameters.get(name, "")) or _is_told_unused(function, name):
        return True
    if len(function.parameters) == 1 and _INPUT.fullmatch(name):
        return True  # agents that write their calls as text always give one
    here = function.file.framework_functions.values()
    others = here if function in here else function.file.functions
    return sum(any(one.name == name for one in other.parameters) for other in others) >= _SEVERAL


def _is_told_unused(function: PythonFunction, name: str) -> bool:
    """Whether a sentence of the docstring says that a parameter is unused: "order and unit are accepted but ignored"."""
    sentences = re.split(r"(?<=[.;:!?。])\s|\n\s*\n", ast.get_docstring(function.node) or "")
    named = re.compile(rf"\b{re.escape(name)}\b")
    places = ((one, found) for one in sentences if (found := named.search(one)) is not None)
    return any(_SAYS_UNUSED.search(one, found.end()) for one, found in places)


def _is_placeholder(function: PythonFunction, read: set[str]) -> bool:
    """Whether a function is still to be written: it does nothing, only raises, or returns a constant."""
    match function.body:
        case [ast.Return(value=value)]:
            return value is None or is_fixed(value)
        case [ast.Raise()]:
            return not any(parameter.name in read for parameter in function.parameters)
    return function.is_stub


def _hint(function: PythonFunction, name: str) -> str:
    """Return the hint; frameworks refuse names that begin with an underscore, or send them to the model."""
    return f"use it, remove it, or call it '_{name}'" if function.written is None else "use it, or remove it"

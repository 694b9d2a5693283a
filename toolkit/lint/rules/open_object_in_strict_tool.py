"""TK705: a strict tool has a parameter that is an open dictionary."""

import ast
from collections.abc import Iterator

from toolkit.codes import OPEN_OBJECT_IN_STRICT_TOOL
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_functions import PythonFunction

_OPEN = {"dict", "typing.Dict", "typing.Mapping", "collections.abc.Mapping"}


class OpenObjectInStrictTool(Rule):
    '''A strict tool has a parameter that is an open dictionary.

    ## Why

    Strict schemas do not allow objects with arbitrary keys. The decorator raises an error, so importing the module
    fails.

    ## Example

    ```python
    from agents import function_tool


    @function_tool
    def save(settings: dict[str, str]) -> str:
        """Save the settings of the user.

        Args:
            settings: The values, by their names.
        """
        return str(settings)
    ```

    ## Instead

    ```python
    from agents import function_tool


    @function_tool(strict_mode=False)
    def save(settings: dict[str, str]) -> str:
        """Save the settings of the user.

        Args:
            settings: The values, by their names.
        """
        return str(settings)
    ```

    ## Source

    - openai-agents 0.24.0, `agents/strict_schema.py`: "additionalProperties should not be set for object types" (checked 2026-11-22)
    '''

    code = OPEN_OBJECT_IN_STRICT_TOOL
    severity = "error"

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        for parameter in function.parameters if function.is_strict else ():
            annotation = parameter.node.annotation
            names = (one for one in ast.walk(annotation) if isinstance(one, ast.Name)) if annotation else ()
            if any(function.file.meaning(one) in _OPEN for one in names):
                message = f"parameter {parameter.name!r} is a dictionary, which strict tools do not allow"
                hint = "declare its keys in a pydantic model, or turn off strict mode"
                yield self.problem(message, function.file.location(parameter.node), hint=hint)

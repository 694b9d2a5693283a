"""Limits the work of an evaluation to a budget of steps."""

from collections.abc import Mapping
from typing import Any, assert_never

from toolkit.pipelines.expressions.failures import Unfit
from toolkit.pipelines.expressions.functions import Function
from toolkit.pipelines.expressions.json_values import CHARACTERS_PER_UNIT, size_of

MAX_WORK = 1_000_000
"""Maximum steps of one evaluation: one for each node visited, each item processed and every 16 characters."""

CHARACTERS_READ_PER_UNIT = 256
VALUES_COMPARED_PER_UNIT = 16


class Spender:
    """Counts the steps of an evaluation."""

    work_left = MAX_WORK

    def spend(self, work: int) -> None:
        """Count some steps, and raise an error if the budget is exceeded."""
        self.work_left -= work
        if self.work_left < 0:
            raise Unfit("the expression takes too many steps", hint="use a tool for that much data")

    def spend_on(self, value: Any) -> None:
        """Count the creation of a string, list or mapping."""
        if isinstance(value, str):
            self.spend(len(value) // CHARACTERS_PER_UNIT)
        elif isinstance(value, (list, tuple, Mapping)):
            self.spend(len(value))

    def spend_on_comparing(self, left: Any, right: Any) -> None:
        """Count the comparison `left == right` or `left in right`."""
        if isinstance(left, str) and isinstance(right, str):
            self.spend(max(len(left), len(right)) // CHARACTERS_READ_PER_UNIT)
        elif isinstance(left, (list, tuple, Mapping)):
            self.spend((size_of(left) + size_of(right)) // VALUES_COMPARED_PER_UNIT)
        elif isinstance(right, (list, tuple)):
            each = 1 + len(left) // CHARACTERS_READ_PER_UNIT if isinstance(left, str) else 1
            self.spend(len(right) * each // VALUES_COMPARED_PER_UNIT)

    def spend_on_arguments(self, function: Function, arguments: list[Any]) -> None:
        """Count the work of a function before it is called."""
        match function.cost:
            case "constant":
                pass
            case "reads":
                self.spend(sum(len(one) for one in arguments if isinstance(one, str)) // CHARACTERS_READ_PER_UNIT)
            case "makes":
                for argument in arguments:
                    self.spend_on(argument)
            case "walks":
                self.spend(sum(map(size_of, arguments)))
            case "searches":
                self.spend_on_comparing(arguments[-1], arguments[0])
            case _:
                assert_never(function.cost)

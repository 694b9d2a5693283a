"""Step budget: each step of an evaluation is paid for out of a bounded budget."""

from collections.abc import Mapping
from typing import Any, assert_never

from toolkit.pipelines.expressions.failures import Unfit
from toolkit.pipelines.expressions.functions import Function
from toolkit.pipelines.expressions.json_values import CHARACTERS_PER_UNIT, size_of

MAX_WORK = 1_000_000
"""Steps of one evaluation: nodes visited, items looked at, and one for every 16 characters."""

CHARACTERS_READ_PER_UNIT = 256
VALUES_COMPARED_PER_UNIT = 16


class Spender:
    """Counts the work on data that may be large."""

    work_left = MAX_WORK

    def spend(self, work: int) -> None:
        """Pay for work, and give up when it becomes too much."""
        self.work_left -= work
        if self.work_left < 0:
            raise Unfit("the expression takes too many steps", hint="use a tool for that much data")

    def spend_on(self, value: Any) -> None:
        """Pay for a new text or a copy of a list."""
        if isinstance(value, str):
            self.spend(len(value) // CHARACTERS_PER_UNIT)
        elif isinstance(value, (list, tuple, Mapping)):
            self.spend(len(value))

    def spend_on_comparing(self, left: Any, right: Any) -> None:
        """Pay for `left == right` or `left in right`: what two values have in common is looked at, and no more."""
        if isinstance(left, str) and isinstance(right, str):
            self.spend(max(len(left), len(right)) // CHARACTERS_READ_PER_UNIT)
        elif isinstance(left, (list, tuple, Mapping)):
            self.spend((size_of(left) + size_of(right)) // VALUES_COMPARED_PER_UNIT)
        elif isinstance(right, (list, tuple)):
            each = 1 + len(left) // CHARACTERS_READ_PER_UNIT if isinstance(left, str) else 1
            self.spend(len(right) * each // VALUES_COMPARED_PER_UNIT)

    def spend_on_arguments(self, function: Function, arguments: list[Any]) -> None:
        """Pay beforehand for what a function does with its arguments."""
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

"""Programs: the nodes of an expression become instructions, which `matching` follows."""

from collections.abc import Iterator
from typing import NamedTuple

from toolkit.builtin.expressions.nodes import Characters, Choice, Look, Node, Repeat, Sequence, TooLargeError
from toolkit.builtin.expressions.reading import read_expression

_MAX_PROGRAM = 5_000
_MAX_PARTS = 20_000


class Split(NamedTuple):
    """An instruction: go on at either place, the first before the second."""

    first: int
    second: int


class Step(NamedTuple):
    """An instruction: take one character, or look at a place, and go on with the next instruction."""

    what: Characters | Look


class Program(NamedTuple):
    """An expression as instructions; behind the last, it has matched.

    Attributes:
        instructions: What to do.
        needed: A text that is in whatever matches; without its case if `folded`.
        folded: Whether upper and lower case are the same.
    """

    instructions: tuple[Split | Step, ...]
    needed: str
    folded: bool


def compile_expression(expression: str, *, ignore_case: bool = False) -> Program:
    """Return the program of an expression.

    Raises:
        MalformedExpressionError: Naming what is wrong and the cure.
    """
    folded = ignore_case or expression.startswith("(?i)")
    node = read_expression(expression.removeprefix("(?i)"), folded=folded)
    compiler = _Compiler()
    compiler.add(node)
    needed = max(_runs(node), key=len, default="")
    return Program(tuple(compiler.instructions), needed.casefold() if folded else needed, folded)


class _Compiler:
    """Writes the instructions of nodes one behind the other."""

    def __init__(self) -> None:
        self.instructions: list[Split | Step] = []
        self.added = 0

    def add(self, node: Node) -> None:
        self.added += 1  # parts that write nothing count too, since repeats of them multiply
        if self.added > _MAX_PARTS:
            raise _too_large()
        match node:
            case Characters() | Look():
                self.write(Step(node))
            case Sequence(parts):
                for part in parts:
                    self.add(part)
            case Choice(parts):
                self.add_choice(parts)
            case Repeat():
                self.add_repeat(node)

    def add_choice(self, parts: tuple[Node, ...]) -> None:
        *others, last = parts
        ends: list[int] = []
        for part in others:
            split = self.write(Split(0, 0))
            self.add(part)
            ends.append(self.write(Split(0, 0)))
            self.instructions[split] = Split(split + 1, len(self.instructions))
        self.add(last)
        for end in ends:
            self.instructions[end] = Split(len(self.instructions), len(self.instructions))

    def add_repeat(self, node: Repeat) -> None:
        for _ in range(node.least):
            self.add(node.part)
        if node.most is None:
            split = self.write(Split(0, 0))
            self.add(node.part)
            self.write(Split(split, split))
            self.instructions[split] = _either(split + 1, len(self.instructions), lazy=node.lazy)
            return
        splits: list[int] = []
        for _ in range(node.most - node.least):
            splits.append(self.write(Split(0, 0)))
            self.add(node.part)
        for split in splits:
            self.instructions[split] = _either(split + 1, len(self.instructions), lazy=node.lazy)

    def write(self, instruction: Split | Step) -> int:
        if len(self.instructions) >= _MAX_PROGRAM:
            raise _too_large()
        self.instructions.append(instruction)
        return len(self.instructions) - 1


def _too_large() -> TooLargeError:
    return TooLargeError("its repeats make it too large")


def _either(first: int, second: int, *, lazy: bool) -> Split:
    return Split(second, first) if lazy else Split(first, second)


def _runs(node: Node) -> Iterator[str]:
    """Yield texts that are in whatever a node matches."""
    run = ""
    for part in _flat(node):
        if isinstance(part, Characters) and part.only:
            run += part.only
            continue
        yield run
        run = ""
        if isinstance(part, Repeat) and part.least:
            yield from _runs(part.part)
    yield run


def _flat(node: Node) -> Iterator[Node]:
    if isinstance(node, Sequence):
        for part in node.parts:
            yield from _flat(part)
    else:
        yield node

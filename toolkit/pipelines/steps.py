"""Reads the definitions of steps from the nodes of a document."""

from typing import Any, Final, NamedTuple

from toolkit.codes import DUPLICATE_KEY
from toolkit.documents.node_keys import NodeSpot, read_mapping, spot_of
from toolkit.documents.nodes import Mapping, Node, Scalar, Sequence, Word
from toolkit.pipelines.step_definitions import (
    MAX_NESTING,
    MAX_STEPS,
    Action,
    Ask,
    Branches,
    Compute,
    Each,
    Retry,
    StepDefinition,
    Use,
)
from toolkit.pipelines.step_keys import ARGUMENTS, BESIDE, EACH_KEYS, KINDS, STEP, STEP_KEYS
from toolkit.pipelines.templated_data import OPENING
from toolkit.problems import Location, Problem, nearest

SHORT_FORMS: Final = f"write a tool's name, 'tool_name: {{arguments}}', or the keys {', '.join(KINDS)} or approve"


class StepDefaults(NamedTuple):
    """The defaults of steps that call a tool."""

    timeout: float | None = None
    retry: Retry | None = None
    max_parallel: int = 1


class StepReader:
    """Reads steps, counts them and collects their ids."""

    def __init__(self, problems: list[Problem], defaults: StepDefaults) -> None:
        self.count = 0
        self.beyond: Node | None = None
        self._spot = spot_of(Sequence((), Location("")), "a step", problems)
        self._ids: list[Word] = []
        self._defaults = defaults
        self._depth = 0

    def duplicates(self) -> list[Problem]:
        """Return a problem for every duplicate id."""
        first: dict[str, Word] = {}
        problems = []
        for word in self._ids:
            there = first.setdefault(word.text, word)
            if there is not word:
                message, related = f"duplicate step id {word.text!r}", ((there.location, "first defined here"),)
                problems.append(Problem(DUPLICATE_KEY, message, word.location, hint="choose another", related=related))
        return problems

    def read_all(self, nodes: Sequence) -> tuple[StepDefinition, ...]:
        """Return the valid steps of a list."""
        steps = (self.read(node) for node in nodes.items)
        return tuple(step for step in steps if step is not None)

    def read(self, node: Node) -> StepDefinition | None:
        """Return the step that a node describes, or report what is wrong with it and return `None`."""
        self.count += 1
        if self.count == MAX_STEPS + 1:
            self.beyond = node
        spot = self._spot._replace(node=node)
        match node:
            case Scalar(value=str()) if node.text.strip():
                return self._of_name(spot)
            case Mapping() if node.entries:
                is_short = len(node.entries) == 1 and not _has_step_key(node)
                return self._of_arguments(spot.inner[0], node) if is_short else self._of_keys(spot, node)
            case _:
                spot.wrong("a tool's name or a mapping", SHORT_FORMS)
                return None

    def _of_name(self, spot: NodeSpot) -> StepDefinition | None:
        if OPENING in spot.text:
            spot.report("a step is not an expression", f"write 'set: {spot.text}' to compute a value")
            return None
        return self._with_defaults(Use(Word(spot.text.strip(), spot.location)), spot.at)

    def _of_arguments(self, spot: NodeSpot, step: Node) -> StepDefinition | None:
        tool = spot.name_word
        arguments = spot._replace(words=f"the arguments of {tool.text!r}")
        is_mapping = isinstance(spot.node, Mapping) or spot.is_nothing
        if not is_mapping and (near := nearest(tool.text, STEP_KEYS, most=1)):
            arguments.wrong("a mapping", f"write {{name: value}}, or did you mean the key {near[0]!r}?")
            return None
        return self._with_defaults(Use(tool, ARGUMENTS.read_or_report(spot.written, arguments)), step)

    def _with_defaults(self, use: Use, node: Node) -> StepDefinition:
        usual = self._defaults
        return StepDefinition(use.tool.location, use, retry=usual.retry, timeout=usual.timeout, node=node)

    # ------------------------------------------------------------------------------------------------ the long form

    def _of_keys(self, spot: NodeSpot, node: Mapping) -> StepDefinition | None:
        values = read_mapping(spot, STEP, advice=_how_to_call) or {}
        if "id" in values:
            self._ids.append(values["id"])
        kind = _kind(spot, node)
        if kind is None:
            return None
        _check_company(spot, node, kind)
        action = self._action(kind, values)
        return None if action is None else self._definition(spot, node, action, values)

    def _action(self, kind: str, values: dict[str, Any]) -> Action | None:
        own = {name: values.pop(name, None) for name in (*KINDS, "with", "pipe")}
        match kind:
            case "use":
                return None if own["use"] is None else Use(own["use"], own["with"], own["pipe"])
            case "set":
                return Compute(own["set"])
            case "parallel":
                return None if own["parallel"] is None else self._branches(own["parallel"])
            case _:
                return Ask()

    def _branches(self, spot: NodeSpot) -> Branches | None:
        if not spot.inner:
            spot.report("'parallel' needs at least one branch")
        if self._depth >= MAX_NESTING:
            hint = "move the inner branches to another pipeline"
            spot.report(f"branches are nested at most {MAX_NESTING} deep", hint)
            return None
        self._depth += 1
        found = {one.path[-1]: self._branch(one) for one in spot.inner}
        self._depth -= 1
        return Branches(found)

    def _branch(self, spot: NodeSpot) -> tuple[Word, tuple[StepDefinition, ...]]:
        word = spot.name_word
        if isinstance(spot.node, Sequence):
            if not spot.node.items:
                spot.report(f"the branch {word.text!r} needs at least one step")
            return word, self.read_all(spot.node)
        step = self.read(spot.at)
        return word, () if step is None else (step,)

    def _definition(self, spot: NodeSpot, node: Mapping, action: Action, values: dict[str, Any]) -> StepDefinition:
        items, max_parallel, on_item_error = (values.pop(name, None) for name in ("items", *EACH_KEYS))
        each = None
        if items is not None:
            most = max_parallel or (1 if "max_parallel" in node.entries else self._defaults.max_parallel)
            each = Each(items, spot.below("for_each").location, most, skips_failed=on_item_error == "skip")
        usual = self._defaults if isinstance(action, Use) else StepDefaults()
        adapt = node.entries.get("adapt")
        return StepDefinition(
            location=node.location,
            action=action,
            each=each,
            adapter_location=None if adapt is None else adapt.key.location,
            node=node,
            **{"retry": usual.retry, "timeout": usual.timeout} | values,
        )


def _has_step_key(node: Mapping) -> bool:
    """Return whether the first key is one of a step, or one of another format that has a text: `run: price`."""
    name, entry = next(iter(node.entries.items()))
    return name in STEP_KEYS or (
        name in _MEANT and isinstance(entry.value, Scalar) and isinstance(entry.value.value, str)
    )


_MEANT: Final = {
    "name": "id",
    "run": "use",
    "tool": "use",
    "uses": "use",
    "if": "when",
    "args": "with",
    "foreach": "for_each",
}
"""Keys of other formats, and the ones that mean the same here."""


def _how_to_call(name: str) -> str:
    if name in _MEANT:
        return f"did you mean {_MEANT[name]!r}?"
    near = nearest(name, STEP_KEYS, most=1)
    return f"did you mean {near[0]!r}?" if near else f"to call a tool with that name, write 'use: {name}'"


def _kind(spot: NodeSpot, node: Mapping) -> str | None:
    """Return the key that makes it a step of its kind, or report that there is none, or more than one."""
    kinds = [name for name in node.entries if name in KINDS]
    if not kinds and "approve" in node.entries:
        return "approve"
    if not kinds:
        if not any(nearest(name, KINDS, most=1) for name in node.entries if name not in STEP_KEYS):
            spot.report(f"a step needs one of {', '.join(map(repr, KINDS))} or 'approve'")
        return None
    for other in kinds[1:]:
        message = f"a step has either {kinds[0]!r} or {other!r}, not both"
        spot.below(other).report_key(message, "split it into two steps")
    return kinds[0]


def _check_company(spot: NodeSpot, node: Mapping, kind: str) -> None:
    for name in node.entries:
        if name in STEP_KEYS and name not in KINDS and name not in BESIDE[kind]:
            hint = f"remove it; {kind!r} can be combined with {', '.join(sorted(BESIDE[kind] - {kind}))}"
            spot.below(name).report_key(f"{name!r} cannot be combined with {kind!r}", hint)
        elif name in EACH_KEYS and "for_each" not in node.entries:
            hint = "add 'for_each' with a list, or remove it"
            spot.below(name).report_key(f"{name!r} can only be used with 'for_each'", hint)

"""Reads the definitions of steps from the nodes of a document."""

from typing import NamedTuple

from toolkit import documents
from toolkit.codes import DUPLICATE_KEY, UNKNOWN_KEY
from toolkit.documents import Node, Scalar
from toolkit.documents.shapes import Word
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
from toolkit.pipelines.step_keys import BESIDE, EACH_KEYS, KINDS, STEP_KEYS, STEP_ROWS, KeyReader, read_rows
from toolkit.pipelines.templated_data import OPENING, MappingValue, Value, read_mapping, read_value
from toolkit.problems import Location, Problem, fix_spelling, nearest

SHORT_FORMS = "write a tool's name, 'tool_name: {arguments}', or the keys use, set, parallel or approve"


class StepDefaults(NamedTuple):
    """The defaults of steps that call a tool."""

    timeout: float | None = None
    retry: Retry | None = None
    max_parallel: int = 1


class StepReader(KeyReader):
    """Reads steps, counts them and collects their ids."""

    def __init__(self, problems: list[Problem], defaults: StepDefaults) -> None:
        super().__init__(problems)
        self.count = 0
        self.beyond: Location | None = None
        self._defaults = defaults
        self._depth = 0

    def duplicates(self) -> list[Problem]:
        """Return a problem for every duplicate id."""
        first: dict[str, Location] = {}
        problems = []
        for word in self.ids:
            there = first.setdefault(word.text, word.location)
            if there is not word.location:
                message, related = f"duplicate step id {word.text!r}", ((there, "first defined here"),)
                problems.append(Problem(DUPLICATE_KEY, message, word.location, hint="choose another", related=related))
        return problems

    def read_all(self, nodes: documents.Sequence) -> tuple[StepDefinition, ...]:
        """Return the valid steps of a list."""
        steps = (self.read(node) for node in nodes.items)
        return tuple(step for step in steps if step is not None)

    def read(self, node: Node) -> StepDefinition | None:
        """Return the step that a node describes, or report what is wrong with it and return `None`."""
        self.count += 1
        if self.count == MAX_STEPS + 1:
            self.beyond = node.location
        match node:
            case Scalar(value=str()) if node.text.strip():
                return self._of_name(node)
            case documents.Mapping() if node.entries:
                if not self._is_short(node):
                    return self._of_keys(node)
                [(name, entry)] = node.entries.items()
                return self._of_arguments(node, name, entry)
            case _:
                self._expected(node, "a step", "a tool's name or a mapping", SHORT_FORMS)
                return None

    def _is_short(self, node: documents.Mapping) -> bool:
        return len(node.entries) == 1 and next(iter(node.entries)) not in STEP_KEYS

    def _of_name(self, node: Scalar) -> StepDefinition | None:
        if OPENING in node.text:
            self.report(
                node.location, "a step is not an expression", hint=f"write 'set: {node.text}' to compute a value"
            )
            return None
        return self._with_defaults(node.location, Use(Word(node.text.strip(), node.location)), node)

    def _of_arguments(self, node: documents.Mapping, name: str, entry: documents.Entry) -> StepDefinition | None:
        place = entry.key.location
        is_nothing = isinstance(entry.value, Scalar) and entry.value.value is None
        near = nearest(name, STEP_KEYS, most=1)
        if near and not is_nothing and not isinstance(entry.value, documents.Mapping):
            what, hint = f"the arguments of {name!r}", f"write {{name: value}}, or did you mean the key {near[0]!r}?"
            self._expected(entry.value, what, "a mapping", hint)
            return None
        use = Use(Word(name, place), self._arguments(entry.value, f"the arguments of {name!r}"))
        return self._with_defaults(place, use, node)

    def _with_defaults(self, place: Location, use: Use, node: Node) -> StepDefinition:
        return StepDefinition(place, use, retry=self._defaults.retry, timeout=self._defaults.timeout, node=node)

    # ------------------------------------------------------------------------------------------------ the long form

    def _of_keys(self, node: documents.Mapping) -> StepDefinition | None:
        self._check_step_keys(node)
        kind = self._kind(node)
        if kind is None:
            return None
        self._check_company(node, kind)
        action = self._action(node, kind)
        return None if action is None else self._definition(node, action)

    def _check_step_keys(self, node: documents.Mapping) -> None:
        for name, entry in node.entries.items():
            if name in STEP_KEYS:
                continue
            near = nearest(name, STEP_KEYS, most=1)
            hint = f"did you mean {near[0]!r}?" if near else f"to call a tool with that name, write 'use: {name}'"
            place, message = entry.key.location, f"unknown key {name!r} in a step"
            free = [key for key in near if key not in node.entries]
            self.problems.append(Problem(UNKNOWN_KEY, message, place, hint=hint, fix=fix_spelling(name, free, place)))

    def _kind(self, node: documents.Mapping) -> str | None:
        kinds = [name for name in node.entries if name in KINDS]
        if not kinds and "approve" in node.entries:
            return "approve"
        if not kinds:
            if not any(nearest(name, KINDS, most=1) for name in node.entries if name not in STEP_KEYS):
                self.report(node.location, "a step needs one of 'use', 'set', 'parallel' or 'approve'")
            return None
        for other in kinds[1:]:
            place = node.entries[other].key.location
            self.report(place, f"a step has either {kinds[0]!r} or {other!r}, not both", hint="split it into two steps")
        return kinds[0]

    def _check_company(self, node: documents.Mapping, kind: str) -> None:
        for name, entry in node.entries.items():
            if name in STEP_KEYS and name not in KINDS and name not in BESIDE[kind]:
                hint = f"remove it; {kind!r} can be combined with {', '.join(sorted(BESIDE[kind] - {kind}))}"
                self.report(entry.key.location, f"{name!r} cannot be combined with {kind!r}", hint=hint)
            elif name in EACH_KEYS and "for_each" not in node.entries:
                hint = "add 'for_each' with a list, or remove it"
                self.report(entry.key.location, f"{name!r} can only be used with 'for_each'", hint=hint)

    def _action(self, node: documents.Mapping, kind: str) -> Action | None:
        match kind:
            case "use":
                return self._use(node)
            case "set":
                return Compute(read_value(node.entries["set"].value, self.problems))
            case "parallel":
                return self._branches(node.entries["parallel"].value)
            case _:
                return Ask()

    def _use(self, node: documents.Mapping) -> Use | None:
        target = node.entries["use"].value
        name = self.text(target, "'use'")
        arguments = node.get("with")
        pipe = node.get("pipe")
        piped = None if pipe is None else self.text(pipe, "'pipe'")
        given = None if arguments is None else self._arguments(arguments, "'with'")
        if name is None:
            return None
        if OPENING in name:
            hint = "tools are resolved before the run; use 'when' to choose between steps"
            self.report(target.location, "'use' takes a tool's name, not an expression", hint=hint)
            return None
        word = Word(name.strip(), target.location)
        return Use(word, given, None if piped is None or pipe is None else Word(piped, pipe.location))

    def _arguments(self, node: Node, what: str) -> MappingValue | None:
        if isinstance(node, Scalar) and node.value is None:
            return None
        arguments = self.mapping(node, what, "{name: value}")
        return None if arguments is None else read_mapping(arguments, self.problems)

    def _branches(self, node: Node) -> Branches | None:
        branches = self.mapping(node, "'parallel'", "a name for each branch and its steps below it")
        if branches is None:
            return None
        if not branches.entries:
            self.report(node.location, "'parallel' needs at least one branch")
        if self._depth >= MAX_NESTING:
            self.report(
                node.location,
                f"branches are nested at most {MAX_NESTING} deep",
                hint="move the inner branches to another pipeline",
            )
            return None
        self._depth += 1
        found = {name: self._branch(entry) for name, entry in branches.entries.items()}
        self._depth -= 1
        return Branches(found)

    def _branch(self, entry: documents.Entry) -> tuple[Word, tuple[StepDefinition, ...]]:
        word = Word(entry.key.text, entry.key.location)
        if isinstance(entry.value, documents.Sequence):
            if not entry.value.items:
                self.report(entry.value.location, f"the branch {word.text!r} needs at least one step")
            return word, self.read_all(entry.value)
        step = self.read(entry.value)
        return word, () if step is None else (step,)

    def _definition(self, node: documents.Mapping, action: Action) -> StepDefinition:
        values = read_rows(self, node, STEP_ROWS)
        each = self._each(node, values.pop("items", None), *(values.pop(name, None) for name in EACH_KEYS))
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

    def _each(
        self, node: documents.Mapping, items: Value | None, max_parallel: int | None, on_item_error: str | None
    ) -> Each | None:
        if items is None:
            return None
        usual = 1 if "max_parallel" in node.entries else self._defaults.max_parallel
        place = node.entries["for_each"].value.location
        return Each(items, place, max_parallel or usual, skips_failed=on_item_error == "skip")

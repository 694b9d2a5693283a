"""Reads which tools can be called when: the locks of a playbook and the states of a state machine."""

from toolkit.agents.files.definitions import LockDefinition, StateDefinition, Transition
from toolkit.agents.playbooks import After, Lock, after, after_any, all_of, any_of, known, produced
from toolkit.documents import nodes
from toolkit.documents.nodes import Node, Scalar
from toolkit.documents.shapes import ShapeReader, Word

LOCK_KEYS = ("all", "any", "artifact", "blackboard")
_LOCK = "a tool's name, a list of them, or one of {all: […]}, {any: […]}, {artifact: TYPE}, {blackboard: NAME}"


class FlowReader(ShapeReader):
    """Reads the values of `locks` and `states`."""

    def locks(self, node: Node) -> tuple[LockDefinition, ...]:
        """Read the locks of a playbook by tool name."""
        locks = self.mapping(node, "'locks'", "{report: search}")
        return () if locks is None else tuple(self._lock_of(entry) for entry in locks.entries.values())

    def states(self, node: Node) -> tuple[StateDefinition, ...]:
        """Read the states of a state machine, with their tools and the states that these lead to."""
        states = self.mapping(node, "'states'", "{draft: {send: sent}, sent: {}}")
        if states is not None and not states.entries:
            self.report(node.location, "a state machine needs at least one state")
        return () if states is None else tuple(self._state(entry) for entry in states.entries.values())

    # ---------------------------------------------------------------------------------------------------------- locks

    def _lock_of(self, entry: nodes.Entry) -> LockDefinition:
        waits_for: list[Word] = []
        tool = Word(entry.key.text, entry.key.location)
        lock = self._lock(entry.value, f"the lock of {tool.text!r}", waits_for)
        return LockDefinition(tool, lock, tuple(waits_for))

    def _lock(self, node: Node, what: str, waits_for: list[Word]) -> Lock | None:
        if isinstance(node, nodes.Mapping) and len(node.entries) == 1:
            [(key, entry)] = node.entries.items()
            self.check_keys(node, what, LOCK_KEYS)
            if key in ("all", "any"):
                return self._several(entry.value, what, waits_for, wants_all=key == "all")
            text = self.text(entry.value, f"'{key}'") if key in LOCK_KEYS else None
            return None if text is None else (produced if key == "artifact" else known)(text)
        if isinstance(node, nodes.Sequence) and node.items:
            return self._several(node, what, waits_for, wants_all=True)
        if isinstance(node, Scalar) and isinstance(node.value, str) and node.value.strip():
            waits_for.append(Word(node.value, node.location))
            return after(node.value)
        self._expected(node, what, _LOCK)
        return None

    def _several(self, node: Node, what: str, waits_for: list[Word], *, wants_all: bool) -> Lock | None:
        """Read a list of locks. If it has only tool names, they become one lock, whose messages are simpler."""
        items = self.sequence(node, what)
        if items is None:
            return None
        if not items.items:
            self.report(node.location, f"{what} waits for nothing", hint="remove it, or name what it waits for")
            return None
        locks = [self._lock(item, what, waits_for) for item in items.items]
        good = [lock for lock in locks if lock is not None]
        if len(good) < len(locks):
            return None
        names = [name for lock in good if isinstance(lock, After) for name in lock.names]
        if len(names) == len(good):
            return (after if wants_all else after_any)(*names)
        return (all_of if wants_all else any_of)(*good)

    # --------------------------------------------------------------------------------------------------------- states

    def _state(self, entry: nodes.Entry) -> StateDefinition:
        name, node = Word(entry.key.text, entry.key.location), entry.value
        match node:
            case Scalar(value=None):
                return StateDefinition(name)
            case nodes.Mapping():
                return StateDefinition(name, tuple(self._transition(one) for one in node.entries.values()))
            case nodes.Sequence():
                return StateDefinition(
                    name, tuple(Transition(tool) for tool in self.names(node, f"a tool of the state {name.text!r}"))
                )
        expected = "a list of tools, or a mapping of them with the states that they lead to"
        self._expected(node, f"the state {name.text!r}", expected)
        return StateDefinition(name)

    def _transition(self, entry: nodes.Entry) -> Transition:
        tool, node = Word(entry.key.text, entry.key.location), entry.value
        if isinstance(node, Scalar) and node.value is None:
            return Transition(tool)
        to = self.text(node, f"the state that {tool.text!r} leads to")
        return Transition(tool, None if to is None else Word(to, node.location))

"""Reads an agent's definition from a document and reports all mistakes of form together."""

from pathlib import Path
from typing import Any

from toolkit.agents.files.agent_keys import (
    COMMON_KEYS,
    ELSEWHERE,
    KIND_KEYS,
    KINDS,
    LIMITS,
    MOST_TURNS,
    REFERENCE_KEYS,
    AgentDefinition,
    FlowReader,
    KindName,
    ReferenceDefinition,
    Text,
)
from toolkit.agents.loop import Limits
from toolkit.codes import UNKNOWN_KEY
from toolkit.documents import nodes
from toolkit.documents.document_reader import read_text
from toolkit.documents.nodes import Node, Scalar
from toolkit.documents.shapes import Word
from toolkit.errors import ConfigurationError
from toolkit.problems import Problem
from toolkit.runs.records import Budget
from toolkit.tools.heads import HeadReader


def read_definition(root: nodes.Mapping, folder: Path, problems: list[Problem]) -> AgentDefinition:
    """Read as much as possible of the definition in a document.

    Args:
        root: The document, which has the key `agent`.
        folder: The folder of the project. Text files outside of it are not read.
        problems: The list to which all problems are added. A definition with errors must not be run, but it can be
            checked further, so that the problems of both stages are reported together.
    """
    return _Reader(root, folder, problems).definition()


class _Reader(HeadReader):
    def __init__(self, root: nodes.Mapping, folder: Path, problems: list[Problem]) -> None:
        super().__init__(problems)
        self._root = root
        self._folder = folder

    def definition(self) -> AgentDefinition:
        root = self._root
        chosen = self._kind()
        self._check_keys(chosen)
        kind = chosen or "simple"
        self.check_version(root)
        return AgentDefinition(
            kind=kind,
            name=self.name(root, "agent"),
            description=self.description(root),
            location=root.location,
            model=self._model(),
            instructions=self._instructions_text(root, "instructions"),
            prompt=self._prompt(),
            tools=self._targets(self._root),
            inputs=self.inputs(root),
            output=self.inputs(root, "output", "output"),
            limits=self._limits(),
            budget=self._budget(),
            references=self._references(),
            chaining=self._chaining(),
            captures_nested=self._flag(self._root, "capture_nested_artifacts"),
            **self._flow(kind),
        )

    def _kind(self) -> KindName | None:
        node = self._root.get("agent")
        chosen = None if node is None else self.choice(node, "'agent'", KINDS)
        return next((kind for kind in KINDS if kind == chosen), None)

    def _check_keys(self, kind: KindName | None) -> None:
        """Report unknown keys and keys of other kinds. If the kind is unknown, the keys of all kinds are allowed."""
        others = {key: name for name in KINDS if name != kind for key in KIND_KEYS[name]}
        mine = (*COMMON_KEYS, *(() if kind is None else KIND_KEYS[kind]))
        for key, owner in others.items() if kind is not None else ():
            if key in self._root.entries and key not in mine:
                place = self._root.entries[key].key.location
                self.report(place, f"{key!r} is for another kind of agent", hint=f"write 'agent: {owner}'")
        keys = [key for key in (*others, *ELSEWHERE) if key in self._root.entries]
        for key in ELSEWHERE:
            if key in keys:
                message = f"{key!r} cannot be set in a file, because API keys are sent to it"
                self.report(self._root.entries[key].key.location, message, hint=ELSEWHERE[key])
        self.check_keys(self._root, "an agent", (*mine, *keys))

    def _model(self) -> Word | None:
        node = self._root.get("model")
        text = None if node is None else self.text(node, "'model'")
        return None if node is None or text is None else Word(text, node.location)

    def _prompt(self) -> Text | None:
        node = self._root.get("prompt")
        return None if node is None else self._text_here(node, "'prompt'")

    def _text_here(self, node: Node, what: str) -> Text | None:
        text = self.text(node, what)
        return Text(text, node.location, node) if text is not None and isinstance(node, Scalar) else None

    def _text_or_file(self, node: Node, what: str) -> Text | None:
        """Read text that is given directly or as the path of a file."""
        if not isinstance(node, nodes.Mapping):
            return self._text_here(node, what)
        self.check_keys(node, what, ("file",))
        file = node.get("file")
        if file is None:
            self._expected(node, what, "text, or {file: path}")
            return None
        return self._text_of_file(file)

    def _instructions_text(self, owner: nodes.Mapping, key: str) -> Text | None:
        node = owner.get(key)
        return None if node is None else self._text_or_file(node, f"'{key}'")

    def _text_of_file(self, node: Node) -> Text | None:
        name = self.text(node, "'file'")
        if name is None:
            return None
        path = Path(self._root.location.file).parent / name
        if not self._is_inside(path):
            hint = f"move it into '{self._folder}'; files elsewhere are not shown to a model"
            self.report(node.location, f"the file '{name}' is outside the project", hint=hint)
            return None
        text = read_text(path, name)
        if isinstance(text, Problem):
            self.problems.append(Problem(UNKNOWN_KEY, text.message, node.location, hint=text.hint))
            return None
        return Text(text.removeprefix("\ufeff").rstrip(), node.location._replace(file=str(path)))

    def _is_inside(self, path: Path) -> bool:
        try:
            return path.resolve().is_relative_to(self._folder.resolve())
        except (OSError, ValueError, RuntimeError):  # a loop of symlinks, or an invalid file name
            return False

    def _targets(self, owner: nodes.Mapping) -> tuple[Word, ...]:
        node = owner.get("tools")
        targets = None if node is None else self.sequence(node, "'tools'")
        return () if targets is None else self.names(targets, "a tool under 'tools'")

    def _limits(self) -> Limits:
        limits_found = {"turns": self._count(self._root, "max_turns", (1, MOST_TURNS))}
        node = self._root.get("limits")
        if node is not None and (limits := self.mapping(node, "'limits'", "{result: 2000}")) is not None:
            self.check_keys(limits, "'limits'", LIMITS)
            limits_found |= {key: self._count(limits, key, bounds) for key, bounds in LIMITS.items()}
        counts = {key: count for key, count in limits_found.items() if count is not None}
        return Limits(**counts, last_answer=self._flag(self._root, "last_answer"))

    def _count(self, owner: nodes.Mapping, key: str, bounds: tuple[int, int]) -> int | None:
        node, (least, most) = owner.get(key), bounds
        return None if node is None else self.integer(node, f"'{key}'", least=least, most=most)

    def _flag(self, owner: nodes.Mapping, key: str) -> bool:
        node = owner.get(key)
        return bool(node and self.boolean(node, f"'{key}'"))

    def _chaining(self) -> tuple[Word, ...]:
        node = self._root.get("chaining")
        return () if node is None else self.names(node, "a class under 'chaining'")

    def _references(self) -> tuple[ReferenceDefinition, ...]:
        node = self._root.get("references")
        if node is None or (references := self.sequence(node, "'references'")) is None:
            return ()
        found = (self.mapping(item, "a reference", "{name: …, notes: …}") for item in references.items)
        return tuple(self._reference(one) for one in found if one is not None)

    def _reference(self, node: nodes.Mapping) -> ReferenceDefinition:
        self.check_keys(node, "a reference", REFERENCE_KEYS)
        name = node.get("name")
        if name is None:
            self.report(node.location, "a reference needs 'name'")
        text = None if name is None else self.text(name, "'name'")
        return ReferenceDefinition(
            Word(text or "reference", node.location if name is None else name.location),
            self.description(node),
            self._instructions_text(node, "notes"),
            self._targets(node),
            self._flag(node, "unfold"),
        )

    def _flow(self, kind: KindName) -> dict[str, Any]:
        """Read the keys that only this kind has. Keys of other kinds have been reported already."""
        root, reader = self._root, FlowReader(self.problems)
        match kind:
            case "playbook":
                locks = root.get("locks")
                return {} if locks is None else {"locks": reader.locks(locks)}
            case "state_machine":
                states, start, everywhere = (root.get(key) for key in KIND_KEYS[kind])
                if states is None:
                    hint = "write 'states: {draft: {send: sent}, sent: {}}'"
                    self.report(root.location, "a state machine needs 'states'", hint=hint)
                first = None if start is None else self.text(start, "'start'")
                return {
                    "states": () if states is None else reader.states(states),
                    "start": None if start is None or first is None else Word(first, start.location),
                    "everywhere": () if everywhere is None else self.names(everywhere, "a tool under 'everywhere'"),
                }
        return {}

    def _budget(self) -> "Budget | None":
        node = self._root.get("budget")
        if node is None:
            return None
        is_number = isinstance(node, Scalar) and type(node.value) in (int, float)
        text = node.text if isinstance(node, Scalar) and is_number else self.text(node, "'budget'")
        if text is None:
            return None

        try:
            return Budget.parse(text)
        except ConfigurationError as error:
            self.report(node.location, str(error))
            return None

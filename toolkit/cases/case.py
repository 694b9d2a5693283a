"""The values of a case file: each case with its target, its arguments and what is expected; and its result."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolkit.documents.nodes import Node, Word, plain
from toolkit.problems import Location, Problem

if TYPE_CHECKING:
    from toolkit.approvals.decisions import Decision
    from toolkit.cases.cassettes import Recording
    from toolkit.cases.figures import Choice
    from toolkit.pipelines.templated_data import Value
    from toolkit.schemas.validation import Validator
    from toolkit.tools.definition.spec import ToolSpec


class Written(NamedTuple):
    """An expected value, and where each of its parts is written."""

    data: Any
    node: Node

    @classmethod
    def of(cls, node: Node) -> "Written":
        """Return the value of a node."""
        return cls(plain(node), node)


class Named(NamedTuple):
    """One item of a list of calls, questions or events: a name, and what else is expected, if anything."""

    name: Word
    value: Written | None = None


class Answer(NamedTuple):
    """A prepared answer to a question about a tool."""

    tool: Word
    decision: "Decision"


class Stub(NamedTuple):
    """What a tool returns instead of being called: one result, or several in turn.

    Attributes:
        tool: The name of the tool.
        results: The results as plain data; `{error: …, code: …}` is a failure.
        in_turn: Whether each result serves a single call.
    """

    tool: Word
    results: tuple[Any, ...]
    in_turn: bool = False


class Budgets(NamedTuple):
    """What a case may spend: time in seconds, tokens, and US dollars."""

    time: float | None = None
    tokens: int | None = None
    cost: float | None = None


NO_BUDGETS: Final = Budgets()
NO_SKILL: Final = "none"


class Expected(NamedTuple):
    """What a case expects. What is not given is not looked at; but without `error` or `code`, it must succeed.

    Attributes:
        output: The whole output.
        subset: A part of the output.
        schema: The JSON Schema of the output.
        matches: A regular expression that the output's text contains.
        that: Expressions that are true.
        error: A part of the error message, or true for any error.
        code: The code of the error.
        exit: The exit code of `toolkit run`.
        calls: All calls of the tools that are named, in order; empty if the target calls no tool.
        ordered: Whether the calls of a choice have to be in this order.
        no_calls: Tools that are not called.
        asked: All questions, in order, with what they show.
        files: The contents of files; None for a file that does not exist.
        events: Events in this order, others may be in between.
        within: What the case may spend.
        skill: The skill that a model loads; `none` for no skill.
        found: Among how many of the first results each search has to find the tools of `calls`; no model is asked then.
    """

    output: Written | None = None
    subset: Written | None = None
    schema: "tuple[Validator, Location] | None" = None
    matches: Word | None = None
    that: "tuple[Value, ...]" = ()
    error: Word | bool | None = None
    code: Written | None = None
    exit: Written | None = None
    calls: tuple[Named, ...] | None = None
    ordered: bool = False
    no_calls: tuple[Word, ...] = ()
    asked: tuple[Named, ...] | None = None
    files: Mapping[str, Written] | None = None
    events: tuple[Named, ...] = ()
    within: Budgets = NO_BUDGETS
    skill: Word | None = None
    found: Written | None = None

    @property
    def may_fail(self) -> bool:
        """Whether the case expects an error, or at least says what the exit code is."""
        return self.error is not None or self.code is not None or self.exit is not None


class Case(NamedTuple):
    """One case.

    Attributes:
        name: Its name.
        run: The target, as in `toolkit run`; paths are relative to the file. For a choice, what the model is asked.
        location: The location of the whole case.
        position: Its position in the file, from 0.
        tools: For a choice, the targets whose tools the model is offered.
        specs: Definitions that the model is offered instead.
        skills: For a choice, the folders of the skills that the model can load.
        turns: For a choice, how many replies a conversation may have that is judged as a whole; by default, only the
            first reply is judged.
        arguments: The arguments; a text for a tool with a single parameter.
        model: The model of agents; by default, the one that they have.
        answers: The answers to questions.
        stubs: The tools that are not called.
        files: The files in the folder of the case; without any, it runs in the folder of the case file.
        snapshot: The place of `snapshot: true`: the expected output may be rewritten.
        expect: What is expected.
        attempt: Which of several runs of a choice this is.
        label: What tells several runs of a choice apart, if there are several.
        base: The folder with another revision of the files beside the case file, if its tools come from there.
    """

    name: Word
    run: Word
    location: Location
    position: int
    tools: tuple[Word, ...] = ()
    specs: "tuple[ToolSpec, ...]" = ()
    skills: tuple[Word, ...] = ()
    turns: int | None = None
    arguments: Mapping[str, Any] | str | None = None
    model: Word | None = None
    answers: tuple[Answer, ...] = ()
    stubs: tuple[Stub, ...] = ()
    files: Mapping[str, str] | None = None
    snapshot: Location | None = None
    expect: Expected = Expected()
    attempt: int = 1
    label: str = ""
    base: Path | None = None

    @property
    def title(self) -> str:
        """The name, and what tells several runs apart."""
        return f"{self.name.text} ({self.label})" if self.label else self.name.text

    @property
    def file(self) -> Path:
        """The case file."""
        return Path(self.location.file)

    @property
    def folder(self) -> Path:
        """The folder that the paths of tools start from."""
        return self.base or self.file.parent

    @property
    def is_choice(self) -> bool:
        """Whether a model is asked which tools it would call."""
        return bool(self.tools or self.specs or self.skills) and self.expect.found is None

    @property
    def has_folder(self) -> bool:
        """Whether the case runs in a folder of its own."""
        return self.files is not None or self.expect.files is not None


class CaseFile(NamedTuple):
    """The cases of one file, in order."""

    path: Path
    cases: tuple[Case, ...]


class CaseResult(NamedTuple):
    """The result of one case, as plain data.

    Attributes:
        problems: How it fails, or why it cannot be run; empty if it passes.
        is_broken: Whether it cannot be run.
        seconds: How long it took.
        output: The output, if the case is a snapshot whose output has changed.
        is_outdated: Whether it is such a snapshot.
        warnings: What does not fail it, such as a recorded reply to another definition.
        choice: What a model chose, if the case asks one.
        recorded: What a model was asked, and replied, if that is recorded.
    """

    problems: tuple[Problem, ...] = ()
    is_broken: bool = False
    seconds: float = 0.0
    output: Any = None
    is_outdated: bool = False
    warnings: tuple[Problem, ...] = ()
    choice: "Choice | None" = None
    recorded: "tuple[Recording, ...]" = ()

    @property
    def passed(self) -> bool:
        """Whether the case passes."""
        return not self.problems


class Ran(NamedTuple):
    """A case and its result."""

    case: Case
    result: CaseResult

"""Asks a model, or its cassette, which tools it would call for a request, and describes what it chose.

The calls of a first reply are not made. Those of a whole conversation are, by the agent that `agent_of` returns.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir, redirect_stdout
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolkit.agents.agent import AgentTool
from toolkit.agents.loop import Limits
from toolkit.agents.model_requests import ask
from toolkit.agents.models.messages import Message, Model, ModelError, ModelReply, UserMessage, require_reply
from toolkit.agents.transcripts import Transcript
from toolkit.cases.case import Case
from toolkit.cases.cassettes import Cassette, RecordedModel, Recording
from toolkit.cases.data_differences import in_words, short
from toolkit.cases.expectations import Happened, Made, faults_of
from toolkit.cases.figures import Choice
from toolkit.codes import NOT_A_TOOL, UNKNOWN_TOOL
from toolkit.disclosure.searching import rankings
from toolkit.pins.drifts import Drift
from toolkit.pins.lockfile import entries_of
from toolkit.problems import Problem, did_you_mean
from toolkit.regex_checks import TooMuchWorkError
from toolkit.running import run_coroutine
from toolkit.runs.records import Budget
from toolkit.runs.run import Run
from toolkit.schemas.validation import Validator
from toolkit.sources.scopes import configured_model
from toolkit.tools.base import Tool
from toolkit.tools.calls.results import ToolCall
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.spec import ToolSpec
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure, end_at_errors
from toolkit_cli.running.opened_tools import open_all
from toolkit_cli.testing.case_targets import SCRIPTED, absolute, from_folder

if TYPE_CHECKING:
    from toolkit.settings.configuration import Configuration


class Asking(NamedTuple):
    """How models are asked for choices.

    Attributes:
        base_url: The server of a model `chat:NAME`.
        record: Whether models are asked, and recorded; otherwise, recorded replies are used. Scripts are always asked.
        strict: Whether a recorded reply to another definition fails the case.
        trees: The repository whose tools are not asked about, and the folder with those of another revision.
    """

    base_url: str | None = None
    record: bool = False
    strict: bool = False
    trees: tuple[Path, Path] | None = None


NOTHING_SAID: Final = Asking()


class Chosen(NamedTuple):
    """What a model chose, how the definitions have changed since it was recorded, and what was recorded now."""

    happened: Happened
    choice: Choice
    drifts: tuple[Drift, ...] = ()
    recorded: tuple[Recording, ...] = ()


class AskedModel:
    """A model with what it was offered, what it called, and why it did not answer, if so."""

    def __init__(self, inner: Model) -> None:
        """Wrap a model."""
        self.name, self.inner = inner.name, inner
        self.offered: dict[str, ToolSpec] = {}
        self.calls: list[Made] = []
        self.failure: Exception | None = None

    async def request(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> ModelReply:
        """Return the next reply.

        Raises:
            ModelError: If the model does not answer.
        """
        self.offered |= {one.name: one for one in tools}
        try:
            reply = require_reply(await self.inner.request(messages, tools))
        except Exception as error:
            self.failure = error
            raise
        self.calls += [_chosen(one, self.offered.get(one.name)) for one in reply.calls]
        return reply


def choose(
    case: Case,
    configuration: "Configuration",
    asking: Asking,
    cassette_of: Callable[[Path], Cassette],
    run: Callable[[Case, Tool], Happened],
) -> Chosen:
    """Ask a model which tools it would call, and return its calls.

    Args:
        case: The case.
        configuration: The configuration of the project.
        asking: How the model is asked.
        cassette_of: Returns the cassette of a case file.
        run: Runs the agent of a whole conversation.

    Raises:
        Failure: If the tools cannot be opened, or the model does not answer.
        ConfigurationError: If the model cannot be opened.
    """
    here = Path.cwd()
    with chdir(case.folder), redirect_stdout(sys.stderr):
        tools = {} if case.specs else _offered(case, configuration, asking.trees)
        model = AskedModel(_model(case, configuration, asking, cassette_of))
        tape = model.inner if isinstance(model.inner, RecordedModel) else None
        if case.turns is None:
            specs = case.specs or [tool.spec for tool in tools.values()]
            happened = _first_reply(case, model, specs, configuration)
        else:
            happened = run(case._replace(arguments=case.run.text), _agent_of(case, model, tools))
        if model.failure is not None and happened.error is not None:
            raise Failure(ExitCode.USAGE, happened.error, hint=getattr(model.failure, "hint", None))
        seconds = happened.seconds + (0.0 if tape is None else tape.seconds)
        happened = happened._replace(calls=tuple(model.calls), seconds=seconds)
        choice = Choice(
            model=_label(case, model, here),
            asked=tuple(one.name.text for one in case.expect.calls or ()),
            called=tuple(one.tool for one in happened.calls),
            faults=faults_of(case, happened),
            tokens=happened.tokens,
            cost=happened.cost,
            tools=console.redactor().data(entries_of(model.offered.values())),
        )
        if tape is None:
            return Chosen(happened, choice)
        return Chosen(happened, choice, tuple(tape.drifts), tuple(tape.recorded))


def _first_reply(case: Case, model: AskedModel, specs: Sequence[ToolSpec], configuration: "Configuration") -> Happened:
    run, started = Run(), perf_counter()
    context = ToolContext(configuration.context, run=run, redactor=console.redactor())
    transcript = Transcript([UserMessage(case.run.text)])
    try:
        reply = run_coroutine(lambda: ask(model, transcript, specs, context, 1))
    except ModelError as error:
        return Happened(error=str(error))
    return Happened(
        output=reply.text,
        text=reply.text,
        seconds=perf_counter() - started,
        tokens=run.spent.tokens or 0,
        cost=run.spent.cost or 0.0,
    )


def _agent_of(case: Case, model: Model, tools: Mapping[str, Tool]) -> AgentTool:
    """Return the agent that has the whole conversation of a case."""
    limits = Limits(turns=case.turns or 1)
    within = case.expect.within
    budget = Budget(cost=within.cost, tokens=within.tokens)
    return AgentTool("ask", "Answer a request.", model, tools.values(), instructions="", limits=limits, budget=budget)


def search(case: Case, configuration: "Configuration") -> Happened:
    """Return which tools searches find for the request of a case; no model is asked.

    Raises:
        Failure: If the tools cannot be opened.
    """
    with chdir(case.folder), redirect_stdout(sys.stderr):
        found = rankings(list(_offered(case, configuration).values()), case.run.text)
        return Happened(rankings={kind: [tool.name for tool in tools] for kind, tools in found.items()})


def _label(case: Case, model: Model, here: Path) -> str:
    """Return the name of a model; a script is named by its path, since several may have the same name."""
    if case.model is None or not case.model.text.startswith(SCRIPTED):
        return model.name
    return f"{SCRIPTED}{os.path.relpath(from_folder(case.model.text, case.file.parent).removeprefix(SCRIPTED), here)}"


def _model(
    case: Case, configuration: "Configuration", asking: Asking, cassette_of: Callable[[Path], Cassette]
) -> Model:
    """Return the model that is asked: a script as it is, and any other one with the cassette of the case.

    Raises:
        ConfigurationError: If no model is named or recorded, or it cannot be opened.
    """
    name = (case.model and from_folder(case.model.text, case.file.parent)) or configuration.model
    if name is not None and name.startswith(SCRIPTED):
        return configured_model(configuration, name)
    cassette = cassette_of(case.file)
    name = name or next(iter(cassette.models_of(case.name.text)), None)
    inner = None
    if asking.record or name is None:
        inner = configured_model(configuration, name, base_url=asking.base_url)
    return RecordedModel(name or "", case, cassette, console.redactor(), inner)


def _offered(case: Case, configuration: "Configuration", trees: tuple[Path, Path] | None = None) -> Mapping[str, Tool]:
    """Return the tools that the model is offered.

    Raises:
        Failure: If they cannot be opened, the case expects calls of others, or they are not those of a revision.
    """
    targets = [absolute(one.text, case.folder) for one in case.tools]
    opened = open_all(targets, configuration, looks=True)
    end_at_errors(opened.problems)
    if trees is not None:
        end_at_errors([problem for tool in opened.tools.values() for problem in _of_this_tree(tool, *trees)])
        return opened.tools
    words = (*(one.name for one in case.expect.calls or ()), *case.expect.no_calls)
    unknown = [one for one in words if one.text not in opened.tools and case.turns is None]
    names = list(opened.tools)
    end_at_errors(
        [
            Problem(UNKNOWN_TOOL, f"no tool named '{one.text}' is offered", one.location, hint=hint)
            for one in unknown
            for hint in [did_you_mean(one.text, names)]
        ]
    )
    return opened.tools


def _of_this_tree(tool: Tool, root: Path, folder: Path) -> Iterator[Problem]:
    source = Path(os.path.realpath(tool.spec.source or folder))
    if source.is_relative_to(root) and not source.is_relative_to(folder):
        message = f"'{tool.name}' comes from the working tree, '{source.relative_to(root)}'"
        yield Problem(NOT_A_TOOL, message, hint="name its file in 'tools', with a path that starts at the case file")


def _chosen(call: ToolCall, spec: ToolSpec | None) -> Made:
    """Return a call that a model chose, and why it could not be made, if so."""
    arguments = data_of(call.arguments)
    if spec is None:
        return Made(call.name, arguments, fault=f"'{call.name}' is called, and no tool has this name", is_known=False)
    fault, properties = "", spec.properties
    try:
        misfits = Validator(spec.parameters).misfits(arguments)
    except (ValueError, TooMuchWorkError):
        misfits = []  # a schema that is wrong says nothing about the model; lint reports it
    for one in misfits[:1]:
        what = in_words(one.path, call.name)
        violated = f"is {short(one.value)}, which violates '{one.keyword}': {short(one.limit)}"
        fault = f"{what} is missing" if one.keyword == "required" else f"{what} {violated}"
    defaults = {
        name: part["default"] for name, part in properties.items() if isinstance(part, Mapping) and "default" in part
    }
    return Made(call.name, arguments, fault=fault, defaults=defaults)


def data_of(arguments: Any) -> Any:
    """Return the arguments of a call as data; those of a model, or of an edit, are the text that was received."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments

"""Asks a model, or its cassette, which tools it would call for a request, and describes what it chose.

The calls of a first reply are not made. Those of a whole conversation are, by the agent that `agent_of` returns.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import chdir, redirect_stdout
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolkit.agents.agent import AgentTool
from toolkit.agents.loop import Limits
from toolkit.agents.model_requests import ask
from toolkit.agents.models.messages import Message, Model, ModelError, ModelReply, UserMessage, require_reply
from toolkit.agents.transcripts import Transcript
from toolkit.cases.case import NO_SKILL, Case, Expected
from toolkit.cases.cassettes import Cassette, RecordedModel, Recording
from toolkit.cases.data_differences import in_words, short
from toolkit.cases.expectations import Happened, Made, faults_of
from toolkit.cases.figures import Choice
from toolkit.disclosure.searching import rankings
from toolkit.pins.drifts import Drift
from toolkit.pins.lockfile import entries_of
from toolkit.regex_checks import TooMuchWorkError
from toolkit.running import run_coroutine
from toolkit.runs.records import Budget
from toolkit.runs.run import Run
from toolkit.schemas.validation import Validator
from toolkit.skills.skill_tools import LOADING
from toolkit.sources.scopes import configured_model
from toolkit.tools.base import Tool
from toolkit.tools.calls.results import ToolCall
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.spec import ToolSpec
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.testing.case_targets import SCRIPTED, from_folder
from toolkit_cli.testing.offered_tools import offered_tools

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
        tools = {} if case.specs else offered_tools(case, configuration, asking.trees)
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
        happened = happened._replace(seconds=seconds, **_chosen_in(model.calls, case))
        asked, called = _names_in(case.expect, happened)
        choice = Choice(
            model=_label(case, model, here),
            asked=asked,
            called=called,
            faults=faults_of(case, happened),
            tokens=happened.tokens,
            cost=happened.cost,
            tools=console.redactor().data(entries_of(model.offered.values())),
        )
        if tape is None:
            return Chosen(happened, choice)
        return Chosen(happened, choice, tuple(tape.drifts), tuple(tape.recorded))


def _chosen_in(calls: Sequence[Made], case: Case) -> dict[str, Any]:
    """Return the calls of tools, and the skills that were loaded."""
    loads = [one for one in calls if case.skills and one.tool == LOADING]
    arguments = [one.arguments if isinstance(one.arguments, dict) else {} for one in loads]
    skills = tuple(str(one.get("name")) for one in arguments)
    return {"calls": tuple(one for one in calls if one not in loads), "skills": skills}


def _names_in(expect: Expected, happened: Happened) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the tools and skills that should be chosen, and of those that were."""
    asked, called = [one.name.text for one in expect.calls or ()], [one.tool for one in happened.calls]
    if expect.skill is not None:
        asked += [] if expect.skill.text == NO_SKILL else [f"skill {expect.skill.text}"]
        called += [f"skill {name}" for name in happened.skills]
    return tuple(asked), tuple(called)


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
        found = rankings(list(offered_tools(case, configuration).values()), case.run.text)
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

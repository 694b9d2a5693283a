"""Writes a case from a recorded run or from the transcript of an agent, so that what happened once stays true."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolkit.agents.models.messages import ModelReply, ToolMessage, UserMessage
from toolkit.agents.transcripts import Transcript, model_reply
from toolkit.approvals.gates import Gate
from toolkit.approvals.policies import DescribedCall
from toolkit.documents.dumping import as_yaml
from toolkit.errors import ToolArgumentsError
from toolkit.redactors.redactor import MASK
from toolkit.stores.recorded_runs import FINAL, RecordedRun, RecordedStep, StoredItem
from toolkit.stores.run_stores import RunStore
from toolkit.tools.base import Tool, innermost
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.outcomes import result_in
from toolkit.tools.questions import with_arguments
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.rendering.tool_kinds import is_agent, pipeline_in
from toolkit_cli.running.answer_sources import ForeseenCall, calls_of, policy_of_files
from toolkit_cli.running.journaled_runs import find_run
from toolkit_cli.running.opened_tools import open_one
from toolkit_cli.testing.case_targets import absolute, relative

if TYPE_CHECKING:
    from toolkit.settings.configuration import Configuration

_HEAD: Final = "# Written from {title}; read it before you keep it.\n"
_MASKED: Final = f"# It contained secrets, which are not recorded: put test values in place of {MASK}.\n"
_REJECTED: Final = "Rejected by reviewer"
_FAILED: Final = "Error: "
_TURN: Final = re.compile(r"turn-[0-9]+")
_CALL: Final = re.compile(r"turn-([0-9]+)\.([0-9]+)")
_ITEM: Final = re.compile(r"\[[0-9]+\]")
_ENDED: Final = ("completed", "failed")
_NEEDS_END: Final = "a case is made from a run, or an item of a batch, that has ended"
_MOST_LISTED: Final = 10


class Finished(NamedTuple):
    """A step that has finished: its path in the run, the arguments as JSON, if they are known, and the result."""

    path: str
    arguments: str
    result: ToolResult

    @property
    def is_rejected(self) -> bool:
        """Whether nobody has approved the call."""
        return self.result.error_code == "rejected"


class Recorded(NamedTuple):
    """What has happened once.

    Attributes:
        title: What it is called, such as `the run 3f2a`.
        name: What its files are called.
        target: What was run, from `folder`.
        folder: Where it was run.
        arguments: The arguments; secrets are masked.
        error: The error message, if it failed.
        replies: For an agent, the replies of its model.
        steps: The finished steps in order; those of an agent are called `turn-1.1`.
    """

    title: str
    name: str
    target: str
    folder: Path
    arguments: Mapping[str, Any]
    error: str | None
    replies: Sequence[ModelReply]
    steps: Sequence[Finished]

    @classmethod
    def of_run(cls, run: RecordedRun, steps: Sequence[RecordedStep]) -> "Recorded":
        """Return what a run has recorded.

        Raises:
            Failure: If the run has not ended.
        """
        if run.state not in _ENDED:
            raise Failure(ExitCode.USAGE, f"the run '{run.id}' is {run.state}", hint=_NEEDS_END)
        request = run.request
        arguments = request["arguments"] or ({} if request.get("task") is None else {"task": request["task"]})
        return cls._of_steps(run, steps, f"the run {run.id}", run.id, arguments=arguments, error=run.error)

    @classmethod
    def of_item(cls, run: RecordedRun, steps: Sequence[RecordedStep], item: StoredItem) -> "Recorded":
        """Return what a run has recorded about one item of a batch.

        Args:
            run: The run.
            steps: The record of the item, and those of the steps inside it.
            item: The item.

        Raises:
            Failure: If the item has not ended.
        """
        own, inside = str(item.number), f"{item.number}/"
        result = next((step.result for step in steps if step.path == own and step.status in FINAL), None)
        if result is None:
            raise Failure(ExitCode.USAGE, f"item {own} of the run '{run.id}' has not ended", hint=_NEEDS_END)
        steps = [one._replace(path=one.path.removeprefix(inside)) for one in steps if one.path.startswith(inside)]
        title, error = f"item {own} of the run {run.id}", result_in(result)[0].error
        return cls._of_steps(run, steps, title, f"{run.id}-{own}", arguments=item.arguments, error=error)

    @classmethod
    def _of_steps(
        cls,
        run: RecordedRun,
        steps: Sequence[RecordedStep],
        title: str,
        name: str,
        *,
        arguments: Mapping[str, Any],
        error: str | None,
    ) -> "Recorded":
        in_order = sorted(steps, key=lambda step: step.began or step.ended or 0.0)
        ended = [step for step in in_order if step.result is not None]
        replies = [model_reply(json.loads(step.result or "")) for step in ended if _TURN.fullmatch(step.path)]
        finished = [
            Finished(step.path, step.arguments, result_in(step.result or "")[0])
            for step in ended
            if not _TURN.fullmatch(step.path.rpartition("/")[2])
        ]
        folder = Path(run.request["cwd"])
        return cls(title, name, run.target, folder, arguments=arguments, error=error, replies=replies, steps=finished)

    @classmethod
    def of_transcript(cls, transcript: Transcript, file: Path, target: str) -> "Recorded":
        """Return what a transcript says about the first task of an agent.

        Raises:
            Failure: If there is no task with a reply in it.
        """
        messages = iter(transcript.messages)
        task = next((one.text for one in messages if isinstance(one, UserMessage)), "")
        replies, steps, at = list[ModelReply](), list[Finished](), 0
        for one in messages:
            match one:
                case ModelReply():
                    replies, at = [*replies, one], 0
                case ToolMessage():
                    at += 1
                    steps.append(Finished(f"turn-{len(replies)}.{at}", str(one.call.arguments), _said(one)))
                case UserMessage():
                    break
        if not replies:
            raise Failure(ExitCode.USAGE, f"the transcript '{file}' contains no task with a reply")
        return cls(
            f"'{file.name}'",
            file.stem,
            target,
            Path.cwd(),
            arguments={"task": task},
            error=None,
            replies=replies,
            steps=steps,
        )


def recorded_in(store: RunStore, source: str) -> Recorded:
    """Return what a run of a store has recorded, or an item of a batch.

    Args:
        store: The store.
        source: The id of the run, or its first characters; for an item, followed by `/` and its number.

    Raises:
        Failure: If there is no such run or item, it has not ended, or a store with its arguments is needed.
    """
    id, slash, number = source.partition("/")
    run = find_run(store, id)
    if run.unit == "steps":
        if slash:
            raise Failure(ExitCode.USAGE, f"the run '{run.id}' is not a batch, so it has no items")
        return Recorded.of_run(run, list(store.steps(run)))
    if store.url is None:
        hint = "run one item with --journal, or the batch with --store"
        raise Failure(ExitCode.USAGE, f"'{run.id}' is a batch, of whose items the journal has no arguments", hint=hint)
    ended = [step for step in store.steps(run) if step.path.isdecimal()]
    number = ended[0].path if len(ended) == 1 and not slash else number
    item = store.item(run, int(number)) if number.isdecimal() else None
    if item is None:
        problem = f"there is no item '{number}' in the run '{run.id}'" if slash else f"the run '{run.id}' is a batch"
        raise Failure(ExitCode.NOT_FOUND if slash else ExitCode.USAGE, problem, hint=_listed(run, ended))
    return Recorded.of_item(run, store.item_steps(run, item.number), item)


def _listed(run: RecordedRun, ended: Sequence[RecordedStep]) -> str:
    """Return a hint with the items of a batch, those that failed first."""
    in_order = sorted(ended, key=lambda step: step.status == "ok")
    shown = ", ".join(f"{run.id}/{step.path} ({step.status})" for step in in_order[:_MOST_LISTED])
    more = f" and {len(ended) - _MOST_LISTED:,} more" if len(ended) > _MOST_LISTED else ""
    return f"name one of its items: {shown}{more}" if ended else "none of its items has ended"


def _said(message: ToolMessage) -> ToolResult:
    """Return the result that a message has told a model."""
    if not message.failed:
        return ToolResult(message.text)
    error = message.text.removeprefix(_FAILED)
    return ToolResult.failure(error, "rejected" if error.startswith(_REJECTED) else "error")


def chosen_case(recorded: Recorded, folder: Path) -> dict[Path, str]:
    """Return a case that asks a model for the calls of the first reply: its text, by the path of the file."""
    calls = [_made(one.name, str(one.arguments)) for one in recorded.replies[0].calls]
    case = {
        "name": f"calls as in {recorded.title}",
        "ask": recorded.arguments["task"],
        "tools": [relative(recorded.target, recorded.folder, folder)],
        "expect": {"calls": calls},
    }
    return _files(recorded, folder, case)


def recorded_case(recorded: Recorded, configuration: "Configuration", folder: Path) -> dict[Path, str]:
    """Return a case and, for an agent, a script with the replies of its model: their texts, by the paths of the files.

    Tools that are not read-only, or that need approval, are stubs with their recorded results.

    Args:
        recorded: What has happened.
        configuration: The configuration of the project.
        folder: Where the files will be.

    Raises:
        Failure: If the target cannot be opened, does not take the arguments any more, or would touch the world, or the
            replies are missing.
    """
    target = absolute(recorded.target, recorded.folder)
    tool = open_one(target, configuration, None, "a case runs one of them", warn=False, looks=True)
    if not (is_agent(tool) or pipeline_in(tool) is not None or tool.spec.read_only):
        message = f"a case would call '{tool.name}' again, which is not marked as read-only"
        raise Failure(ExitCode.USAGE, message, hint="make a case of a pipeline or an agent that calls it, as a stub")
    gate = Gate(policy=policy_of_files(configuration, [target]))
    try:
        calls = list(_calls(recorded, tool, gate))
    except ToolArgumentsError as error:
        message = f"'{tool.name}' does not take the arguments of {recorded.title} any more: {error}"
        raise Failure(ExitCode.USAGE, message) from error
    script = f"{_stem(recorded)}_script.yaml"
    case: dict[str, Any] = {
        "name": f"{tool.name} as in {recorded.title}",
        "run": relative(recorded.target, recorded.folder, folder),
        "with": dict(recorded.arguments),
        "model": f"scripted:{script}" if recorded.replies else None,
        "answers": [_answer(call, step) for call, step in calls if gate.verdict_on(call).action == "ask"],
        "stub": _stubs(calls),
        "snapshot": recorded.error is None or None,
        "expect": _expected(recorded, calls),
    }
    turns = {folder / script: {"turns": [_turn(reply) for reply in recorded.replies]}} if recorded.replies else {}
    return _files(recorded, folder, {name: value for name, value in case.items() if value}, turns)


def _calls(recorded: Recorded, tool: Tool, gate: Gate) -> Iterator[tuple[DescribedCall, Finished | None]]:
    """Yield the call of the target, and those of its steps that are no pipelines themselves.

    Raises:
        Failure: If the replies of an agent's model are missing.
    """
    if is_agent(tool):
        if not recorded.replies:
            raise Failure(ExitCode.USAGE, f"{recorded.title} has not recorded the replies of the model")
        yield with_arguments(tool.described, tool, tool.parse(recorded.arguments)), None
        offered = getattr(innermost(tool), "tools", {})
        for step in recorded.steps:
            if (place := _CALL.fullmatch(step.path)) is None:
                continue  # a step of another agent, which is a stub
            made = recorded.replies[int(place[1]) - 1].calls[int(place[2]) - 1]
            if (called := offered.get(made.name)) is not None:
                described = called.described._replace(chosen_by="model", arguments=_data_of(str(made.arguments)))
                yield described, step
        return
    foreseen = calls_of(tool, recorded.arguments, gate)
    yield foreseen[0].call, None
    places = {one.step: at for at, one in enumerate(foreseen)}
    for step in recorded.steps:
        at = places.get(_ITEM.sub("", step.path))
        if at is None or any(other.path.startswith(f"{step.path}[") for other in recorded.steps):
            continue  # a step of an agent, or the end of a loop
        found, known = foreseen[at], _data_of(step.arguments)
        if found.tool is not None and pipeline_in(found.tool) is None:
            # Steps that only ask are not recorded, but those before a step that was reached were approved.
            yield from reversed([(one.call, None) for one in takewhile(_only_asks, reversed(foreseen[:at]))])
            yield found.call._replace(arguments=found.call.arguments if known is None else known, unknown=()), step


def _only_asks(foreseen: ForeseenCall) -> bool:
    return foreseen.tool is None


def _answer(call: DescribedCall, step: Finished | None) -> dict[str, Any]:
    if step is None or not step.is_rejected:
        return {call.risk.tool: "approve"}
    reason = str(step.result.error).removeprefix(_REJECTED).removeprefix(": ")
    return {call.risk.tool: {"reject": reason} if reason else "reject"}


def _stubs(calls: Sequence[tuple[DescribedCall, Finished | None]]) -> dict[str, Any]:
    found: dict[str, list[Any]] = {}
    for call, step in calls:
        if step is not None and _is_stubbed(call) and not step.is_rejected:
            found.setdefault(call.risk.tool, []).append(_result(step.result))
    # A list has a result for each call, so that a single list needs brackets of its own.
    is_single = {name: len(all_of) == 1 and not isinstance(all_of[0], list) for name, all_of in found.items()}
    return {name: all_of[0] if is_single[name] else all_of for name, all_of in found.items()}


def _is_stubbed(call: DescribedCall) -> bool:
    return not call.risk.read_only or call.risk.requires_approval


def _result(result: ToolResult) -> Any:
    if result.error is not None:
        return {"error": result.error, "code": result.error_code}
    return result.output if result.structured is None else result.structured


def _expected(recorded: Recorded, calls: Sequence[tuple[DescribedCall, Finished | None]]) -> dict[str, Any]:
    steps = [(call, step) for call, step in calls if step is not None and _is_stubbed(call)]
    made = [_made(call.risk.tool, step.arguments) for call, step in steps if not step.is_rejected]
    performed = {call.risk.tool for call, step in steps if not step.is_rejected}
    not_made = dict.fromkeys(call.risk.tool for call, _ in steps if call.risk.tool not in performed)
    expected = {"error": recorded.error, "calls": made, "not": list(not_made)}
    return {name: value for name, value in expected.items() if value}


def _made(tool: str, arguments: str) -> Any:
    data = _data_of(arguments)
    return tool if data is None else {tool: data}


def _data_of(arguments: str) -> Any:
    """Return recorded arguments as data; `None` if they are cut, or a secret is missing in them."""
    try:
        return None if MASK in arguments else json.loads(arguments)
    except ValueError:
        return None


def _turn(reply: ModelReply) -> Any:
    calls = [{"tool": one.name, "arguments": _data_of(str(one.arguments)) or one.arguments} for one in reply.calls]
    return {name: value for name, value in {"say": reply.text, "calls": calls}.items() if value}


def _stem(recorded: Recorded) -> str:
    return f"{Path(recorded.target.partition(':')[0]).stem}-{recorded.name}"


def _files(
    recorded: Recorded, folder: Path, case: Mapping[str, Any], others: Mapping[Path, Any] = {}
) -> dict[Path, str]:
    data = {folder / f"{_stem(recorded)}.cases.yaml": {"toolkit": 1, "cases": [case]}, **others}
    texts = {file: as_yaml(console.redactor().data(one)) for file, one in data.items()}
    head = _HEAD.format(title=recorded.title) + (_MASKED if MASK in "".join(texts.values()) else "")
    return {file: text if file in others else head + text for file, text in texts.items()}

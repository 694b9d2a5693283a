"""Lists pending approvals and answers them, from any terminal."""

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from toolkit.approvals.audit_log import current_person
from toolkit.approvals.decisions import REVIEWER, Answer, ApprovalAnswer, PendingApproval
from toolkit.problems import did_you_mean
from toolkit.stores.run_stores import RunStore
from toolkit.tools.base import Tool
from toolkit_cli import console
from toolkit_cli.arguments.call_arguments import Given, gather_arguments, objections
from toolkit_cli.command_settings import load_configuration
from toolkit_cli.failures import ExitCode, Failure, refuse
from toolkit_cli.rendering.question_texts import pending_lines
from toolkit_cli.rendering.styles import print_lines
from toolkit_cli.running.answer_sources import audit_of
from toolkit_cli.running.journaled_runs import find_run, store_option

_ANSWERS = {"approve": "approved", "edit": "edited and approved", "reject": "rejected"}


class Reply(NamedTuple):
    """The options of `toolkit runs decide`.

    Attributes:
        reason: The reason for a rejection, for the caller.
        all_like: Whether to give the same answer to all similar questions.
    """

    reason: str
    all_like: bool


def list_approvals(recorded: RunStore, run: str | None, *, as_json: bool) -> ExitCode:
    """Print all pending approval questions with their details.

    Args:
        recorded: The runs.
        run: The id of a run, or its first characters, to list only its questions; all runs if `None`.
        as_json: Whether to print JSON.

    Raises:
        Failure: If there is no such run.
    """
    named = None if run is None else find_run(recorded, run).id
    found = [pending for pending in recorded.open_questions() if named in (None, pending.run)]
    if as_json:
        console.write_json([pending.as_record() for pending in found])
    elif found:
        lines = [line for pending in found for line in pending_lines(pending, console.data_width())]
        print_lines(lines)
        answer = f"toolkit runs decide {found[0].id} approve{store_option(recorded)}"
        console.say(f"answer with: {answer}, or reject, or edit NAME=VALUE")
    else:
        console.say("no pending approvals; runs with --on-approval wait record their questions")
    return ExitCode.SUCCESS


def decide_approval(
    recorded: RunStore,
    id: str | None,
    words: Sequence[str],
    reply: Reply,
) -> ExitCode:
    """Answer a question; the answer is written to the audit log before it takes effect.

    Args:
        recorded: The runs.
        id: The question's id, or its first characters.
        words: The answer, followed by the new arguments for an edit.
        reply: The options of the answer.

    Raises:
        Failure: If no open question has that id, or the answer is not valid for it.
        ConfigurationError: If the audit log cannot be written; the question stays open.
    """
    answer = _answer_in(words, id, store_option(recorded))
    waiting = recorded.open_questions()
    pending = _find(waiting, id, store_option(recorded))
    if answer != "edit" and len(words) > 1:
        raise Failure(
            ExitCode.USAGE, f"`{answer}` takes no arguments: '{words[1]}'", hint="to change arguments, use edit"
        )
    if reply.all_like and answer == "edit":
        raise Failure(ExitCode.USAGE, "--all-like works with approve and reject; an edit changes one call")
    if reply.reason and answer != "reject":
        raise Failure(ExitCode.USAGE, "--reason works only with reject")
    arguments = _edit(pending, words[1:]) if answer == "edit" else None
    meant = [pending]
    if reply.all_like:
        meant = _alike(pending, waiting)
    given = ApprovalAnswer(
        answer, current_person() or "unknown", time.time(), console.redactor().text(reply.reason), arguments
    )
    for one in meant:
        _answer(recorded, one, given)
    _print_answers(meant, answer, store_option(recorded))
    return ExitCode.SUCCESS


def _answer_in(words: Sequence[str], id: str | None, more: str) -> Answer:
    word = words[0] if words else ""
    if word not in _ANSWERS:
        usage = f"write: toolkit runs decide {id or 'ID'} approve{more}, or reject, or edit NAME=VALUE"
        hint = did_you_mean(word, _ANSWERS, otherwise=usage)
        raise Failure(ExitCode.USAGE, f"'{word}' is not an answer" if word else "the answer is missing", hint=hint)
    return cast("Answer", word)


def _find(waiting: Sequence[PendingApproval], id: str | None, more: str) -> PendingApproval:
    if not id:
        hint = f"`toolkit runs approvals{more}` lists them"
        raise Failure(ExitCode.USAGE, "`toolkit runs decide` needs the id of a question", hint=hint)
    found = [pending for pending in waiting if pending.id.startswith(id)]
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(pending.id for pending in found)
        raise Failure(ExitCode.USAGE, f"several questions begin with '{id}'", hint=f"use more of the id: {ids}")
    near = did_you_mean(
        id, [pending.id for pending in waiting], otherwise=f"`toolkit runs approvals{more}` lists them all"
    )
    raise Failure(ExitCode.NOT_FOUND, f"no question '{id}' waits for an answer", hint=near)


def _alike(pending: PendingApproval, waiting: Sequence[PendingApproval]) -> list[PendingApproval]:
    if not pending.alike:
        hint = "leave out --all-like"
        message = "this question is answered alone: its step has no items, or only the exact call can be approved"
        raise Failure(ExitCode.USAGE, message, hint=hint)
    return [one for one in waiting if one.alike == pending.alike]


def _edit(pending: PendingApproval, words: Sequence[str]) -> dict[str, Any]:
    """Return the edited arguments, validated against the schema of the tool.

    Raises:
        Failure: If any of them are invalid; lists all problems.
    """
    question = pending.question
    if not question["editable"]:
        raise Failure(ExitCode.USAGE, "the arguments of this call cannot be edited", hint="approve or reject")
    if not words:
        raise Failure(ExitCode.USAGE, "the new arguments are missing", hint="pass them after edit: edit NAME=VALUE")
    schema: Mapping[str, Any] = {"type": "object", **question["parameters"]}
    tool = Tool.create(question["risk"]["tool"], "Stands for the tool.", schema, lambda **_: "")
    gathered = gather_arguments(tool, Given(tuple(words)))
    arguments = {**question["arguments"], **gathered.arguments}
    problems = [*gathered.problems, *(one.problem for one in objections(tool, arguments))]
    refuse(problems)
    return arguments


def _answer(recorded: RunStore, pending: PendingApproval, given: ApprovalAnswer) -> None:
    """Write an answer to the audit log, then save it.

    Raises:
        Failure: If the question has been answered in the meantime.
    """
    audit = audit_of(load_configuration(), always=True)
    if audit is not None:
        audit.append(_record_of(pending, given))
    if not recorded.answer(pending.id, given):
        raise Failure(ExitCode.USAGE, f"the question '{pending.id}' has been answered in the meantime")


def _record_of(pending: PendingApproval, given: ApprovalAnswer) -> dict[str, Any]:
    question = pending.question
    return {
        "event": "answer",
        "question": pending.id,
        "tool": question["risk"]["tool"],
        "source": question["risk"]["source"],
        "run": pending.run,
        "outermost_run": pending.run,
        "place": question["place"],
        "definition": question["definition"],
        "digest": pending.digest,
        "arguments": question["arguments"],
        "decision": given.answer,
        "by": REVIEWER,
        "person": given.by,
        "reason": given.reason,
        "edit": None if given.arguments is None else {"before": question["arguments"], "after": given.arguments},
    }


def _print_answers(meant: Sequence[PendingApproval], answer: Answer, more: str) -> None:
    for one in meant:
        place = one.question["place"]
        console.say(f"{_ANSWERS[answer]}: {one.question['risk']['tool']}{f' · {place}' if place else ''}")
    for run in dict.fromkeys(one.run for one in meant):
        console.say(f"continue with: toolkit runs resume {run}{more}")

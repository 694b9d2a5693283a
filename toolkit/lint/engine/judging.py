"""The child process that reads large files and checks them with the rules, one after another.

It runs no user code. It reads one JSON object per line and answers each with one; `checked_files` is the parent's side.
"""

import gc
import json
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from toolkit.lint.engine.collecting import Channel
from toolkit.lint.engine.file_checks import FileChecker
from toolkit.lint.engine.reports import definition_record, report_record
from toolkit.lint.engine.requests import Request
from toolkit.lint.rule import RuleSettings
from toolkit.lint.rules import make_rules
from toolkit.problems import read_problem

_OBJECTS: Final = 100_000
"""The threshold of garbage collection: a syntax tree has many objects, and nearly all live as long as the tree."""


def main() -> None:
    """Answer requests until the channel is closed."""
    channel = Channel.take()
    providers, limits, directory, decorators = channel.setup["rule_settings"]
    settings = RuleSettings(tuple(providers), limits, Path(directory), tuple(decorators))
    checker = FileChecker(make_rules(channel.setup["codes"], settings), tool_decorators=settings.tool_decorators)
    gc.freeze()
    gc.set_threshold(_OBJECTS, 10, 10)
    for request in channel.requests():
        with _limited(channel.setup["seconds"]):
            answers = [_judge(checker, question) for question in request["files"]]
        channel.rest()
        channel.answer(f'{{"files": [{", ".join(answers)}]}}')


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """End the process after so much processor time: how busy the machine is says nothing about a file."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)
    yield
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, 0)


def _judge(checker: FileChecker, question: Mapping[str, Any]) -> str:
    try:
        report = checker.look(checker.read(Request(*question["request"])), _read_answer(question))
        tools = [definition_record(tool) for tool in report.tools]
        return json.dumps({"report": report_record(report), "tools": tools, "needs": report.needs}, default=repr)
    except (MemoryError, RecursionError) as error:
        return json.dumps({"gave_up": type(error).__name__})


def _read_answer(question: Mapping[str, Any]) -> Any:
    problem = question["problem"]
    return question["answer"] if problem is None else read_problem(problem)

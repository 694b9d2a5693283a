"""Checks whether a tool keeps the promises of its definition: calls it with many inputs, and judges how that ends."""

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from math import ceil, inf
from pathlib import Path
from typing import Any, Final, NamedTuple

from toolkit.codes import FAILING_CALL, LEAKING_ERROR, UNREPEATABLE_CALL, UNTRUE_SCHEMA, UNUSABLE_RESULT
from toolkit.json_texts import json_text
from toolkit.problems import Problem, Severity
from toolkit.redactors.redactor import redactor_of_environment
from toolkit.testing.argument_values import ArgumentMaker, Input
from toolkit.testing.outcomes import NOT_APPROVED, TOLD, Outcome
from toolkit.testing.shrinking import smallest
from toolkit.testing.worker_pool import TestedTool
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.foreign.frameworks import FRAMEWORKS, title_of
from toolkit.tools.outcomes import UNWRITABLE

MOST_TOKENS: Final = 25_000
"""Results that are longer are reported. Claude Code refuses results of MCP tools that are longer than this."""
_SHARE_OF_BROKEN: Final = 0.5
_SHRINKING: Final = 60
_SMALL_ENOUGH: Final = {"invalid-accepted", "valid-refused", "result-size", "result-budget"}
"""The findings whose input is not shrunk, since a smaller one says no more."""
_SHRINKING_OF_ENDINGS: Final = 6
_MOST_SUGGESTIONS: Final = 6
_MOST_REFUSALS: Final = 4
_LONGEST_SHOWN: Final = 2_000
_SERVED_OVER_STDIO: Final = {"fastmcp", "mcp_sdk"}

Call = Callable[[dict[str, Any]], Outcome]


class Finding(NamedTuple):
    """One thing that is wrong with a tool.

    Attributes:
        kind: What is wrong: `crash`, `hang`, `exit`, `output`, `valid-refused`, `invalid-accepted`, `result-type`,
            `result-size`, `result-budget`, `no-json`, `unstable`, `arguments-changed`, `leak`.
        problem: The same as a problem, with the place and a hint.
        arguments: The smallest input that shows it.
        breaks: The keyword that the input violates, with its place; empty for a valid input.
    """

    kind: str
    problem: Problem
    arguments: dict[str, Any]
    breaks: str = ""


class ToolReport(NamedTuple):
    """The result of checking one tool.

    Attributes:
        spec: The definition of the tool.
        calls: How many calls it answered, in whatever way.
        ok: How many calls succeeded.
        refused: How many calls it refused.
        failed: How many calls crashed, hung, or ended the process.
        slowest: The longest call, in seconds.
        tokens: The longest result, in tokens, as an estimate.
        results: How many different results the successful calls had.
        findings: What is wrong with it.
        not_called: Why it was not called; empty if it was.
        is_cut: Whether inputs were left out, since its calls take long.
        told: How many of the refusals were told like any other result, so that clients take them for successes.
    """

    spec: ToolSpec
    calls: int = 0
    ok: int = 0
    refused: int = 0
    failed: int = 0
    slowest: float = 0.0
    tokens: int = 0
    results: int = 0
    findings: tuple[Finding, ...] = ()
    not_called: str = ""
    is_cut: bool = False
    told: int = 0


def check_tool(
    tool: TestedTool,
    call: Call,
    *,
    seed: int,
    examples: int,
    known: Iterable[dict[str, Any]] = (),
    budget: int | None = None,
    longest: float = inf,
) -> ToolReport:
    """Check a tool.

    Args:
        tool: The tool.
        call: Calls it.
        seed: Determines which combinations of values are tried.
        examples: The maximum number of valid inputs.
        known: Inputs with which it has failed before, which are tried first.
        budget: The project's limit for the tokens of a result, unless the tool has its own.
        longest: After how many seconds of calls the other inputs are left out.
    """
    try:
        maker = ArgumentMaker(_plain(tool.spec.parameters), f"{seed}:{tool.spec.name}")
    except ValueError as error:
        return ToolReport(tool.spec, not_called=f"its schema cannot be read: {error}")
    check = _Check(tool, call, maker, examples=examples, budget=tool.spec.result_tokens or budget, longest=longest)
    return check.run(list(known))


class _Check:
    """The check of one tool."""

    def __init__(
        self, tool: TestedTool, call: Call, maker: ArgumentMaker, *, examples: int, budget: int | None, longest: float
    ) -> None:
        self._budget, self._longest = budget, longest
        self._spec, self._place = tool.spec, tool.place or tool.spec.location
        self._call, self._maker, self._examples = call, maker, examples
        self._findings: dict[tuple[Any, ...], Finding] = {}
        self._outcomes: list[Outcome] = []
        self._accepted: Input | None = None
        self._denied = 0
        self._refusals: list[tuple[dict[str, Any], Outcome]] = []

    def run(self, known: list[dict[str, Any]]) -> ToolReport:
        seconds = 0.0
        for one in self._inputs(known):
            outcome = self._call(one.arguments)
            if outcome.status == "hung":  # perhaps only the first call takes long, or the machine was busy
                outcome = self._call(one.arguments)
            if outcome.status == "denied":
                self._denied += 1
                reason = outcome.error
                if not self._outcomes and self._denied >= min(self._examples, 10):
                    return ToolReport(self._spec, not_called=self._why_denied(reason))
                continue
            self._outcomes.append(outcome)
            self._judge(one, outcome)
            seconds += outcome.seconds
            if _ends_process(outcome) or seconds > self._longest:
                break
        if not self._outcomes:
            return ToolReport(self._spec, not_called=self._why_denied(NOT_APPROVED))
        if seconds <= self._longest:
            self._call_again()
        return self._report()._replace(is_cut=seconds > self._longest)

    def _inputs(self, known: list[dict[str, Any]]) -> Iterator[Input]:
        """Yield inputs: those that failed before, the tool's examples, and valid ones, then broken ones."""
        tried = set()
        valid = self._maker.valid(self._examples)
        for one in known:
            yield self._classified(one, "kept")
            tried.add(json_text(one))
        examples = [Input(_plain(one), "", "example") for one in self._spec.examples]
        for other in [*examples, *map(Input, valid)]:
            if (text := json_text(other.arguments)) not in tried:
                tried.add(text)
                yield other
        yield from self._suggested(valid)
        if self._outcomes:  # only what may be called at all is called with broken arguments
            broken = self._maker.broken([*valid[:2], *valid[-1:]])
            yield from broken[: ceil(max(self._examples, 2) * _SHARE_OF_BROKEN)]

    def _suggested(self, valid: list[dict[str, Any]]) -> Iterator[Input]:
        """Yield refused inputs with the words that their refusals quote, such as the names that a tool knows."""
        given = json_text(valid)
        tried = set()
        for base, outcome in list(self._refusals):
            words = [word for word in _QUOTED.findall(outcome.error) if word not in given]
            for word in words[:_MOST_SUGGESTIONS]:
                for name in (name for name, value in base.items() if isinstance(value, str)):
                    arguments = {**base, name: word}
                    if (text := json_text(arguments)) not in tried and self._maker.accepts(arguments):
                        tried.add(text)
                        yield Input(arguments, "", "suggested")

    def _classified(self, arguments: dict[str, Any], origin: str) -> Input:
        return Input(arguments, "" if self._maker.accepts(arguments) else "the schema", origin)

    def _why_denied(self, reason: str) -> str:
        if NOT_APPROVED not in reason:
            return reason.removeprefix("Rejected by reviewer: ")
        if self._spec.destructive:
            return "marked as destructive"
        return "requires approval" if self._spec.requires_approval else "not marked read-only"

    def _report(self) -> ToolReport:
        ends = [one.status for one in self._outcomes]
        return ToolReport(
            self._spec,
            calls=len(ends),
            ok=ends.count("ok"),
            refused=ends.count("refused"),
            failed=sum(one in {"crashed", "hung", "ended"} for one in ends),
            slowest=max(one.seconds for one in self._outcomes),
            tokens=max(one.tokens for one in self._outcomes),
            results=len({one.digest for one in self._outcomes if one.status == "ok"}),
            findings=tuple(self._findings.values()),
            told=sum(one.kind == TOLD for one in self._outcomes),
        )

    # ------------------------------------------------------------------------------------------------------ judging

    def _judge(self, one: Input, outcome: Outcome) -> None:
        kinds = list(self._kinds(one, outcome))
        for kind, mark in kinds:
            if (kind, mark) not in self._findings:
                self._findings[kind, mark] = self._finding(kind, mark, one, outcome)
        if outcome.status == "refused" and not one.breaks and len(self._refusals) < _MOST_REFUSALS:
            self._refusals.append((one.arguments, outcome))
        if outcome.status == "ok" and not one.breaks and self._accepted is None:
            self._accepted = one

    def _kinds(self, one: Input, outcome: Outcome) -> Iterator[tuple[str, Any]]:
        """Yield what is wrong with a call, and what tells this apart from other defects of the same kind."""
        match outcome.status:
            case "crashed" if outcome.kind == UNWRITABLE:
                yield "no-json", ""
            case "crashed":
                yield "crash", (outcome.kind, outcome.place and outcome.place[:2])
            case "hung":
                yield "hang", ""
            case "ended":
                yield "exit", ""
            case "refused":
                yield from self._kinds_of_refusal(one, outcome)
            case "ok":
                yield from self._kinds_of_result(one, outcome)
        if outcome.printed and self._spec.framework in _SERVED_OVER_STDIO:
            yield "output", ""
        if outcome.changed:
            yield "arguments-changed", ""
        if outcome.status in {"refused", "crashed"} and _leak_in(outcome.error, one.arguments):
            yield "leak", ""

    def _kinds_of_result(self, one: Input, outcome: Outcome) -> Iterator[tuple[str, Any]]:
        if one.breaks and self._spec.framework is not None and one.origin == "generated":
            yield "invalid-accepted", one.breaks
        if outcome.mismatch:
            yield "result-type", ""
        if outcome.tokens > (self._budget or MOST_TOKENS):
            yield "result-size" if self._budget is None else "result-budget", ""

    def _kinds_of_refusal(self, one: Input, outcome: Outcome) -> Iterator[tuple[str, Any]]:
        if _UNSERIALIZABLE.search(outcome.error) and outcome.place is None:
            yield "no-json", ""
        elif _OUTPUT_INVALID.search(outcome.error) and outcome.place is None:
            yield "result-type", ""
        elif one.origin == "example" or (not one.breaks and outcome.kind == "invalid_arguments"):
            yield "valid-refused", ""

    def _finding(self, kind: str, mark: Any, one: Input, outcome: Outcome) -> Finding:
        last = [outcome]

        def fails(arguments: dict[str, Any]) -> bool:
            if not one.breaks and not self._maker.accepts(arguments):
                return False
            other = self._call(arguments)
            found = (kind, mark) in self._kinds(one._replace(arguments=arguments), other)
            if found:
                last[0] = other
            return found

        most = _SHRINKING_OF_ENDINGS if _ends_process(outcome) else _SHRINKING
        is_small = outcome.status == "hung" or kind in _SMALL_ENOUGH
        least = one.arguments if is_small else smallest(one.arguments, fails, most)
        return self._described(kind, one._replace(arguments=least), last[0])

    def _described(self, kind: str, one: Input, outcome: Outcome) -> Finding:
        code, severity, words = _WORDS[kind]
        name = self._spec.name
        given = f" (which breaks {one.breaks})" if one.breaks and kind != "invalid-accepted" else ""
        message = words.format(
            name=name,
            error=_short(f"{outcome.kind}: {outcome.error}" if outcome.kind not in outcome.error else outcome.error),
            breaks=one.breaks,
            printed=_short(outcome.printed),
            mismatch=outcome.mismatch or _short(outcome.error),
            tokens=f"{outcome.tokens:,}",
            most=f"{self._budget or MOST_TOKENS:,}",
        )
        hints = [f"the smallest input{given}: {_short(json_text(one.arguments))}"]
        if kind == "crash":
            hints.append(self._how_to_refuse())
        problem = Problem(code, message, outcome.place or self._place, severity, "\n".join(filter(None, hints)))
        return Finding(kind, problem, one.arguments, one.breaks)

    def _how_to_refuse(self) -> str:
        framework = self._spec.framework
        known = FRAMEWORKS.get(framework or "")
        if framework is not None and known and known.refusals:
            return f"to refuse an input, a {title_of(framework)} tool raises {known.refusals[0]}"
        return "to refuse an input, raise an exception with a message"

    def _call_again(self) -> None:
        """Call an idempotent read-only tool again with the same arguments."""
        if self._accepted is None or not (self._spec.idempotent and self._spec.read_only):
            return
        first, second = self._call(self._accepted.arguments), self._call(self._accepted.arguments)
        self._outcomes += [first, second]
        if first.status == second.status == "ok" and first.digest != second.digest:
            self._findings["unstable", ""] = self._described("unstable", self._accepted, second)


_QUOTED: Final = re.compile(r"""['"`]([\w.-]{1,30})['"`]""")
_UNSERIALIZABLE: Final = re.compile(
    r"(?i)unable to serialize|not (?:json )?serializable|cannot be (?:written as|serialized)"
)
_OUTPUT_INVALID: Final = re.compile(r"(?i)output validation error|invalid structured content|output ?schema")

_Words = tuple[str, Severity, str]
_WORDS: Final[dict[str, _Words]] = {
    "crash": (FAILING_CALL, "error", "'{name}' crashes: {error}"),
    "hang": (FAILING_CALL, "error", "'{name}' hangs: {error}"),
    "exit": (FAILING_CALL, "error", "'{name}' ends its process: {error}"),
    "output": (
        FAILING_CALL,
        "error",
        "'{name}' writes to standard output, which over stdio belongs to the protocol: {printed}",
    ),
    "valid-refused": (UNTRUE_SCHEMA, "warning", "'{name}' refuses an input that its definition allows: {error}"),
    "invalid-accepted": (UNTRUE_SCHEMA, "warning", "'{name}' accepts an input that breaks {breaks}"),
    "result-type": (UNUSABLE_RESULT, "error", "the result of '{name}' does not match its output schema: {mismatch}"),
    "no-json": (UNUSABLE_RESULT, "error", "the result of '{name}' cannot be written as JSON: {error}"),
    "result-size": (
        UNUSABLE_RESULT,
        "warning",
        "a result of '{name}' has about {tokens} tokens, more than {most}",
    ),
    "result-budget": (
        UNUSABLE_RESULT,
        "error",
        "a result of '{name}' has about {tokens} tokens, more than its limit of {most} (result_tokens)",
    ),
    "unstable": (
        UNREPEATABLE_CALL,
        "warning",
        "'{name}' is idempotent and read-only, and gives two results for one input",
    ),
    "arguments-changed": (UNREPEATABLE_CALL, "warning", "'{name}' changes its arguments"),
    "leak": (
        LEAKING_ERROR,
        "warning",
        "an error message of '{name}' contains a secret or a path of this machine: {error}",
    ),
}


def _plain(data: Any) -> Any:
    """Return a copy of data that consists of dictionaries and lists."""
    return json.loads(json_text(data))


def _ends_process(outcome: Outcome) -> bool:
    """Return whether a call ended its process, or left it without memory."""
    return outcome.status in {"hung", "ended"} or outcome.kind == "MemoryError"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}… ({len(text):,} characters)"


_PATH: Final = re.compile(r"(?:[A-Za-z]:\\\\?|/)(?:[\w.@+-]+[/\\])+[\w.@+-]+")


def _leak_in(message: str, arguments: dict[str, Any]) -> bool:
    """Return whether an error message has a secret of the environment, or a path of this machine that was not given."""
    if redactor_of_environment().text(message) != message:
        return True
    roots = {str(Path.cwd()), str(Path.home()), sys.prefix, sys.base_prefix, os.path.realpath(sys.prefix)} - {"/"}
    given = json_text(arguments)
    return any(
        path not in given and any(path.startswith(f"{root}{os.sep}") for root in roots)
        for path in _PATH.findall(message)
    )

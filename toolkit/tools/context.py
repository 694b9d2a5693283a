"""The context of a call, which the caller provides and a model never sees."""

import logging
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toolkit.approvals.decisions import (
    DEFAULT_TIMEOUT,
    Continue,
    Decision,
    Edit,
    OnTimeout,
    Refused,
    Reject,
    ReviewRequest,
)
from toolkit.approvals.gates import Gate
from toolkit.approvals.policies import Chooser, DescribedCall, Policy, Risk
from toolkit.approvals.reviewers import Reviewer
from toolkit.errors import ConfigurationError, Signal, ToolArgumentsError
from toolkit.events import FileChanged, Progress, redacted
from toolkit.freezing import NO_VALUES, freeze_mapping
from toolkit.redactors.redactor import Redactor, redactor_of_environment
from toolkit.running import loop_is_running, run_in_loop
from toolkit.tools.calls.json_data import plain_data
from toolkit.tools.calls.metrics import NO_METRICS, NO_REPORT, Finished, Metrics, Report, Started, Waiting
from toolkit.tools.questions import OwnQuestion, RunningCall, decide

if TYPE_CHECKING:
    from typing import Literal

    from toolkit.events import Event, Listener
    from toolkit.runs.records import Journal
    from toolkit.runs.run import Run
    from toolkit.tools.callees import Callee
    from toolkit.tools.calls.call_limits import Limiter


class MemoryId:
    """Marks a parameter that receives the context's memory id: `user: Annotated[str, MemoryId]`.

    The parameter is not part of the schema, and a value that a model sends for it is ignored.
    """


class ListenerError(Signal):
    """A listener raised an exception; this does not mean that the tool has failed."""


_OUTSIDE_CALLS = {"call": None, "item": None, "step": None, "waits": None, "limiter": None}
"""The attributes that describe a running call, outside of any call."""


class ToolContext:
    """What the caller provides for a call: values, the reviewer, the event listener and the metrics.

    A context is immutable. Mappings, lists and sets among its values are copied and frozen; objects of other types are
    kept as they are. `merge` and `replace` return a new context. A function receives the context in any parameter
    annotated `ToolContext`.

    Example:
        >>> from toolkit import ToolContext, from_function
        >>> def greet(name: str, context: ToolContext) -> str:
        ...     '''Greet somebody.'''
        ...     return f"{context['greeting']}, {name}!"
        >>> from_function(greet).run({"name": "Ada"}, ToolContext({"greeting": "Hei"})).output
        'Hei, Ada!'
    """

    def __init__(  # noqa: PLR0913 - all are optional and keyword-only
        self,
        values: Mapping[str, Any] | None = None,
        *,
        memory_id: str | None = None,
        reviewer: Reviewer | None = None,
        policy: Policy | None = None,
        gate: Gate | None = None,
        metrics: Metrics | None = None,
        loop_id: str | None = None,
        run: "Run | None" = None,
        listener: "Listener | None" = None,
        agent: str | None = None,
        chosen_by: Chooser | None = None,
        place: str | None = None,
        strict: bool = False,
        redactor: "Redactor | None" = None,
        result_tokens: int | None = None,
    ) -> None:
        """Create a context.

        Args:
            values: Anything that the tools need: a tenant, a token, a correlation id.
            memory_id: Identifies whose memory to use, for parameters marked with `MemoryId`.
            reviewer: Answers questions; combined with `policy` to a gate.
            policy: Decides which calls need approval; `ByRisk` by default.
            gate: A gate, instead of `reviewer` and `policy`.
            metrics: Counts calls.
            loop_id: Identifies the agent's loop.
            run: The run that the call belongs to.
            listener: Receives every event when it happens, in the same thread.
            agent: The role with which metrics are tagged; `unknown` by default.
            chosen_by: Who chose the call: a `person` (the default) or a `model`.
            place: The position in a run, shown to the reviewer: `step 3/5 · pipeline report`.
            strict: Whether a call that needs approval raises `ConfigurationError` if there is no reviewer, instead of
                running without approval. Contexts derived from a strict context are strict too.
            redactor: Keeps secrets out of events, logs and messages; with a listener, those of the environment.
            result_tokens: The most tokens of a result for an agent's model, of tools without a limit of their own.

        Raises:
            ConfigurationError: If a gate is combined with a reviewer or a policy, or `chosen_by` is not valid.
        """
        vars(self).update(
            values=freeze_mapping(values) if values else NO_VALUES,
            memory_id=memory_id,
            gate=_gate_of(gate, reviewer, policy) or (_NOBODY_TO_ASK if strict else None),
            metrics=metrics or NO_METRICS,
            loop_id=loop_id,
            run=run,
            listener=listener,
            agent=agent or "unknown",
            chosen_by=_checked_chooser(chosen_by) or "person",
            place=place,
            strict=strict,
            path=None if run is None else "",
            journal=None if run is None else run.journal,
            redactor=_new_redactor() if listener is not None and redactor is None else redactor,
            result_tokens=result_tokens,
            **_OUTSIDE_CALLS,
        )

    if TYPE_CHECKING:
        values: Mapping[str, Any]
        memory_id: str | None
        gate: Gate | None
        metrics: Metrics
        loop_id: str | None
        run: Run | None
        listener: Listener | None
        agent: str
        chosen_by: Chooser
        place: str | None
        strict: bool
        call: RunningCall | None
        item: str | None
        step: str | None
        path: str | None
        journal: Journal | None
        redactor: Redactor | None
        result_tokens: int | None
        waits: Waiting | None
        limiter: Limiter | None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a ToolContext is immutable; use context.replace({name}=…)")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a ToolContext is immutable; use context.replace({name}=None)")

    def __repr__(self) -> str:
        """Return the keys without their values, which may be secret."""
        return f"ToolContext({sorted(self.values)}, memory_id={self.memory_id!r})"

    def __getitem__(self, key: str) -> Any:
        """Return a value.

        Raises:
            KeyError: If there is no such value; the message lists the keys.
        """
        try:
            return self.values[key]
        except KeyError:
            known = ", ".join(sorted(self.values)) or "none"
            raise KeyError(f"the context has no value {key!r} (it has: {known})") from None

    def __contains__(self, key: object) -> bool:
        """Return whether the context has a value."""
        return key in self.values

    def get(self, key: str, default: Any = None) -> Any:
        """Return a value, or `default` if there is none."""
        return self.values.get(key, default)

    def replace(self, **changes: Any) -> "ToolContext":
        """Return a copy with other values for some attributes; a copy of a strict context is strict too.

        Raises:
            ConfigurationError: If `chosen_by` is not valid.
        """
        if "chosen_by" in changes:
            _checked_chooser(changes["chosen_by"])
        if self.strict or changes.get("strict"):
            changes |= {"strict": True, "gate": changes.get("gate", self.gate) or _NOBODY_TO_ASK}
        if "values" in changes:
            changes["values"] = freeze_mapping(changes["values"])
        return self._with(**changes)

    def _with(self, **changes: Any) -> "ToolContext":
        other = object.__new__(ToolContext)
        attributes = vars(other)
        attributes.update(vars(self), **changes)
        if len(attributes) != len(vars(self)):
            raise TypeError(f"a ToolContext has no attribute {min(changes.keys() - vars(self).keys())!r}")
        return other

    def merge(self, inner: "ToolContext | None") -> "ToolContext":
        """Return this context combined with an inner one; what the inner context sets takes precedence."""
        if inner is None:
            return self
        unset = {"metrics": NO_METRICS, "agent": "unknown", "chosen_by": "person", "strict": False}
        values = {
            name: value for name, value in vars(inner).items() if name != "values" and value is not unset.get(name)
        }
        if inner.gate is _NOBODY_TO_ASK:
            values["gate"] = self.gate or _NOBODY_TO_ASK  # the reviewer of the outer context can still be asked
        return self.replace(values={**self.values, **inner.values}, **values)

    def shown_state(self, name: str) -> str | None:
        """Return the state of something when a reviewer saw the preview of this call and approved it.

        `None` if no state was shown, so there is nothing to compare. See `Preview`.
        """
        return self.call.shown_state.get(name) if self.call is not None else None

    @property
    def tool(self) -> str | None:
        """The name of the running tool, as it was called."""
        return self.call.tool.name if self.call is not None else None

    @property
    def idempotency_key(self) -> str | None:
        """The id of this call, which stays the same if the call is repeated when an interrupted run is resumed.

        Send it to a service that supports idempotency keys, so that nothing happens twice. `None` outside of a run.
        """
        return None if self.run is None or self.path is None else f"{self.run.lineage[-1].id}/{self.path}"

    @property
    def logger(self) -> logging.Logger:
        """The logger of the running tool: `toolkit.tools.<name>`."""
        return logging.getLogger(f"toolkit.tools.{self.tool}" if self.tool else "toolkit.tools")

    @property
    def can_ask(self) -> bool:
        """Whether there is a reviewer to ask."""
        return self.gate is not None and self.gate.can_ask

    def within(self, tool: "Callee", arguments: str | Mapping[str, Any]) -> "ToolContext":
        """Return the context for a running call, which knows the call and measures its waiting time."""
        other = object.__new__(ToolContext)
        vars(other).update(vars(self), call=RunningCall(tool, arguments, self.call, {}, []), waits=Waiting(self.waits))
        return other

    def approved(
        self, arguments: str | Mapping[str, Any], shown_state: Mapping[str, str], *by_reviewer: Any
    ) -> "ToolContext":
        """Return the context for a running call that was approved with these arguments after this state was shown.

        `by_reviewer` contains the parsed arguments if a reviewer approved them, rather than a rule or a flag.
        """
        if self.call is None:
            return self
        return self._with(
            call=self.call._replace(arguments=arguments, shown_state=shown_state, approvals=[*by_reviewer])
        )

    def emit(self, event: "Event") -> None:
        """Send an event to the listener, if there is one, with known secrets redacted.

        Raises:
            ListenerError: If the listener raises an exception; this signal passes through every call.
        """
        if self.listener is None:
            return

        try:
            self.listener(redacted(event, self.redactor or _new_redactor()))
        except Signal:
            raise
        except Exception as error:
            raise ListenerError(f"the listener failed on {event.kind!r}: {error}") from error

    def reporting(self, started: Started, finished: Finished) -> AbstractContextManager[int]:
        """Report to the listener that something starts and, however the `with` block ends, that it has finished.

        Without a listener, no events are created.

        Example:
            >>> from toolkit.events import PipelineFinished, PipelineStarted
            >>> context = ToolContext(listener=lambda event: print(event.kind))
            >>> with context.reporting(
            ...     lambda call: PipelineStarted(call, "report", 1),
            ...     lambda call, seconds: PipelineFinished(call, "report", "success", None, seconds),
            ... ):
            ...     print("at work")
            pipeline_started
            at work
            pipeline_finished

        Args:
            started: Creates the event for the start from the number of the call, which the block receives too.
            finished: Creates the event for the finish from that number and the duration in seconds.
        """
        return NO_REPORT if self.listener is None else Report(self.emit, started, finished)

    def progress(self, message: str, done: float | None = None, of: float | None = None) -> None:
        """Report progress, in units that the tool chooses.

        Args:
            message: What the tool is doing.
            done: The amount of work done so far.
            of: The total amount of work.
        """
        if self.listener is not None:
            self.emit(Progress(tool=self.tool or "", message=message, done=done, of=of, item=self.item))

    def file_changed(
        self,
        path: str,
        change: "Literal['created', 'modified', 'deleted']",
        lines_added: int = 0,
        lines_removed: int = 0,
    ) -> None:
        """Report that the tool has created, modified or deleted a file."""
        if self.listener is not None:
            self.emit(FileChanged(self.tool or "", path, change, lines_added, lines_removed))

    def request_approval(
        self,
        text: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        preview: str | None = None,
        timeout: float | None = DEFAULT_TIMEOUT,
        on_timeout: OnTimeout = "reject",
        answer_is_text: bool = False,
    ) -> Decision:
        """Ask for approval from a synchronous function and wait for the answer. See `request_approval_async`.

        Raises:
            ConfigurationError: If an event loop is running in this thread, since the call would block it.
        """
        if self.gate is None:
            return Continue()
        if loop_is_running():
            message = "request_approval would block the event loop: await request_approval_async(…) in async functions"
            raise ConfigurationError(message)
        return run_in_loop(
            self.request_approval_async(
                text, arguments, preview=preview, timeout=timeout, on_timeout=on_timeout, answer_is_text=answer_is_text
            )
        )

    async def request_approval_async(
        self,
        text: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        preview: str | None = None,
        timeout: float | None = DEFAULT_TIMEOUT,  # noqa: ASYNC109 - the gate applies it according to `on_timeout`
        on_timeout: OnTimeout = "reject",
        answer_is_text: bool = False,
    ) -> Decision:
        """Ask for approval while the tool is running.

        Args:
            text: The question.
            arguments: The data to approve, as plain data; the reviewer sees all of it.
            preview: What would be done, such as a unified diff.
            timeout: Time limit for the answer in seconds.
            on_timeout: What to do without an answer; this never approves.
            answer_is_text: Whether the answer is free text, which is returned as `Edit`.

        Returns:
            `Continue`, `Edit` or `Reject`. Without a reviewer in the context, `Continue`.

        Raises:
            ExitEarlyError: If the reviewer ends the run.
        """
        if self.gate is None:
            return Continue()
        risk = self.call.tool.spec.risk if self.call is not None else Risk(self.tool or "")
        request = ReviewRequest(
            text,
            replace(risk, requires_approval=True),
            plain_data(arguments or {}),
            asked_by="the tool asks",
            place=self.place,
            preview=preview,
            timeout=timeout,
            on_timeout=on_timeout,
            answer_is_text=answer_is_text,
            editable=bool(arguments) or answer_is_text,
        )
        if self.call is not None:
            request = self.call.asks(request, context=self)
        call = self._call_of(request, self.gate)
        question = OwnQuestion(request, call, self)
        try:
            decision = await decide(self, None if answer_is_text else call, question)
        except ToolArgumentsError as error:
            return Reject(str(error))
        if isinstance(decision, Refused):
            return Reject(decision.reason)
        return decision.decision if question.edited is None else Edit(question.edited, by=decision.decision.by)

    def _call_of(self, request: ReviewRequest, gate: Gate) -> DescribedCall:
        """Return the call that a question of a running tool is about, as a policy sees it."""
        flow = self.call.tool.described.risk.flow if self.call is not None else frozenset()
        risk = replace(request.risk, flow=flow)
        return DescribedCall(risk, self.chosen_by, request.asked_by, request.arguments, earlier=gate.history.tools)


def _gate_of(gate: Gate | None, reviewer: Reviewer | None, policy: Policy | None) -> Gate | None:
    """Return the given gate, or a new one with the reviewer and the policy.

    Raises:
        ConfigurationError: If both are given.
    """
    if reviewer is None and policy is None:
        return gate
    if gate is not None:
        raise ConfigurationError("a ToolContext takes either a gate, or a reviewer and a policy, but not both")
    return Gate(reviewer, policy)


def _checked_chooser(chosen_by: Chooser | None) -> Chooser | None:
    if chosen_by not in {None, "person", "model"}:
        raise ConfigurationError(f"chosen_by is 'person' or 'model', not {chosen_by!r}")
    return chosen_by


_NOBODY_TO_ASK = Gate()
"""The gate of a strict context without a gate: calls that need approval are refused."""


def _new_redactor() -> "Redactor":
    return Redactor(outer=redactor_of_environment())


NO_CONTEXT = ToolContext()
"""The default context of a call."""

"""Contexts: what the caller hands in with a call and a model never sees."""

import logging
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toolkit.approvals.decisions import Continue, Decision, Reject
from toolkit.approvals.gates import Gate
from toolkit.approvals.permissions import Refused
from toolkit.approvals.policies import DescribedCall, Policy
from toolkit.approvals.requests import DEFAULT_TIMEOUT, OnTimeout, ReviewRequest
from toolkit.approvals.reviewers import Reviewer
from toolkit.approvals.risks import Chooser, Risk
from toolkit.errors import ConfigurationError, Signal
from toolkit.events import FileChanged, Progress, redacted
from toolkit.freezing import NO_VALUES, freeze_mapping
from toolkit.redactors.environment import redactor_of_environment
from toolkit.redactors.redactor import Redactor
from toolkit.running import loop_is_running, run_in_loop
from toolkit.tools.approval_checks import decide
from toolkit.tools.metrics import NO_METRICS, Metrics
from toolkit.tools.plain_arguments import plain_data
from toolkit.tools.questions import RunningCall
from toolkit.tools.reports import UNHEARD, Finished, Report, Started
from toolkit.tools.subjects import Subject
from toolkit.tools.wait_clocks import Waiting

if TYPE_CHECKING:
    from typing import Literal

    from toolkit.events import Event, Listener
    from toolkit.runs.journal import Journal
    from toolkit.runs.run import Run
    from toolkit.tools.limits import Limiter


class MemoryId:
    """Marks a parameter that receives the context's memory id: `user: Annotated[str, MemoryId]`.

    It is in no schema, and what a model sends under its name is ignored.
    """


class ListenerError(Signal):
    """A listener raised an error; the tool whose event it received has not failed."""


_OUTSIDE_CALLS = {"call": None, "item": None, "step": None, "waits": None, "limiter": None}
"""What a context has of a running call, and of what makes it wait, before there is any."""


class ToolContext:
    """What the caller passes in with a call: values, the reviewer, the event listener and the metrics.

    A context never changes, and neither do the mappings, lists and sets among its values: they are copied when it is
    made. Objects of other types stay what they are. `merge` and `replace` return another context. A function
    receives it through any parameter annotated `ToolContext`.

    Example:
        >>> from toolkit import ToolContext, from_function
        >>> def greet(name: str, context: ToolContext) -> str:
        ...     '''Greet somebody.'''
        ...     return f"{context['greeting']}, {name}!"
        >>> from_function(greet).run({"name": "Ada"}, ToolContext({"greeting": "Hei"})).output
        'Hei, Ada!'
    """

    def __init__(  # noqa: PLR0913 - nothing is needed, all by keyword
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
    ) -> None:
        """Keep what is given; nothing is needed.

        Args:
            values: Anything the tools need: a tenant, a token, a correlation id.
            memory_id: Whose memory this is, for parameters marked with `MemoryId`.
            reviewer: Who answers questions; with `policy` it makes a gate.
            policy: Who must be asked about; `ByRisk` unless one is given.
            gate: A ready gate, instead of the two.
            metrics: What counts calls.
            loop_id: Which agent's loop this is, where there are several.
            run: The run that the call belongs to.
            listener: Receives every event, as it happens, in the thread where it happens.
            agent: The role that metrics are tagged with; `unknown` unless one is given.
            chosen_by: Who chose the call: a `person` (the default) or a `model`.
            place: Where in a run this is, for the reviewer: `step 3/5 · pipeline report`.
            strict: Whether what would be asked about raises a ConfigurationError where there is nobody to ask; without
                it, a destructive tool runs unasked then. What is made of a strict context is strict too.
            redactor: Keeps secrets out of events, logs, questions and what models receive. With a listener, one that
                knows the secrets of the environment unless it is given.

        Raises:
            ConfigurationError: If a gate is given beside what makes one, or `chosen_by` is neither of its values.
        """
        gate = _gate_of(gate, reviewer, policy)
        _check_chooser(chosen_by)
        vars(self).update(
            values=freeze_mapping(values) if values else NO_VALUES,
            memory_id=memory_id,
            gate=_NOBODY_TO_ASK if strict and gate is None else gate,
            metrics=metrics or NO_METRICS,
            loop_id=loop_id,
            run=run,
            listener=listener,
            agent=agent or "unknown",
            chosen_by=chosen_by or "person",
            place=place,
            strict=strict,
            path=None if run is None else "",
            journal=None if run is None else run.journal,
            redactor=_new_redactor() if listener is not None and redactor is None else redactor,
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
        waits: Waiting | None
        limiter: Limiter | None

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: a context never changes."""
        raise AttributeError(f"a ToolContext never changes; use context.replace({name}=…)")

    def __delattr__(self, name: str) -> None:
        """Refuse: a context never changes."""
        raise AttributeError(f"a ToolContext never changes; use context.replace({name}=None)")

    def __repr__(self) -> str:
        """Return which values there are, not what they are: they may be secret."""
        return f"ToolContext({sorted(self.values)}, memory_id={self.memory_id!r})"

    def __getitem__(self, key: str) -> Any:
        """Return a value; a KeyError names those there are."""
        try:
            return self.values[key]
        except KeyError:
            known = ", ".join(sorted(self.values)) or "none"
            raise KeyError(f"the context has no value {key!r} (it has: {known})") from None

    def __contains__(self, key: object) -> bool:
        """Return whether there is such a value."""
        return key in self.values

    def get(self, key: str, default: Any = None) -> Any:
        """Return a value, or the default where there is none."""
        return self.values.get(key, default)

    def replace(self, **changes: Any) -> "ToolContext":
        """Return a context that differs in the named attributes; one of a strict context is strict too.

        Raises:
            ConfigurationError: If `chosen_by` is neither of its values.
        """
        if "chosen_by" in changes:
            _check_chooser(changes["chosen_by"])
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
        """Return this context with everything that the inner one sets laid over it; the inner one wins."""
        if inner is None:
            return self
        unset = {"metrics": NO_METRICS, "agent": "unknown", "chosen_by": "person", "strict": False}
        values = {
            name: value for name, value in vars(inner).items() if name != "values" and value is not unset.get(name)
        }
        if inner.gate is _NOBODY_TO_ASK:
            values["gate"] = self.gate or _NOBODY_TO_ASK  # who was there to be asked still is
        return self.replace(values={**self.values, **inner.values}, **values)

    def shown_state(self, name: str) -> str | None:
        """Return the state of a thing as it was when a reviewer saw the preview of this call and approved it.

        `None` where nobody was shown any: then there is nothing to compare. See `Preview`.
        """
        return self.call.shown_state.get(name) if self.call is not None else None

    @property
    def tool(self) -> str | None:
        """The name under which the tool that is running was called."""
        return self.call.tool.name if self.call is not None else None

    @property
    def idempotency_key(self) -> str | None:
        """The id of this call, which is the same when it is made again after its run was cut short.

        A service that is sent it does nothing twice. `None` where the call belongs to no run.
        """
        return None if self.run is None or self.path is None else f"{self.run.lineage[-1].id}/{self.path}"

    @property
    def logger(self) -> logging.Logger:
        """The logger of the tool that is running: `toolkit.tools.<name>`."""
        return logging.getLogger(f"toolkit.tools.{self.tool}" if self.tool else "toolkit.tools")

    @property
    def can_ask(self) -> bool:
        """Whether there is somebody who can be asked."""
        return self.gate is not None and self.gate.can_ask

    def within(self, tool: Subject, arguments: str | Mapping[str, Any]) -> "ToolContext":
        """Return the context that a running tool works with: it knows the call and adds up its waiting."""
        other = object.__new__(ToolContext)
        vars(other).update(vars(self), call=RunningCall(tool, arguments, self.call), waits=Waiting(self.waits))
        return other

    def approved(self, arguments: str | Mapping[str, Any], shown_state: Mapping[str, str]) -> "ToolContext":
        """Return the context of a running call that was approved with these arguments, after this state was shown."""
        call = self.call
        return self if call is None else self._with(call=call._replace(arguments=arguments, shown_state=shown_state))

    def emit(self, event: "Event") -> None:
        """Send an event to the listener, if there is one, without the secrets that the redactor knows.

        Raises:
            ListenerError: If the listener raises; it passes through every call.
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
        """Report to the listener that something starts, and however the `with` block ends, that it has ended.

        With nobody listening, no event is made.

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
            started: Makes the event of the start from the number of the call, which the block is given.
            finished: Makes the event of the finish from that number and the seconds that it took.
        """
        return UNHEARD if self.listener is None else Report(self.emit, started, finished)

    def progress(self, message: str, done: float | None = None, of: float | None = None) -> None:
        """Report how far the work is, in units of the tool's own."""
        if self.listener is not None:
            self.emit(Progress(tool=self.tool or "", message=message, done=done, of=of, item=self.item))

    def file_changed(
        self,
        path: str,
        change: "Literal['created', 'modified', 'deleted']",
        lines_added: int = 0,
        lines_removed: int = 0,
    ) -> None:
        """Report that the tool has created, changed or deleted a file."""
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
        """Ask for approval from a plain function, which waits for the answer. See `request_approval_async`.

        Raises:
            ConfigurationError: If it is called inside a running event loop, which it would block.
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
        timeout: float | None = DEFAULT_TIMEOUT,  # noqa: ASYNC109 - the gate keeps it, and knows what its end means
        on_timeout: OnTimeout = "reject",
        answer_is_text: bool = False,
    ) -> Decision:
        """Ask for approval in the middle of the work.

        Args:
            text: What is asked.
            arguments: What it is about, as plain data; the reviewer sees all of it.
            preview: What would be done, such as a unified diff.
            timeout: Seconds to wait for the answer.
            on_timeout: What no answer means; it never means yes.
            answer_is_text: The reviewer's own words are wanted; they come as `Edit`.

        Returns:
            `Continue`, `Edit` or `Reject`. With no reviewer in the context, `Continue`.

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
        call = None if answer_is_text else self._call_of(request, self.gate)
        decision = await decide(self, call, lambda _: request)
        return Reject(decision.reason) if isinstance(decision, Refused) else decision.decision

    def _call_of(self, request: ReviewRequest, gate: Gate) -> DescribedCall:
        """Return what is asked about in the middle of the work, as a policy sees it."""
        flow = self.call.tool.described.risk.flow if self.call is not None else frozenset()
        risk = replace(request.risk, flow=flow)
        return DescribedCall(risk, self.chosen_by, request.asked_by, request.arguments, earlier=gate.history.tools)


def _gate_of(gate: Gate | None, reviewer: Reviewer | None, policy: Policy | None) -> Gate | None:
    """Return the gate that is given, or the one that a reviewer and a policy make.

    Raises:
        ConfigurationError: If both are given.
    """
    if reviewer is None and policy is None:
        return gate
    if gate is not None:
        raise ConfigurationError("a ToolContext takes a gate, or a reviewer and a policy to make one of, but not both")
    return Gate(reviewer, policy)


def _check_chooser(chosen_by: object) -> None:
    if chosen_by not in {None, "person", "model"}:
        raise ConfigurationError(f"chosen_by is 'person' or 'model', not {chosen_by!r}")


_NOBODY_TO_ASK = Gate()
"""The gate of a strict context that was given none: what would be asked about is refused."""


def _new_redactor() -> "Redactor":
    return Redactor(outer=redactor_of_environment())


NO_CONTEXT = ToolContext()
"""The context of a call that was given none."""

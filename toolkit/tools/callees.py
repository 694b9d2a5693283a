"""Declares the hooks that a call invokes on a tool, and forwards those that a wrapper does not define."""

import inspect
import logging
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import count
from operator import attrgetter
from typing import Any, Literal, TypeVar

from toolkit.approvals.gates import Demand
from toolkit.approvals.policies import NO_QUESTION, ByRisk, DescribedCall, Flow, Risk
from toolkit.redactors.redactor import secrets_within
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.definition_places import file_of, owners_of
from toolkit.tools.definition.spec import ToolSpec, flow_of
from toolkit.tools.outcomes import as_result
from toolkit.tools.secret_arguments import Veil, secret_members, secrets_of_schema
from toolkit.tools.shapes.argument_schemas import ArgumentSchema

Arguments = str | Mapping[str, Any]
"""The arguments of a call: a JSON object as a string, or a mapping of plain data."""

_IDENTITIES = count(1)
_LIBRARY = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")  # noqa: PTH118, PTH120 - text

Pipe = Literal["text", "json", "parameter"]
"""How a pipeline passes the previous output to a tool: as text, as the JSON arguments, or in one parameter."""


class Callee:
    """Something that can be called: a specification, and the hooks that every call invokes."""

    pipe: Pipe = "parameter"
    suspends: bool = True
    """Whether a call can suspend, so that it needs an event loop."""
    uses_context: bool = True
    """Whether the tool uses the context; if not, it receives the context of the caller unchanged."""

    demands: bool = False
    """Whether `demand` can ask for approval that the marks of the tool do not require."""

    reads_files: bool = False
    """Whether results can contain the user's files, which a model with a way to send data could leak."""

    delegates: bool = False
    """Whether calls inside a call pass the gate as a model's calls, so that this call is judged by its own flows."""

    keeps_steps: bool = False
    """Whether the tool journals its own steps, so that it can resume instead of starting again."""

    ignores_unknown: bool = False
    """Whether the tool drops members of its arguments that its schema does not declare, at any depth."""

    framework: str | None = None
    """The framework of the tool, by its name in `toolkit.tools.foreign.frameworks`; `None` for our own tools."""

    work_at_once: Callable[[Any], Any] | None = None
    """Everything that `perform` does, as a plain function of the parsed arguments; `None` if `perform` may suspend or
    does more."""

    steps_at_once: Callable[[Any, ToolContext], ToolResult] | None = None
    """The same for a tool that calls other tools in the context of its own call, if all of them support it."""

    calls_one_function: bool = False
    """Whether all that `perform` does is to call one plain function, so that its thread can make the whole call."""

    result_of_nothing: ToolResult | None = None
    """The result if the tool returns `None`; without one, `None` is data like any other value."""

    spec: ToolSpec
    """The specification of the tool, as pure data."""

    toolbox: object = None
    """The object whose method the tool is, if its class is marked with `@toolbox`."""

    found_at: Literal["class", "object"] | None = None
    """What declares the tool: a class, or a marked function or other object; `None` if its author created the tool."""

    passed_on_by: frozenset[str] = frozenset()
    """The sources through which the tool was found."""

    owners: frozenset[str] = frozenset()
    """The names of the class, of the objects and of the facades to which the tool belongs."""

    @property
    def name(self) -> str:
        """The name of the tool."""
        return self.spec.name

    @property
    def description(self) -> str:
        """What the tool does and when to use it."""
        return self.spec.description

    @cached_property
    def described(self) -> DescribedCall:
        """A call of this tool chosen by a person, as a policy sees it; cached, since it is the most common one."""
        flows = self.own_flows if self.delegates else self.flows
        risk = replace(self.spec.risk, flow=flows, files=self.files, dotted_names=self.dotted_names)
        return DescribedCall(risk)

    @property
    def files(self) -> frozenset[str]:
        """The files and modules that define the tool or pass it on, as their sources name them."""
        place, file = self.spec.location, file_of(vars(self).get("function"))
        own = {self.spec.source, place.file if place is not None else None, file}
        return self.passed_on_by | {one for one in own if one is not None and not one.startswith(_LIBRARY)}

    @property
    def dotted_names(self) -> frozenset[str]:
        """The names of the tool after what it belongs to, such as `box.drop`."""
        return frozenset(f"{owner}.{self.name}" for owner in self.owners | owners_of(vars(self).get("function")))

    def pass_on(self, source: str | None = None, owner: str | None = None) -> None:
        """Remember a source through which the tool was found, and what it belongs to there, for rules about these."""
        self.passed_on_by |= {source} if source is not None else set()
        self.owners |= {owner} if owner is not None else set()
        vars(self).pop("described", None)

    @cached_property
    def definition_hash(self) -> str:
        """The SHA-256 of the tool's definition and marks, as used in records."""
        return self.spec.risk.digest

    @property
    def callees(self) -> Iterable["Callee"]:
        """The tools that a call can call or reveal, as far as they are known."""
        return ()

    @cached_property
    def own_flows(self) -> frozenset[Flow]:
        """What the tool itself does with data, according to its marks and its name."""
        return flow_of(self.spec) | ({"reads_private"} if self.reads_files and self.spec.flow is None else set())

    @cached_property
    def flows(self) -> frozenset[Flow]:
        """What the tool, and everything that it can call or reveal, does with data."""
        return frozenset().union(*(callee.own_flows for callee in _reachable_from(self)))

    @property
    def reach(self) -> Risk:
        """The risk of a call whose inner calls are not known, such as one that was recorded before a restart."""
        return replace(self.spec.risk, flow=self.flows)

    @cached_property
    def hidden_parameters(self) -> frozenset[str]:
        """The names of the parameters that are, or contain, secrets."""
        return secret_members(self.spec.parameters)

    @cached_property
    def argument_schema(self) -> ArgumentSchema:
        return ArgumentSchema.of(self.spec.parameters)

    @cached_property
    def veil(self) -> Veil:
        """Masks the secrets among the arguments."""
        return Veil(self.spec.parameters)

    @cached_property
    def own_secrets(self) -> tuple[str, ...]:
        """The secrets that the tool itself contains, such as defaults and attributes of its object."""
        return (*secrets_of_schema(self.spec.parameters, self.spec.examples), *secrets_within(self.holders))

    @property
    def holders(self) -> tuple[object, ...]:
        """The objects that may hold secrets of the tool itself."""
        return (self, self.toolbox)

    @cached_property
    def identity(self) -> int:
        """A unique number, so that approval of one tool does not apply to another with the same name."""
        return next(_IDENTITIES)

    @cached_property
    def call_logger(self) -> logging.Logger:
        """The logger for calls of this tool: `toolkit.tools.<name>`."""
        return logging.getLogger(f"toolkit.tools.{self.name}")

    @cached_property
    def takes_short_way(self) -> bool:
        """Whether a call that needs no approval can use the fast path in `calling`."""
        is_checked = type(self).check is not Callee.check or self.demands or self.spec.requires_approval
        return self.work_at_once is not None and not is_checked and not self.hidden_parameters

    @cached_property
    def needs_no_question(self) -> bool:
        """Whether the default policy lets a person call the tool without approval."""
        return ByRisk().judge(self.described) is NO_QUESTION

    def parse(self, arguments: Arguments) -> Any:
        """Parse and validate the arguments of a call.

        Raises:
            ToolArgumentsError: If the arguments are not valid; the message lists every missing or wrong field.
        """
        raise NotImplementedError

    def describe(self, parsed: Any) -> dict[str, Any]:
        """Return parsed arguments as plain data, for reviewers and records."""
        raise NotImplementedError

    def defaults(self, parsed: Any) -> Mapping[str, Any]:
        """Return the default values of the parameters that are omitted in parsed arguments, as plain data."""
        return {}

    @property
    def uses(self) -> Mapping[str, str]:
        """What a call uses besides its arguments, by label: a folder, a command, a URL. Questions show it."""
        return {}

    def check(self, parsed: Any, context: ToolContext) -> None:
        """Raise an exception to reject a call before approval is requested, or `AnsweredEarly` to answer it."""

    def demand(self, parsed: Any, context: ToolContext) -> Demand | None:
        """Return a question to ask before this call; called only if `demands` is true."""
        return None

    def preview(self, parsed: Any, context: ToolContext) -> str | None:
        """Return what the call would do, such as a unified diff; called only when a question is shown."""
        return None

    async def perform(self, parsed: Any, context: ToolContext) -> Any:
        """Do the work and return a `ToolResult` or any other value."""
        raise NotImplementedError

    def result_of(self, value: Any) -> ToolResult:
        """Convert the value that `perform` returned to a result."""
        if value is None and self.result_of_nothing is not None:
            return self.result_of_nothing
        return as_result(value)


def _reachable_from(callee: Callee) -> list[Callee]:
    """Return a tool and every tool that it can call or reveal, at any depth, each once."""
    found = {id(callee): callee}
    waiting = [callee]
    while waiting:
        for inner in waiting.pop().callees:
            if id(inner) not in found:
                found[id(inner)] = inner
                waiting.append(inner)
    return list(found.values())


_Kind = TypeVar("_Kind", bound=type[Callee])

_OWN = {"name", "description", "described", "hidden_parameters", "own_secrets", "veil", "call_logger", "result_of"} | {
    "files",
    "dotted_names",
    "passed_on_by",
    "owners",
    "pass_on",
    "result_of_nothing",
    "definition_hash",
    "own_flows",
    "flows",
    "reach",
    "work_at_once",
    "steps_at_once",
    "calls_one_function",
    "takes_short_way",
    "needs_no_question",
}
"""Hooks that are not forwarded, since every tool derives them itself."""

HOOKS = frozenset(
    name for name in {*vars(Callee), *Callee.__annotations__} if not name.startswith("_") and name not in _OWN
)
"""The hooks that can be forwarded."""


def forwards(
    hooks: Iterable[str], *, to: str, arguments: Callable[[Any], Any] | None = None
) -> Callable[[_Kind], _Kind]:
    """Return a class decorator that forwards hooks to another tool unless the class defines them.

    Args:
        hooks: The hooks to forward, from `HOOKS`.
        to: The attribute that contains the other tool.
        arguments: Converts the parsed arguments of this tool to those of the other, if they differ.
    """

    def complete(kind: _Kind) -> _Kind:
        for name in sorted(set(hooks) - vars(kind).keys()):
            is_of_calls = arguments is not None and _takes_parsed(name)
            setattr(kind, name, _call_of(name, to, arguments) if is_of_calls else property(attrgetter(f"{to}.{name}")))
        return kind

    return complete


def _takes_parsed(name: str) -> bool:
    hook = vars(Callee).get(name)
    return inspect.isfunction(hook) and "parsed" in inspect.signature(hook).parameters


def _call_of(name: str, to: str, arguments: Any) -> Callable[..., Any]:
    def hook(self: Any, parsed: Any, *rest: Any) -> Any:
        return getattr(getattr(self, to), name)(arguments(parsed), *rest)

    return hook

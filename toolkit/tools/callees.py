"""Callees: what the template of a call asks of a tool. Each hook is declared here and nowhere else."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import count
from typing import Any, Literal

from toolkit.approvals.gates import Demand
from toolkit.approvals.policies import NO_QUESTION, ByRisk, DescribedCall
from toolkit.approvals.risks import Flow
from toolkit.redactors.secret_objects import secrets_within
from toolkit.tools.context import ToolContext
from toolkit.tools.data_flows import flow_of
from toolkit.tools.outcomes import as_result
from toolkit.tools.results import ToolResult
from toolkit.tools.secret_arguments import Veil, secret_members, secrets_of_schema
from toolkit.tools.shapes.argument_schemas import ArgumentSchema
from toolkit.tools.spec import ToolSpec

Arguments = str | Mapping[str, Any]
"""The arguments of a call: JSON text of an object, or a mapping of plain data."""

_IDENTITIES = count(1)

Pipe = Literal["text", "json", "parameter"]
"""How a pipeline hands over the previous output: as the text, as the JSON arguments, or in one parameter."""


class Callee:
    """What can be called: a specification, and the hooks that the template of every call asks."""

    pipe: Pipe = "parameter"
    suspends: bool = True
    """Whether a call may have to wait in an event loop; one that never does runs without any."""
    uses_context: bool = True
    """Whether the work looks at the context; one that does not is handed it as it came."""

    demands: bool = False
    """Whether `demand` may ask for approval that the marks of the tool do not ask for."""

    reads_files: bool = False
    """Whether its results may hold what files of its user say: then a model with ways out is asked about them."""

    keeps_steps: bool = False
    """Whether a journal keeps what it does step by step, so that it goes on where it was, and does not begin again."""

    ignores_unknown: bool = False
    """Whether it drops, at any depth of its arguments, what its schema has no name for."""

    framework: str | None = None
    """The framework that it was written for, by its name in `toolkit.tools.frameworks`; None for one of ours."""

    work_at_once: Callable[[Any], Any] | None = None
    """All that `perform` does, as a plain function of the parsed arguments; None where it may wait, or does more."""

    steps_at_once: Callable[[Any, ToolContext], ToolResult] | None = None
    """The same for a tool whose work is calls of others in the context of its own call, where they take that way."""

    result_of_nothing: ToolResult | None = None
    """The result where the work returned nothing; None where that is data as any other value is."""

    spec: ToolSpec
    """What the tool is, as pure data."""

    toolbox: object = None
    """The object of a class marked `@toolbox` that it is a method of, where it is one."""

    @property
    def name(self) -> str:
        """What a model calls it by."""
        return self.spec.name

    @property
    def description(self) -> str:
        """What it does and when to use it."""
        return self.spec.description

    @cached_property
    def described(self) -> DescribedCall:
        """A call of this tool that a person chose, as a policy sees it; the commonest of all, so it is made once."""
        return DescribedCall(replace(self.spec.risk, flow=self.flows))

    @cached_property
    def definition_hash(self) -> str:
        """The SHA-256 of what a model is sent of it and of its marks, as records name it."""
        return self.spec.risk.digest

    @cached_property
    def flows(self) -> frozenset[Flow]:
        """What it does with data, as far as its marks and its name say."""
        return flow_of(self.spec) | ({"reads_private"} if self.reads_files and self.spec.flow is None else set())

    @cached_property
    def hidden_parameters(self) -> frozenset[str]:
        """The names of the parameters that are secrets, or contain some."""
        return secret_members(self.spec.parameters)

    @cached_property
    def argument_schema(self) -> ArgumentSchema:
        return ArgumentSchema.of(self.spec.parameters)

    @cached_property
    def veil(self) -> Veil:
        """Hides the secrets among its arguments."""
        return Veil(self.spec.parameters)

    @cached_property
    def own_secrets(self) -> tuple[str, ...]:
        """The values of the secrets that the tool itself holds, such as defaults, and attributes of its object."""
        return (*secrets_of_schema(self.spec.parameters, self.spec.examples), *secrets_within(self.holders))

    @property
    def holders(self) -> tuple[object, ...]:
        """What may hold secrets of the tool itself."""
        return (self, self.toolbox)

    @cached_property
    def identity(self) -> int:
        """A number that no other tool has: of two with one name, approval of one does not count for the other."""
        return next(_IDENTITIES)

    @cached_property
    def call_logger(self) -> logging.Logger:
        """Where calls of this tool are logged: `toolkit.tools.<name>`."""
        return logging.getLogger(f"toolkit.tools.{self.name}")

    @cached_property
    def takes_short_way(self) -> bool:
        """Whether a call that nobody has to be asked about is its work and a few records: see `short_calls`."""
        is_checked = type(self).check is not Callee.check or self.demands or self.spec.requires_approval
        return self.work_at_once is not None and not is_checked and not self.hidden_parameters

    @cached_property
    def needs_no_question(self) -> bool:
        """Whether the default policy lets a person call it without a question."""
        return ByRisk().judge(self.described) is NO_QUESTION

    def parse(self, arguments: Arguments) -> Any:
        """Return the arguments as the work wants them.

        Raises:
            ToolArgumentsError: Naming every field that is missing or wrong.
        """
        raise NotImplementedError

    def describe(self, parsed: Any) -> dict[str, Any]:
        """Return parsed arguments as the plain data that a reviewer is shown and a record keeps."""
        raise NotImplementedError

    def defaults(self, parsed: Any) -> Mapping[str, Any]:  # noqa: ARG002 - for those that override it
        """Return the values for the parameters that parsed arguments omit, as plain data."""
        return {}

    @property
    def uses(self) -> Mapping[str, str]:
        """What a call uses besides its arguments, by label: a folder, a command, an address. A question shows it."""
        return {}

    def check(self, parsed: Any, context: ToolContext) -> None:
        """Refuse a call before anybody is asked about it, by raising; `AnsweredEarly` answers it at once."""

    def demand(self, parsed: Any, context: ToolContext) -> Demand | None:  # noqa: ARG002 - for those that override it
        """Return the question that this call wants first; only a tool that `demands` is asked for it."""
        return None

    def preview(self, parsed: Any, context: ToolContext) -> str | None:  # noqa: ARG002 - for those that override it
        """Return what the call would do, such as a unified diff; it is asked for only when a question is shown."""
        return None

    async def perform(self, parsed: Any, context: ToolContext) -> Any:
        """Do the work and return a ToolResult or any value."""
        raise NotImplementedError

    def result_of(self, value: Any) -> ToolResult:
        """Return what the work returned as a result."""
        if value is None and self.result_of_nothing is not None:
            return self.result_of_nothing
        return as_result(value)

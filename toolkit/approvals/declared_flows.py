"""Data flows of tools that policy files declare, in addition to or instead of those of the tools themselves."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from toolkit.approvals.policies import DescribedCall
from toolkit.approvals.risks import Flow, Risk
from toolkit.approvals.rules import Choice
from toolkit.documents.tables import Owner


class DeclaredFlow(NamedTuple):
    """The data flow that a policy file declares for some tools.

    Attributes:
        choice: The tools of the declaration.
        flow: What these tools do with data.
        owner: Whether the policy file belongs to the user or to a project.
        folder: The folder that relative paths among the sources start from.
    """

    choice: Choice
    flow: frozenset[Flow]
    owner: Owner
    folder: str

    def is_about(self, risk: Risk) -> bool:
        """Return whether the declaration applies to a tool."""
        return self.choice.fit(risk, self.folder) == "yes"

    def replaces(self, risk: Risk) -> bool:
        """Return whether this replaces the tool's own declaration, rather than adding to it.

        For that, the user must have declared it. Names and sources that a project gave the tool do not count.
        """
        is_reached = risk.brought_by is None or bool(self.choice.sources)
        return self.owner == "user" and is_reached and self.choice.fit(risk, self.folder, allows=True) == "yes"


def with_declared_flows(call: DescribedCall, declared: Sequence[DeclaredFlow]) -> DescribedCall:
    """Return the call with the declared flows for its tool and for the tools called before it."""
    if not declared:
        return call

    def all_of(tools: Iterable[Risk]) -> tuple[Risk, ...]:
        return tuple(_with_flow(tool, declared) for tool in tools)

    return call._replace(risk=_with_flow(call.risk, declared), earlier=all_of(call.earlier), coming=all_of(call.coming))


def _with_flow(risk: Risk, declared: Sequence[DeclaredFlow]) -> Risk:
    """Return a tool with the first flow that the user declares for it, and the flows that other entries add."""
    about = [one for one in declared if one.is_about(risk)]
    own = next((one.flow for one in about if one.replaces(risk)), risk.flow)
    return replace(risk, flow=own.union(*(one.flow for one in about if not one.replaces(risk))))

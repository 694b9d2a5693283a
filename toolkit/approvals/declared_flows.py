"""Declared flows: what policy files say that tools do with data, instead of what their marks and names say."""

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
        choice: Which tools it is about.
        flow: What they do.
        owner: Whose file it stands in.
        folder: What the relative paths of sources start from.
    """

    choice: Choice
    flow: frozenset[Flow]
    owner: Owner
    folder: str

    def is_about(self, risk: Risk) -> bool:
        """Return whether a tool is one of those."""
        return self.choice.fit(risk, self.folder) == "yes"

    def replaces(self, risk: Risk) -> bool:
        """Return whether it replaces the tool's own declaration: a tool must not profit from a name it was given."""
        is_reached = risk.brought_by is None or bool(self.choice.sources)
        return self.owner == "user" and is_reached and self.choice.fit(risk, self.folder, allows=True) == "yes"


def with_declared_flows(call: DescribedCall, declared: Sequence[DeclaredFlow]) -> DescribedCall:
    """Return a call whose tool, and the tools called before it, do with data what policy files say."""
    if not declared:
        return call

    def all_of(tools: Iterable[Risk]) -> tuple[Risk, ...]:
        return tuple(_with_flow(tool, declared) for tool in tools)

    return call._replace(risk=_with_flow(call.risk, declared), earlier=all_of(call.earlier), coming=all_of(call.coming))


def _with_flow(risk: Risk, declared: Sequence[DeclaredFlow]) -> Risk:
    """Return a tool with the flow that its user declares, the first entry first, and all that others add."""
    about = [one for one in declared if one.is_about(risk)]
    own = next((one.flow for one in about if one.replaces(risk)), risk.flow)
    return replace(risk, flow=own.union(*(one.flow for one in about if not one.replaces(risk))))

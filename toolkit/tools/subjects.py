"""Subjects: a tool as the questions about one call of it, and what hides its secrets, know it."""

from collections.abc import Mapping
from typing import Any, Protocol

from toolkit.approvals.policies import DescribedCall
from toolkit.approvals.risks import Risk
from toolkit.tools.secret_arguments import Veil


class Specified(Protocol):
    """A tool's description of itself."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """A JSON Schema of what a call must carry."""

    @property
    def properties(self) -> Mapping[str, Any]:
        """The schema of each parameter, by its name."""

    @property
    def risk(self) -> Risk:
        """Its marks, as the gate judges them."""


class Subject(Protocol):
    """A tool that a question is about."""

    @property
    def name(self) -> str:
        """What it was called by."""

    @property
    def spec(self) -> Specified:
        """Its specification."""

    @property
    def described(self) -> DescribedCall:
        """A call of it as a policy sees it."""

    @property
    def definition_hash(self) -> str:
        """The SHA-256 of its definition and its marks."""

    @property
    def identity(self) -> int:
        """A number that no other tool has."""

    @property
    def own_secrets(self) -> tuple[str, ...]:
        """The values of the secrets that the tool itself holds."""

    @property
    def veil(self) -> Veil:
        """Hides the secrets among its arguments."""

    @property
    def uses(self) -> Mapping[str, str]:
        """What a call uses besides its arguments, by label."""

    def parse(self, arguments: str, /) -> Any:
        """Return the arguments as the work wants them."""

    def describe(self, parsed: Any, /) -> dict[str, Any]:
        """Return parsed arguments as plain data."""

    def defaults(self, parsed: Any, /) -> Mapping[str, Any]:
        """Return the values for the parameters that parsed arguments omit."""

    def check(self, parsed: Any, context: Any, /) -> None:
        """Refuse the call, by raising."""

    def preview(self, parsed: Any, context: Any, /) -> str | None:
        """Return what the call would do."""

"""The interface of a tool for the code that asks questions about calls and redacts secrets."""

from collections.abc import Mapping
from typing import Any, Protocol

from toolkit.approvals.policies import DescribedCall
from toolkit.approvals.risks import Risk
from toolkit.tools.secret_arguments import Veil


class Specified(Protocol):
    """The specification of a tool."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The JSON Schema of the arguments."""

    @property
    def properties(self) -> Mapping[str, Any]:
        """The schema of each parameter, by name."""

    @property
    def risk(self) -> Risk:
        """The marks of the tool, as evaluated by the gate."""


class Subject(Protocol):
    """The tool that a question is about; see `Callee`."""

    @property
    def name(self) -> str:
        """The name under which the tool was called."""

    @property
    def spec(self) -> Specified:
        """The specification of the tool."""

    @property
    def described(self) -> DescribedCall:
        """A call of the tool as a policy sees it."""

    @property
    def definition_hash(self) -> str:
        """The SHA-256 of the tool's definition and marks."""

    @property
    def identity(self) -> int:
        """A unique number."""

    @property
    def own_secrets(self) -> tuple[str, ...]:
        """The secrets that the tool itself contains."""

    @property
    def veil(self) -> Veil:
        """Masks the secrets among the arguments."""

    @property
    def uses(self) -> Mapping[str, str]:
        """What a call uses besides its arguments, by label."""

    def parse(self, arguments: str, /) -> Any:
        """Parse and validate the arguments of a call."""

    def describe(self, parsed: Any, /) -> dict[str, Any]:
        """Return parsed arguments as plain data."""

    def defaults(self, parsed: Any, /) -> Mapping[str, Any]:
        """Return the default values of omitted parameters."""

    def check(self, parsed: Any, context: Any, /) -> None:
        """Raise an exception to reject the call."""

    def preview(self, parsed: Any, context: Any, /) -> str | None:
        """Return what the call would do."""

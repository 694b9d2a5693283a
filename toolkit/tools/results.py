"""The result of a tool call, for models, programs and people."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

from toolkit.tools.skipped_items import remark_on

if TYPE_CHECKING:
    from toolkit.tools.raised_errors import Raised
    from toolkit.tools.skipped_items import Skips

NO_MESSAGE = "Tool execution failed with no message"


@dataclass(frozen=True, init=False)
class ToolResult:
    """The result of a call: text on success, an error message on failure.

    Example:
        >>> from toolkit import ToolResult
        >>> ToolResult.success("Sunny").text
        'Sunny'
        >>> ToolResult.failure("there is no such city", "not_found").text
        'Error: there is no such city'

    Attributes:
        output: The text for a model; empty on failure.
        error: Why the call failed, as a message for its caller; `None` on success.
        error_code: The kind of failure: `invalid_arguments`, `rejected`, `timeout`, `network`, `error`, or the tool's
            own code.
        structured: The same result as plain JSON data, for programs; a model never sees it.
        artifact: The returned object itself, for the calling program; it is never serialized.
        remark: A note for the model before the result, such as that a reviewer has changed the arguments.
        skips: The items that steps of a pipeline have skipped because they failed.
        raised: The exception with which the tool failed, as it is shown to people; a model never sees it.
    """

    output: str = ""
    error: str | None = None
    error_code: str | int | None = None
    structured: Any = None
    artifact: Any = None
    remark: str = ""
    skips: "tuple[Skips, ...]" = ()
    raised: "Raised | None" = field(default=None, compare=False, repr=False)

    def __init__(
        self,
        output: str = "",
        error: str | None = None,
        error_code: str | int | None = None,
        structured: Any = None,
        artifact: Any = None,
        *,
        remark: str = "",
        skips: "tuple[Skips, ...]" = (),
        raised: "Raised | None" = None,
    ) -> None:
        # Not generated, for speed: every call creates a result, and half of them have nothing but an output.
        attributes = self.__dict__
        attributes["output"] = output
        if structured is not None or error is not None or artifact is not None or error_code is not None:
            attributes["error"] = error
            attributes["error_code"] = error_code
            attributes["structured"] = structured
            attributes["artifact"] = artifact
        if remark:
            attributes["remark"] = remark
        if skips:
            attributes["skips"] = skips
        if raised is not None:
            attributes["raised"] = raised

    @property
    def succeeded(self) -> bool:
        """Whether the call was successful."""
        return self.error is None

    @property
    def text(self) -> str:
        """The text for a model: the output, or `Error: ` and the message, after the remark if there is one."""
        text = self.output if self.error is None else f"Error: {self.error}"
        if self.skips:
            text = f"{remark_on(self.skips)}\n{text}"
        return f"{self.remark}\n{text}" if self.remark else text

    def remarked(self, remark: str) -> Self:
        """Return a copy with another remark after the existing ones."""
        return replace(self, remark=f"{self.remark}\n{remark}" if self.remark else remark)

    @classmethod
    def success(cls, output: str | None = "", *, structured: Any = None, artifact: Any = None) -> Self:
        """Create a successful result; `None` as output means an empty string."""
        return cls("" if output is None else output, structured=structured, artifact=artifact)

    @classmethod
    def failure(cls, message: str | None, code: str | int | None = None) -> Self:
        """Create a failed result; without a message, the error says that there is none."""
        return cls(error=NO_MESSAGE if message is None else message, error_code=code)

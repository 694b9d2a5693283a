"""Results: what a call of a tool gives, for a model, for a program and for people."""

from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from toolkit.tools.skipped_items import remark_on

if TYPE_CHECKING:
    from toolkit.tools.raised_errors import Raised
    from toolkit.tools.skipped_items import Skips

NO_MESSAGE = "Tool execution failed with no message"


@dataclass(frozen=True, init=False)
class ToolResult:
    """The outcome of one call: a text on success, a message on failure.

    Example:
        >>> from toolkit import ToolResult
        >>> ToolResult.success("Sunny").text
        'Sunny'
        >>> ToolResult.failure("there is no such city", "not_found").text
        'Error: there is no such city'

    Attributes:
        output: The text that a model is sent; empty on failure.
        error: Why the call failed, in words meant for its caller; `None` on success.
        error_code: What kind of failure it was: `invalid_arguments`, `rejected`, `timeout`, `network`,
            `error`, or the tool's own code.
        structured: The same outcome as plain JSON data, for programs; a model never sees it.
        artifact: The object itself, for the program that called; it leaves no process.
        remark: A note for the model before the outcome, such as that a reviewer has changed the call.
        skips: The items that the steps of a pipeline have left out because they failed.
        raised: The exception that the tool failed with, as far as people are shown it; a model never sees it.
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
    ) -> None:
        """Keep what is given. Written by hand since every call makes one: half of them are a text and nothing else."""
        kept = self.__dict__
        kept["output"] = output
        if structured is not None or error is not None or artifact is not None or error_code is not None:
            kept["error"] = error
            kept["error_code"] = error_code
            kept["structured"] = structured
            kept["artifact"] = artifact

    @property
    def succeeded(self) -> bool:
        """Whether the call did its work."""
        return self.error is None

    @property
    def text(self) -> str:
        """What a model is sent: the output, or `Error: ` and the message, after the remark if there is one."""
        text = self.output if self.error is None else f"Error: {self.error}"
        if self.skips:
            text = f"{remark_on(self.skips)}\n{text}"
        return f"{self.remark}\n{text}" if self.remark else text

    def remarked(self, remark: str) -> Self:
        """Return the same result with a remark, after those that it has."""
        result = copy(self)
        result.__dict__["remark"] = f"{self.remark}\n{remark}" if self.remark else remark
        return result

    def with_skips(self, skips: "tuple[Skips, ...]") -> Self:
        """Return the same result, which reports the items that were left out."""
        result = copy(self)
        result.__dict__["skips"] = skips
        return result

    def with_raised(self, raised: "Raised | None") -> Self:
        """Return the same result, which knows what the tool raised."""
        result = copy(self)
        result.__dict__["raised"] = raised
        return result

    @classmethod
    def success(cls, output: str | None = "", *, structured: Any = None, artifact: Any = None) -> Self:
        """Return a successful result; no output is empty text."""
        return cls(output or "", structured=structured, artifact=artifact)

    @classmethod
    def failure(cls, message: str | None, code: str | int | None = None) -> Self:
        """Return a failed result; without a message, it notes that there is none."""
        return cls(error=NO_MESSAGE if message is None else message, error_code=code)

"""Retries a tool after failures that may be temporary."""

from collections.abc import Callable
from typing import Any

from toolkit.errors import Signal
from toolkit.pipelines.step_definitions import Failure, Retry
from toolkit.running import pause
from toolkit.tools.base import Tool, WrappedTool
from toolkit.tools.calling import begin_again, error_code_of
from toolkit.tools.calls.results import ToolResult, message_of
from toolkit.tools.context import ToolContext

NEVER_AGAIN = frozenset({"invalid_arguments", "rejected"})
"""Error codes for which the same call would only fail again."""

_KIND_OF_CODE: dict[object, Failure] = {
    "timeout": "timeout",
    408: "timeout",
    504: "timeout",
    "rate_limit": "rate_limit",
    429: "rate_limit",
    "network": "network",
    502: "network",
    503: "network",
}
_FILE_ERRORS = (
    FileExistsError,
    FileNotFoundError,
    IsADirectoryError,
    NotADirectoryError,
    PermissionError,
)

OnRetry = Callable[[int, str, float], None]
"""A callback that receives the number of the failed attempt, the error message and the delay in seconds."""


def failure_of_result(result: ToolResult) -> Failure | None:
    """Return the kind of failure of a result, or `None` if a retry cannot help."""
    if result.error is None or result.error_code in NEVER_AGAIN:
        return None
    return _kind_of(result.error_code) or "error"


def failure_of_exception(error: BaseException) -> Failure | None:
    """Return the kind of failure of an exception, looking at its causes too, or `None` if a retry cannot help."""
    code = error_code_of(error)
    if code in NEVER_AGAIN:
        return None
    kind = _kind_of(code) or _kind_of(_status_of(error))
    if kind is not None:
        return kind
    if isinstance(error, OSError) and not isinstance(error, _FILE_ERRORS):
        return "network"
    cause = failure_of_exception(error.__cause__) if error.__cause__ is not None else None
    return cause or "error"


def _kind_of(code: object) -> Failure | None:
    is_number = isinstance(code, str) and code.isdecimal() and code.isascii()
    return _KIND_OF_CODE.get(int(str(code)) if is_number else code)


def _status_of(error: BaseException) -> object:
    """Return the HTTP status from an exception of an HTTP client."""
    response = getattr(error, "response", None)
    status = getattr(error, "status_code", None) or getattr(response, "status_code", None)
    code = status or getattr(error, "code", None) or getattr(error, "status", None)
    return code if isinstance(code, int | str) else None


class RetriedTool(WrappedTool):
    """Retries a tool. Approval is asked for outside this wrapper, so only once for all attempts."""

    def __init__(self, inner: Tool, retry: Retry, on_retry: OnRetry | None = None) -> None:
        super().__init__(inner)
        self._retry = retry
        self._on_retry = on_retry
        self.attempts = 0

    async def perform(self, parsed: Any, context: ToolContext) -> Any:
        """Call the tool, and retry it after failures of the configured kinds until the attempts are used up."""
        while True:
            self.attempts += 1
            try:
                result = self.inner.result_of(await self.inner.perform(parsed, context))
            except Signal:
                raise
            except Exception as error:
                if not self._again(failure_of_exception(error)):
                    raise
                message = message_of(error)
            else:
                if result.error is None or not self._again(failure_of_result(result)):
                    return result
                message = result.error
            await self._wait(message)
            await begin_again(self.name, context)

    def _again(self, failure: Failure | None) -> bool:
        return failure in self._retry.errors and self.attempts < self._retry.attempts

    async def _wait(self, message: str) -> None:
        delay = delay_after(self._retry, self.attempts)
        if self._on_retry is not None:
            self._on_retry(self.attempts, message, delay)
        await pause(delay)


def delay_after(retry: Retry, attempt: int) -> float:
    """Return the seconds to wait after an attempt: exponential backoff with a maximum and random jitter."""
    from random import uniform  # few steps are retried

    try:
        growing = retry.backoff * retry.factor ** (attempt - 1)
    except OverflowError:
        growing = retry.longest
    return min(growing, retry.longest) * uniform(0.5, 1.0)  # noqa: S311 - jitter is no secret

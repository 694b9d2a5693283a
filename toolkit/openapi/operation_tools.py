"""The operations of a document, as tools."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from http import HTTPStatus
from importlib.util import find_spec
from math import isfinite
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from toolkit.amounts import format_duration
from toolkit.errors import ToolArgumentsError, not_installed
from toolkit.fetching import Fetched, FetchError, joined_headers, status_in_words
from toolkit.openapi.access import ServerAccess
from toolkit.openapi.answers import result_of, seconds_until_retry
from toolkit.openapi.credentials import reason_of
from toolkit.openapi.operations import Operation
from toolkit.openapi.requests import Part, Request, endpoint_if_decoded, key_of, make_request
from toolkit.problems import did_you_mean
from toolkit.redactors.redactor import RECEIVED
from toolkit.running import pause
from toolkit.tools.callees import Arguments
from toolkit.tools.calling import begin_again
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.foreign.schema_tools import ForeignSchemaTool, output_mismatch, shape_of_arguments

if TYPE_CHECKING:
    from toolkit.tools.shapes.shape_values import Shape

_FOLLOWING: Final = frozenset({"GET", "HEAD"})
_REPEATABLE: Final = frozenset({"GET", "HEAD", "OPTIONS", "PUT", "DELETE", "QUERY"})
"""Methods whose requests have the same effect if they are sent twice (RFC 9110, 9.2.2, and the draft of QUERY)."""

_BUSY: Final = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE})
_LEAST_PAUSE: Final = 0.1
_MOST_REPETITIONS: Final = 5


class OperationTool(ForeignSchemaTool):
    """An operation of a document. The server is contacted when the tool is called."""

    def __init__(self, spec: ToolSpec, operation: Operation, access: ServerAccess) -> None:
        """Create the tool without contacting the server, or reading any variable.

        Args:
            spec: The specification for models.
            operation: What the document says about the operation.
            access: How its server is reached.
        """
        self.spec = spec
        self.operation = operation
        self.access = access

    @property
    def holders(self) -> tuple[object, ...]:
        """Nothing: a document and settings contain only texts, and every tool would search those of the whole API."""
        return ()

    @property
    def uses(self) -> Mapping[str, str]:
        """The method and the address, and what requests are sent with; references are not replaced."""
        operation, access = self.operation, self.access
        headers = {f"header {name}": value for name, value in access.shown_headers.items()}
        signed = {f"{part.place} {part.name}": part.value for part in access.credentials.shown(operation)}
        return {"endpoint": f"{operation.method} {access.base}{operation.path}", **headers, **signed}

    def parse(self, arguments: Arguments) -> Any:
        """Validate the arguments; unlike elsewhere, unknown ones are refused, since a filter could be lost."""
        parsed = super().parse(arguments)
        known = list(self.spec.properties)
        unknown = [name for name in parsed if name not in known]
        if faults := {name: did_you_mean(name, known) or "there is no similar one" for name in unknown}:
            message = "; ".join(f"Unknown parameter {name!r}: {hint}" for name, hint in faults.items())
            raise ToolArgumentsError(message, faults=faults)
        return parsed

    def check(self, parsed: Any, context: ToolContext) -> None:
        """Check that the request can be sent, before a reviewer is asked.

        Raises:
            ConfigurationError: If the extra is not installed, or a credential or a variable is not set.
            ToolArgumentsError: If an argument cannot be sent.
        """
        if find_spec("httpx2") is None:
            raise not_installed(f"the tool '{context.tool or self.name}' needs", "toolkit-cli[openapi]")
        self.access.filled_headers()
        self.access.credentials.check(self.operation)
        self._request(parsed)

    def preview(self, parsed: Any, context: ToolContext) -> str:
        """Return the request that would be sent, with references instead of credentials."""
        request = _with_headers(self._request(parsed), self.access.shown_headers)
        request = request.with_parts(self._shown_parts, write=str)
        headers = [f"{name}: {value}" for name, value in request.sent_headers.items()]
        body = [] if request.body is None else ["", _as_text(request.body)]
        return "\n".join([f"HTTP {request.method} {request.url}", *headers, *body])

    async def perform(self, parsed: Any, context: ToolContext) -> ToolResult:
        """Send the request, and convert the response.

        Raises:
            ToolExecutionError: If there is no token for the request.
        """
        operation, access = self.operation, self.access
        request = _with_headers(self._request(parsed), access.filled_headers())
        try:
            parts = await access.credentials.parts(operation, access.fetcher)
            answer = await self._sent(request.with_parts(parts), context)
            if answer.status == HTTPStatus.UNAUTHORIZED and access.credentials.renews(operation):
                parts = await access.credentials.parts(operation, access.fetcher, refused=parts)
                answer = await self._sent(request.with_parts(parts), context)
        except FetchError as error:
            message = f"HTTP request failed: {reason_of(error, access.name)}"
            return ToolResult.failure(RECEIVED.text(message), error.code)
        result = result_of(operation, parsed, answer, RECEIVED)
        return result if self.spec.read_only or answer.is_cut else self._compared(result, answer)

    def _compared(self, result: ToolResult, answer: Fetched) -> ToolResult:
        """Return a result with a note if it succeeded, but is not what the document declares."""
        schema = self.spec.output_schema
        if not result.succeeded or schema is None:
            return result
        misfit = output_mismatch(result.structured, schema)
        said = f"The call succeeded ({status_in_words(answer.status)}): do not repeat it because its answer differs"
        return result if misfit is None else result.remarked(f"{said} from what the document declares: {misfit}.")

    async def _sent(self, request: Request, context: ToolContext) -> Fetched:
        """Send a request, and again when the server is ready if it asks to wait and there is enough time for it."""
        access = self.access
        fetcher = access.following if request.method in _FOLLOWING else access.fetcher
        until = monotonic() + _patience(access, context)
        sent = 0
        while True:
            answer = await fetcher.fetch(request.method, request.url, request.sent_headers, request.body)
            sent += 1
            wait = seconds_until_retry(answer) if answer.status in _BUSY and request.method in _REPEATABLE else None
            if wait is None or sent > _MOST_REPETITIONS or monotonic() + wait >= until:
                return answer
            context.progress(f"{status_in_words(answer.status)}: waiting {format_duration(wait)}")
            await pause(max(wait, _LEAST_PAUSE))
            await begin_again(context.tool or self.name, context)

    def _request(self, parsed: Any) -> Request:
        """Return the request without credentials and fixed headers, which take precedence over arguments."""
        operation, access = self.operation, self.access
        fixed = {key_of("header", name) for name in access.headers}
        request = make_request(operation, parsed, access.base, {*fixed, *(one.key for one in self._shown_parts)})
        if other := endpoint_if_decoded(request, access.base, operation, access.endpoints):
            raise ToolArgumentsError(f"The arguments cannot be sent: their '/' could make it the path of '{other}'")
        return request

    @cached_property
    def _shape(self) -> "Shape":
        return shape_of_arguments({**self.spec.parameters, "additionalProperties": True})

    @cached_property
    def _shown_parts(self) -> Sequence[Part]:
        return self.access.credentials.shown(self.operation)


def _patience(access: ServerAccess, context: ToolContext) -> float:
    """Return how long a call may take: until its time limit or, without one, as long as one request."""
    left = context.waits.seconds_left if context.waits is not None else access.timeout
    return left if isfinite(left) else access.timeout


def _with_headers(request: Request, headers: Mapping[str, str]) -> Request:
    return replace(request, headers=joined_headers(request.headers, headers))


def _as_text(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError:
        return f"<{len(body)} bytes that are not text>"

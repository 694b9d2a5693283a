"""Convert HTTP error statuses to JSON-RPC errors with a hint.

The SDK uses the same message for every error status. Here, the error code is the status itself, so that a pipeline can
retry a 429 or a 503.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import httpx2
from mcp_types import INTERNAL_ERROR, METHOD_NOT_FOUND

_NEGOTIATED: Mapping[int, int] = {400: INTERNAL_ERROR, 404: METHOD_NOT_FOUND, 405: INTERNAL_ERROR}
"""Statuses that can mean an older protocol, and the error codes by which the SDK recognizes that."""
_SESSION = "mcp-session-id"
"""In a session, the SDK handles these statuses itself: the session has expired, or there is no event stream."""
_PHRASES: Mapping[int, str] = {status.value: status.phrase for status in HTTPStatus}
_ADVICE: Mapping[int, str] = {
    401: "check the credentials in its 'headers'",
    403: "these credentials do not allow this request; ask the server's operator for access",
    404: "nothing answers at its 'url'; check the path",
    405: "its 'url' does not accept requests of the protocol; check the path",
    407: "the proxy requires credentials; set them in HTTPS_PROXY",
    408: "it timed out waiting for the request; try again",
    413: "the arguments are too large for it",
    429: "too many requests; wait, or retry with a longer backoff",
    500: "it failed internally; see its own log",
    502: "a gateway cannot reach it; try again later",
    503: "it is overloaded or being restarted; try again later",
    504: "a gateway timed out waiting for it; try again later",
}


class ExplainingClient(httpx2.AsyncClient):
    """An HTTP client that converts error responses to JSON-RPC errors, unless the server sends one itself."""

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request, and return the response or a JSON-RPC error that explains its status."""
        response = await super().send(request, **options)
        status = response.status_code
        if status < HTTPStatus.BAD_REQUEST or (status in _NEGOTIATED and _SESSION in request.headers):
            return response
        await response.aread()
        if request.method != "POST" or _is_json_rpc(response):
            return response
        error = {"code": _NEGOTIATED.get(status, status), "message": explanation_of(status)}
        body = {"jsonrpc": "2.0", "id": None, "error": error}
        return httpx2.Response(status, json=body, request=request)


def explanation_of(status: int) -> str:
    """Return what an HTTP status means, with a hint."""
    name = f"HTTP {status} {_PHRASES.get(status, '')}".rstrip()
    return f"{name}: {_ADVICE[status]}" if status in _ADVICE else name


def is_status(code: int) -> bool:
    """Return whether an error code is an HTTP error status."""
    return HTTPStatus.BAD_REQUEST <= code < 600  # noqa: PLR2004 - the end of the range of HTTP statuses


def _is_json_rpc(response: httpx2.Response) -> bool:
    try:
        body = response.json()
    except ValueError:
        return False
    return isinstance(body, dict) and "jsonrpc" in body and isinstance(body.get("error"), dict)

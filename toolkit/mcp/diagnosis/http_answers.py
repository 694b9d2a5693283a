"""Find out what an HTTP server wants that answers, but not as the protocol says: a sign-in, or another address.

These requests carry no message. Only those to the configured address carry its headers.
"""

from collections.abc import AsyncIterator, Mapping
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

import httpx2
from mcp.client.auth.utils import (
    build_oauth_authorization_server_metadata_discovery_urls,
    build_protected_resource_metadata_discovery_urls,
    extract_resource_metadata_from_www_auth,
)

from toolkit.mcp.client.server_sessions import ServerUnreachable
from toolkit.mcp.client.transports import certificates, values_for
from toolkit.mcp.diagnosis.diagnoses import Diagnosis, Step
from toolkit.mcp.diagnosis.session_checks import opened
from toolkit.mcp.settings.server_settings import HttpServer
from toolkit.mcp.sign_in.providers import Challenge, url_of

_MAY_BE_OLD: Final = frozenset({400, 404, 405})
_MOST_REDIRECTS: Final = 20


async def opened_with_reasons(found: Diagnosis) -> AsyncIterator[Step]:
    """Contact a server, and ask it for more if it does not answer as the protocol says."""
    async for step in opened(found):
        yield await _explained(found, step) if step.state == "failed" else step


async def _explained(found: Diagnosis, step: Step) -> Step:
    error, server = found.error, found.server
    assert isinstance(error, ServerUnreachable)  # why the step failed
    assert isinstance(server, HttpServer)  # others do not answer with HTTP
    url, reason = url_of(server), error.reason
    try:
        if reason.status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
            return await _with_sign_in(step, server, url, Challenge(reason.status, reason.header))
        headers = dict(values_for(server, found.circumstances.context.values))
        if reason.status in _MAY_BE_OLD and await _streams_events(url, headers):
            text = "speaks only HTTP+SSE of 2024-11-05, which the protocol has replaced"
            return step._replace(reasons=(text,), fix="most of these servers also answer at the path /mcp")
        if reason.header and reason.status is None:
            return await _with_target(step, url, reason.header)
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError):
        return step  # it no longer answers, or with something else
    return step


async def _with_sign_in(step: Step, server: HttpServer, url: str, challenge: Challenge) -> Step:
    """Return the failed step with what the server says about signing in."""
    if challenge.lacks_scope:
        needed = f"it needs these permissions: {challenge.scope}"
        return step._replace(reasons=(*step.reasons, needed)) if challenge.scope else step
    named = extract_resource_metadata_from_www_auth(challenge.response()) or await _published_metadata(url)
    if named is not None:
        return step._replace(reasons=(*step.reasons, f"it says how to sign in: {named}"))
    fix = "send a token: headers = { Authorization = 'Bearer ${TOKEN}' }" if server.signs_in else step.fix
    return step._replace(reasons=(*step.reasons, "it does not say how to sign in (no metadata)"), fix=fix)


async def _published_metadata(url: str) -> str | None:
    """Return the well-known address of a server at which it says how to sign in, or `None`."""
    of_resource = build_protected_resource_metadata_discovery_urls(None, url)
    for address in [*of_resource, *build_oauth_authorization_server_metadata_discovery_urls(None, url)]:
        answer = await _head_of(address)
        if answer.is_success and answer.headers.get("content-type", "").startswith("application/json"):
            return address
    return None


async def _streams_events(url: str, headers: Mapping[str, str]) -> bool:
    """Return whether an address answers to GET with events, as servers of the first version did."""
    answer = await _head_of(url, {**headers, "accept": "text/event-stream"})
    return answer.is_success and answer.headers.get("content-type", "").startswith("text/event-stream")


async def _with_target(step: Step, url: str, target: str) -> Step:
    if await _is_circle(url):
        return step._replace(reasons=(f"redirects in circles, among others to {target}",), fix="check its 'url'")
    before, after = urlsplit(url), urlsplit(target)
    if before.hostname != after.hostname:
        text = f"redirects to another host, {target}, which is not followed: it would receive the headers and calls"
        return step._replace(reasons=(text,))
    if before.scheme == "http" and after.scheme == "https":
        return step._replace(reasons=(f"redirects to https: {target}",), fix=f"write url = '{target}'")
    return step


async def _is_circle(url: str) -> bool:
    """Return whether an address redirects to itself, or within its own server back to where it has been."""
    seen = {url}
    origin = urlsplit(url)[:2]
    for _ in range(_MOST_REDIRECTS):
        following = (await _head_of(url)).next_request
        if following is None or urlsplit(str(following.url))[:2] != origin:
            return False
        url = str(following.url)
        if url in seen:
            return True
        seen.add(url)
    return True


async def _head_of(url: str, headers: Mapping[str, str] | None = None) -> httpx2.Response:
    """Return the status and the headers of an answer; its body is not read."""
    async with (
        httpx2.AsyncClient(headers=headers, timeout=_SECONDS, verify=certificates()) as client,
        client.stream("GET", url) as response,
    ):
        return response


_SECONDS: Final = 5.0

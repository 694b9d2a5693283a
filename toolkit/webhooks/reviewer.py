"""The webhook reviewer: a question goes to an address over HTTP, and the answer comes at once or later."""

import json
from collections.abc import Collection, Mapping
from contextlib import nullcontext
from secrets import token_hex
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from toolkit.approvals.decisions import Decision, Reject
from toolkit.approvals.requests import ReviewRequest
from toolkit.errors import ConfigurationError
from toolkit.json_texts import as_plain
from toolkit.webhooks.answers import MOST_BYTES, NoAnswerError, read_answer
from toolkit.webhooks.payloads import payload_of
from toolkit.webhooks.signatures import signed

if TYPE_CHECKING:
    from toolkit.builtin.web.fetching import Fetched, Fetcher
    from toolkit.webhooks.callbacks import Callbacks

_DONE, _LATER = 200, 202
_FEWEST_CHARACTERS = 16
_PASSING = {429, 500, 502, 503, 504}
"""Answers to a poll after which it is tried again, as long as the question is open."""


class WebhookReviewer:
    """Sends each question, signed with a shared secret, to an address, and believes only signed answers.

    The address answers with 200 and the decision, or with 202 and decides later. Then it is asked again and again at
    the place that it names (`{"poll": "/answers/17"}`), or sends the answer to the callback. Whatever else comes, or
    nothing within the time of the question, approves nothing.

    Example:
        >>> from toolkit import ToolContext
        >>> from toolkit.webhooks import WebhookReviewer
        >>> reviewer = WebhookReviewer("https://approvals.example.com/review", "a secret of many letters")
        >>> context = ToolContext(reviewer=reviewer)
    """

    def __init__(
        self,
        url: str,
        secret: str,
        *,
        poll: float = 2.0,
        timeout: float = 30.0,
        private_hosts: Collection[str] = (),
        listen: str | None = None,
        callback: str | None = None,
    ) -> None:
        """Keep where questions go; nothing is sent yet.

        Args:
            url: Where questions are sent.
            secret: What both sides know; at least 16 characters.
            poll: Seconds between two looks for an answer that comes later.
            timeout: Seconds that one exchange may take; the question itself limits the wait for an answer.
            private_hosts: Hosts that may lie inside, each as `host` or `host:port`.
            listen: Where answers are received, as `host:port`.
            callback: The address that leads there, as the other side knows it.

        Raises:
            ConfigurationError: If the secret is too short, or only one of `listen` and `callback` is given.
        """
        if len(secret) < _FEWEST_CHARACTERS:
            message = f"the secret of the webhook has fewer than {_FEWEST_CHARACTERS} characters"
            raise ConfigurationError(f"{message}; make one with: openssl rand -hex 32")
        if (listen is None) != (callback is None):
            raise ConfigurationError("a webhook needs both 'listen' and 'callback', or neither")
        self._url, self._secret, self._poll, self._timeout = url, secret, poll, timeout
        self._private_hosts = tuple(private_hosts)
        self._callback = callback
        self._callbacks = None if listen is None else _callbacks_at(listen)

    async def review(self, request: ReviewRequest) -> Decision:
        """Send a question, and return the decision; what is not one rejects."""
        from toolkit.builtin.web.fetching import FetchError  # noqa: PLC0415 - it is slow to load

        if request.form is not None:
            return Reject("a webhook cannot fill in forms")
        try:
            return await self._decision(request)
        except NoAnswerError as error:
            return Reject(f"the answer of the webhook does not count: {error}")
        except (FetchError, OSError) as error:
            return Reject(f"the webhook cannot be reached: {error}")

    async def _decision(self, request: ReviewRequest) -> Decision:
        identity = token_hex(16)

        def read(headers: Mapping[str, str], body: bytes) -> Decision:
            return read_answer(self._secret, headers, body, identity, request)

        receiving = nullcontext() if self._callbacks is None else self._callbacks.awaiting(identity, read)
        with receiving as received:
            answer = await self._sent(request, identity)
            if answer.status == _DONE:
                return read(answer.headers, _whole(answer))
            if answer.status != _LATER:
                raise NoAnswerError(f"it has the status {answer.status}")
            if received is not None:
                return await received
            place = self._place_to_poll(answer)
            while (answer := await self._polled(place, identity)).status in {_LATER, *_PASSING}:
                pass
            if answer.status != _DONE:
                raise NoAnswerError(f"it has the status {answer.status}")
            return read(answer.headers, _whole(answer))

    async def _sent(self, request: ReviewRequest, identity: str) -> "Fetched":
        callback = None if self._callback is None else f"{self._callback.rstrip('/')}/{identity}"
        payload = payload_of(request, identity, callback)
        body = json.dumps(payload, default=as_plain, ensure_ascii=True).encode()
        headers = {"Content-Type": "application/json", **signed(self._secret, "review", body)}
        return await self._fetcher.fetch("POST", self._url, headers, body)

    async def _polled(self, place: str, identity: str) -> "Fetched":
        import asyncio

        await asyncio.sleep(self._poll)
        return await self._fetcher.fetch("GET", place, signed(self._secret, "poll", identity.encode()))

    def _place_to_poll(self, answer: "Fetched") -> str:
        """Return where the answer is to be found, which is at the same server.

        Raises:
            NoAnswerError: If there is none, or it is elsewhere.
        """
        try:
            data = json.loads(_whole(answer))
        except (ValueError, RecursionError):
            data = None
        named = data.get("poll") if isinstance(data, dict) else None
        if not isinstance(named, str):
            raise NoAnswerError("it does not say where the answer will be")
        place = urljoin(self._url, named)
        if urlsplit(place)[:2] != urlsplit(self._url)[:2]:
            raise NoAnswerError("it leads to another server")
        return place

    @property
    def _fetcher(self) -> "Fetcher":
        from toolkit.builtin.web.address_guard import AddressGuard  # noqa: PLC0415 - only a question needs it
        from toolkit.builtin.web.fetching import Fetcher  # noqa: PLC0415

        return Fetcher(AddressGuard(self._private_hosts), self._timeout, MOST_BYTES)


def _callbacks_at(listen: str) -> "Callbacks":
    from toolkit.webhooks.callbacks import Callbacks  # noqa: PLC0415 - few webhooks call back

    host, _, port = listen.rpartition(":")
    if not host or not port.isdecimal():
        raise ConfigurationError(f"'{listen}' is not a place to listen: write host:port, such as 127.0.0.1:8765")
    return Callbacks(host, int(port))


def _whole(answer: "Fetched") -> bytes:
    if answer.is_cut:
        raise NoAnswerError("it is too long")
    return answer.body

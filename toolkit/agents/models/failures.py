"""Failures: what goes wrong between us and a provider, in words for people, with no key in them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from toolkit.agents.models.messages import ModelError
from toolkit.errors import Signal
from toolkit.redactors.environment import redactor_of_environment

KEY = "TOOLKIT_MODEL_KEY"
"""The variable with the key of a server of one's own."""

_LONGEST = 1_000


@contextmanager
def failures_in_words(name: str, base_url: str | None, silence: float) -> Iterator[None]:
    """Turn whatever is raised into a `ModelError`.

    Args:
        name: What the model is called.
        base_url: The server's address, if one is set.
        silence: Seconds that it may be silent.

    Raises:
        ModelError: With the words of the server, or of the library that speaks to it.
    """
    try:
        yield
    except (ModelError, Signal):
        raise
    except TimeoutError as error:
        raise ModelError(f"the model '{name}' sent nothing for {silence:g} seconds", "timeout") from error
    except Exception as error:  # noqa: BLE001 - what a server sends may break the provider's library anywhere
        words = _describe(error, name, base_url)
        blotted = without_secrets(words)
        if len(blotted) > _LONGEST:
            blotted = f"{blotted[:_LONGEST]}… ({len(blotted)} characters)"
        # The error below has the words of the server too: it is shown only where they hold no secret.
        raise ModelError(blotted) from (error if blotted == words else None)


def _describe(error: Exception, name: str, base_url: str | None) -> str:
    from pydantic_ai.exceptions import AgentRunError, ModelConnectionError, ModelHTTPError, UserError

    match error:
        case ModelHTTPError():
            advice = _hint_for(error.status_code, base_url) or _meant(error, name)
            return f"the server of '{name}' answered with status {error.status_code}: {_body(error)}{advice}"
        case ModelConnectionError():
            where = f" at {shown_url(base_url)}" if base_url is not None else ""
            failed = "closed the connection" if _had_connected(error) else "cannot be reached"
            return f"the server of '{name}'{where} {failed}: {words_of(error)}"
        case AgentRunError() | UserError():
            return f"the model '{name}' gave no reply: {words_of(error)}"
    return f"the server of '{name}' sent something that is not a reply: {type(error).__name__}: {words_of(error)}"


def words_of(error: BaseException) -> str:
    """Return the first line of an error message, without the full stop."""
    return next(iter(str(error).strip().splitlines()), "").rstrip(".:") or type(error).__name__


def _had_connected(error: BaseException | None) -> bool:
    """Return whether there was a connection, which the innermost exception shows."""
    while error is not None:
        if type(error).__name__ in {"ReadError", "RemoteProtocolError"}:
            return True
        error = error.__cause__
    return False


def _hint_for(status: int, base_url: str | None) -> str:
    """Return a fix for an error of the user's own server; a provider's message has one already."""
    if base_url is None:
        return ""
    if status in (401, 403):
        unset = "" if os.environ.get(KEY) else ", which is not set"
        return f" (its key comes from {KEY} in the environment{unset})"
    if status == 404 and not urlsplit(base_url).path.strip("/"):  # noqa: PLR2004 - as above
        return f" (most servers of the chat API are at {shown_url(base_url).rstrip('/')}/v1)"
    return ""


def _meant(error: Any, name: str) -> str:
    """Return the nearest known model where a provider has none of this name; of a server of one's own none is known."""
    provider, known = name.partition(":")[0], error.suggested_model_id
    return f" (did you mean '{provider}:{known.partition(':')[2]}'?)" if known and provider != "chat" else ""


def _body(error: Any) -> str:
    """Return the words of the server, wherever it has put them."""
    body = error.body
    if isinstance(body, dict):
        inner = body.get("error", body)
        return str(inner.get("message", inner) if isinstance(inner, dict) else inner)
    return str(body or "no reason given").strip()


def shown_url(url: str) -> str:
    """Return a URL without what may be secret in it: a user, a password, a query."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def without_secrets(text: str) -> str:
    """Return a text with a mask for every secret of the environment that is in it, in whatever form."""
    return redactor_of_environment().text(text)

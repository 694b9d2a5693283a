"""Turns the errors of model providers into readable messages without secrets."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from toolkit.agents.models.messages import ModelError
from toolkit.errors import Signal
from toolkit.problems import nearest
from toolkit.redactors.redactor import redactor_of_environment

KEY = "TOOLKIT_MODEL_KEY"
"""The environment variable with the key for a custom base URL."""

_LONGEST = 1_000


@contextmanager
def readable_errors(name: str, base_url: str | None, silence: float) -> Iterator[None]:
    """Turn any exception into a `ModelError`.

    Args:
        name: The name of the model.
        base_url: The base URL of the server, if set.
        silence: The timeout in seconds, for the message.

    Raises:
        ModelError: If an exception was raised. The message includes that of the server or of its client library.
    """
    try:
        yield
    except (ModelError, Signal):
        raise
    except TimeoutError as error:
        raise ModelError(f"the model '{name}' sent nothing for {silence:g} seconds", "timeout") from error
    except Exception as error:  # noqa: BLE001 - a bad response can raise anything in the client library
        words = _describe(error, name, base_url)
        blotted = without_secrets(words)
        if len(blotted) > _LONGEST:
            blotted = f"{blotted[:_LONGEST]}… ({len(blotted)} characters)"
        # The original exception contains the same text, so it is chained only if nothing had to be masked.
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
    """Return whether a connection had been made, which can be seen from the innermost exception."""
    while error is not None:
        if type(error).__name__ in {"ReadError", "RemoteProtocolError"}:
            return True
        error = error.__cause__
    return False


def _hint_for(status: int, base_url: str | None) -> str:
    """Return a hint for an error of a custom server; messages of providers have their own."""
    if base_url is None:
        return ""
    if status in (401, 403):
        unset = "" if os.environ.get(KEY) else ", which is not set"
        return f" (its key comes from {KEY} in the environment{unset})"
    if status == 404 and not urlsplit(base_url).path.strip("/"):  # noqa: PLR2004 - as above
        return f" (most servers of the chat API are at {shown_url(base_url).rstrip('/')}/v1)"
    return ""


def _meant(error: Any, name: str) -> str:
    """Return a hint with the nearest known model of the provider; the models of a custom server are unknown."""
    provider, known = name.partition(":")[0], error.suggested_model_id
    return f" (did you mean '{provider}:{known.partition(':')[2]}'?)" if known and provider != "chat" else ""


def _body(error: Any) -> str:
    """Return the error message in the body of a response."""
    body = error.body
    if isinstance(body, dict):
        inner = body.get("error", body)
        return str(inner.get("message", inner) if isinstance(inner, dict) else inner)
    return str(body or "no reason given").strip()


def shown_url(url: str) -> str:
    """Return a URL without parts that may be secret: user, password and query."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def without_secrets(text: str) -> str:
    """Mask every secret of the environment in a string, in any encoding."""
    return redactor_of_environment().text(text)


_MOST = 3


def near_models(name: str) -> str | None:
    """Return a hint with similar models if the provider is mistyped or missing, or else with the known providers."""
    provider, _, model = name.rpartition(":")
    known = _known_models()
    providers = sorted({one.partition(":")[0] for one in known})
    if provider:
        near = [f"{one}:{model}" for one in nearest(provider, providers)] if provider not in providers else []
        if not near and provider not in providers and providers:
            return f"write PROVIDER:NAME with a provider such as {', '.join(providers)}"
    else:
        likes = set(nearest(model, {one.partition(":")[2] for one in known}, most=1))
        near = [one for one in known if one.partition(":")[2] in likes]
    return f"did you mean {' or '.join(repr(one) for one in near[:_MOST])}?" if near else None


def _known_models() -> list[str]:
    """Return the known models, without those behind a gateway, which are unlikely to be meant."""
    try:
        from pydantic_ai.models import known_model_names
    except ImportError:
        return []
    return [name for name in known_model_names() if "/" not in name.partition(":")[0]]

"""Ask the person behind an MCP client; only an explicit approval lets a call run.

In the handshake era, the client is asked by elicitation while the call waits. In the stateless era, the question is
sent as the answer to the call: the call is parked, and continues when the client repeats it with the person's answer.
If a client does not support questions, the call is refused.
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from toolkit.approvals.decisions import Continue, Decision, Edit, Reject
from toolkit.approvals.requests import ReviewRequest
from toolkit.json_texts import json_text

Elicit = Callable[[types.ElicitRequest], Awaitable[types.ElicitResult]]
"""Sends a question to the client and returns the person's answer."""

_LONGEST_QUESTION = 20_000
"""Maximum length of a question in characters; a longer one could not be reviewed, so it is refused."""

_FORM_KEYS = ("type", "properties", "required")
_APPROVE, _REJECT = "approve", "reject"
_NOT_PLAIN = re.compile(r"[^\n\x20-\x7e]")
_INVISIBLE = re.compile(r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\uffa0\ufe00-\ufe0f]")


class ClientReviewer:
    """Asks the person behind a client. Calls can run in any event loop; the client is asked in the server's loop."""

    def __init__(self, elicit: Elicit | None, why_not: Callable[[ReviewRequest], str]) -> None:
        """Create the reviewer, in the event loop of the server.

        Args:
            elicit: Asks the client, or `None` if the client does not support questions.
            why_not: Returns why the client cannot be asked, and how to allow the call.
        """
        self._elicit = elicit
        self._why_not = why_not
        self._loop = asyncio.get_running_loop()

    @property
    def available(self) -> bool:
        """Whether the client can be asked."""
        return self._elicit is not None

    async def review(self, request: ReviewRequest) -> Decision:
        """Ask the person, and return the decision."""
        if self._elicit is None:
            return Reject(self._why_not(request))
        text = text_of(request)
        if len(text) > _LONGEST_QUESTION:
            return Reject(
                f"the question has {len(text)} characters, too many for a person to review; make the call smaller"
            )
        asking = asyncio.run_coroutine_threadsafe(self._ask(self._elicit, text, request), self._loop)
        return await asyncio.wrap_future(asking)

    async def _ask(self, elicit: Elicit, text: str, request: ReviewRequest) -> Decision:
        try:
            answer = await elicit(_elicitation(text, request))
        except ValueError:  # such as pydantic's ValidationError
            return Reject("the client's answer to the question is malformed")
        except MCPError as error:
            return Reject(f"the client could not ask: {error.message}")
        if request.form is not None:
            return _fill(answer)
        return _own_words(answer) if request.answer_is_text else _decision(answer)


def can_be_asked(capabilities: types.ClientCapabilities | None) -> bool:
    """Return whether a client can show a form to a person."""
    elicitation = capabilities.elicitation if capabilities is not None else None
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


def text_of(request: ReviewRequest) -> str:
    """Return the full text of a question, with everything that the decision depends on and no hidden characters."""
    if request.answer_is_text:
        return _show(request.text)
    if request.form is not None:
        return _show(f"{request.asked_by}\n\n{_labelled('asks', request.text)}")
    risk = request.risk
    is_usual = request.text == f"Run {risk.tool}?"
    arguments = json_text(request.arguments, indent=2)  # strings in JSON contain no line breaks
    defaults = {name: value for name, value in request.defaults.items() if name not in request.arguments}
    lines = [
        request.text if is_usual else _labelled("asks", request.text),
        "",
        _labelled("tool", f"{risk.tool} ({risk.source})" if risk.source else risk.tool),
        _labelled("risk", " · ".join(risk.labels) or "not marked"),
        _labelled("asked because", request.asked_by),
        _labelled("where", request.place),
        f"arguments: {arguments}",
        _labelled("defaults", json.dumps(defaults, ensure_ascii=False, indent=2) if defaults else None),
        _labelled("uses", "\n".join(f"{label} = {text}" for label, text in request.uses.items())),
        _labelled("shows", None if request.show is None else _block(request.show)),
        _labelled("effect", request.preview),
    ]
    return _show("\n".join(line for line in lines if line is not None))


def _labelled(label: str, text: str | None) -> str | None:
    """Return a text with its label; a bar marks further lines, so that none can pass for a label of the question."""
    return f"{label}: {text}".replace("\n", "\n| ") if text else None


def _elicitation(text: str, request: ReviewRequest) -> types.ElicitRequest:
    schema: dict[str, Any]
    if request.form is not None:
        schema = {key: value for key, value in request.form.items() if key in _FORM_KEYS}
    elif request.answer_is_text:
        schema = {"type": "object", "properties": {"answer": {"type": "string", "title": "Your answer"}}}
    else:
        decision = {
            "type": "string",
            "title": "Decision",
            "description": f"'{_APPROVE}' runs the call once, exactly as shown; anything else does not run it",
            "enum": [_REJECT, _APPROVE],
        }
        reason = {
            "type": "string",
            "title": "Reason",
            "description": "Why you reject the call; the caller will see this",
        }
        schema = {"type": "object", "properties": {"decision": decision, "reason": reason}, "required": ["decision"]}
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=text, requested_schema=schema))


def _decision(answer: types.ElicitResult) -> Decision:
    given: Mapping[str, Any] = answer.content or {}
    if answer.action == "accept" and given.get("decision") == _APPROVE:
        return Continue()
    reason = given.get("reason")
    if isinstance(reason, str) and reason.strip():
        return Reject(reason.strip())
    return Reject("" if answer.action != "cancel" else "the question was dismissed")


def _fill(answer: types.ElicitResult) -> Decision:
    """Return the content of the form as an edit; a form that was not filled in is rejected."""
    return Edit(dict(answer.content)) if answer.action == "accept" and answer.content is not None else Reject("")


def _own_words(answer: types.ElicitResult) -> Decision:
    words = (answer.content or {}).get("answer")
    if answer.action == "accept" and isinstance(words, str) and words.strip():
        return Edit(words)
    return Continue() if answer.action == "accept" else Reject("")


def _block(value: Any) -> str:
    return value if isinstance(value, str) else json_text(value, indent=2, default=str)


def _show(text: str) -> str:
    """Return a text with all invisible characters escaped."""
    return _NOT_PLAIN.sub(lambda found: _escape(found.group()), text)


def _escape(character: str) -> str:
    if character.isprintable() and not _INVISIBLE.match(character) and ord(character) < 0xE0100:  # noqa: PLR2004 - tags
        return character
    return json.dumps(character)[1:-1]

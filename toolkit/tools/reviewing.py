"""Reviewing: a call as a reviewer sees it, what tells it from every other, and edits of it made whole."""

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from toolkit.tools.hiding import members_of, veiled
from toolkit.tools.showing import frozen, is_type_alone

if TYPE_CHECKING:
    from toolkit.tools.base import Tool
    from toolkit.tools.context import ToolContext

_SALT = os.urandom(16)  # a digest may travel to a reviewer elsewhere, and a short password must not be found from it


def scope_of(context: "ToolContext") -> str:
    """Return where an answer for several calls holds: in one run, whatever is inside it, and for one memory."""
    run = context.run.lineage[-1].id if context.run is not None else None
    return json.dumps([run, context.memory_id])


def digest_of_call(tool: "Tool", sent: str, *around: str) -> str:
    """Return what differs between any two calls of different tools, or with different arguments, and tells nothing.

    Calls that a reviewer sees alike may differ in a secret, in what has no form in JSON, or in the tool behind a name.
    What is `around` the call counts too, such as the run that it belongs to.
    """
    from hashlib import sha256  # noqa: PLC0415 - it loads OpenSSL, and only a question needs it

    data = members_of(sent)
    whole = sent if data is None else json.dumps(_known(tool, data), sort_keys=True)
    return sha256(_SALT + json.dumps([tool.identity, whole, *around]).encode()).hexdigest()


def digest_of_step(tool: "Tool", context: "ToolContext") -> str:
    """Return what all calls of a tool share that one step makes for its items in one run; empty elsewhere.

    What a model chooses within a step is no call of the step itself.
    """
    if context.item is None or context.step is None or context.chosen_by != "person":
        return ""
    from hashlib import sha256  # noqa: PLC0415 - as above

    return sha256(_SALT + json.dumps([tool.identity, scope_of(context), context.step]).encode()).hexdigest()


def unhidden(tool: "Tool", edited: str | Mapping[str, Any], sent: str) -> str:
    """Return edited arguments as JSON text, with the secret of the call wherever a reviewer left the stars."""
    text = frozen(edited)
    new, old = (members_of(text), members_of(sent)) if tool.hidden_parameters else (None, None)
    if new is None or old is None:
        return text
    shown = shown_arguments(tool, tool.parse(sent), sent)
    kept = {
        name: old[name]
        for name in tool.hidden_parameters
        if name in old and name in new and new[name] == shown.get(name)
    }
    return json.dumps(new | kept)


def shown_arguments(tool: "Tool", parsed: Any, sent: str) -> dict[str, Any]:
    """Return the arguments of a call as a reviewer sees them: as they were read, and whatever of them that leaves out.

    A type may keep members out of its JSON, or have none at all; what was sent for them is shown, but no secret is.
    """
    told = veiled(_known(tool, members_of(sent) or {}), tool.spec.parameters)
    shown: dict[str, Any] = _completed(tool.describe(parsed), told)
    return shown


def shown_defaults(tool: "Tool", parsed: Any, sent: str, shown: Mapping[str, Any]) -> dict[str, Any]:
    """Return what stands in for what was not sent: filled in while the arguments were read, or by the tool itself."""
    members = members_of(sent)
    read = {} if members is None else {name: value for name, value in shown.items() if name not in members}
    return read | {name: value for name, value in tool.defaults(parsed).items() if name not in shown}


def _known(tool: "Tool", data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members that the tool knows of; what it does not, it never sees."""
    return {name: value for name, value in data.items() if name in tool.spec.properties}


def _completed(shown: Any, sent: Any) -> Any:
    """Return what is shown, with what was sent for it wherever it says nothing, or no more than a type."""
    if isinstance(shown, dict) and isinstance(sent, dict):
        both = {name: _completed(value, sent[name]) if name in sent else value for name, value in shown.items()}
        return both | {name: value for name, value in sent.items() if name not in shown}
    if isinstance(shown, list) and isinstance(sent, list) and len(shown) == len(sent):
        return [_completed(*pair) for pair in zip(shown, sent, strict=True)]
    return sent if isinstance(shown, str) and is_type_alone(shown) else shown

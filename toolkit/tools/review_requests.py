"""Review requests: a call as a reviewer sees it, its digest, and edits of it made whole."""

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from toolkit.errors import ToolArgumentsError
from toolkit.redactors.redactor import MASK
from toolkit.tools.exact_numbers import dumps
from toolkit.tools.plain_arguments import frozen, is_type_alone
from toolkit.tools.secret_arguments import members_of
from toolkit.tools.subjects import Subject

if TYPE_CHECKING:
    from toolkit.tools.surroundings import Surroundings

_SALT = os.urandom(16)  # a digest may travel to a reviewer elsewhere, and a short password must not be found from it


def scope_of(context: "Surroundings") -> str:
    """Return where an answer for several calls holds: in one run, whatever is inside it, and for one memory."""
    run = context.run.lineage[-1].id if context.run is not None else None
    return json.dumps([run, context.memory_id])


def digest_of_call(tool: Subject, sent: str, *around: str) -> str:
    """Return a digest that differs between any two calls of different tools or arguments, and reveals nothing.

    Calls that look alike to a reviewer may differ in a secret, in what has no JSON form, or in the tool behind a name.
    What is `around` the call counts too, such as the run that it belongs to.
    """
    data = members_of(sent)
    whole = sent if data is None else dumps(_known(tool, data), sort_keys=True)
    return salted_digest(json.dumps([tool.identity, whole, *around]))


def digest_of_step(tool: Subject, context: "Surroundings") -> str:
    """Return what all calls of a tool share that one step makes for its items in one run; empty elsewhere.

    What a model chooses within a step is not a call of the step itself.
    """
    if context.item is None or context.step is None or context.chosen_by != "person":
        return ""
    return salted_digest(json.dumps([tool.identity, scope_of(context), context.step]))


def salted_digest(text: str) -> str:
    """Return a digest from which nobody finds a text, however short it is."""
    from hashlib import sha256  # noqa: PLC0415 - it loads OpenSSL, and only a question needs it

    return sha256(_SALT + text.encode(errors="surrogatepass")).hexdigest()


def unhidden(edited: str | Mapping[str, Any], shown: Mapping[str, Any], sent: str) -> str:
    """Return edited arguments as JSON text, with what was sent wherever a reviewer left alone what was shown.

    Args:
        edited: The arguments as the reviewer wants them.
        shown: The arguments as the reviewer saw them, with a mask for each secret.
        sent: The arguments as they came.

    Raises:
        ToolArgumentsError: If a mask is left in a value that was changed, so that nobody knows what it stands for.
    """
    text = frozen(edited)
    new, old = members_of(text), members_of(sent)
    if new is None or old is None or MASK not in json.dumps(shown):
        return text
    whole = dumps(_restored(new, shown, old))
    if MASK in whole and MASK not in sent:
        raise ToolArgumentsError(f"A value that was edited still has {MASK} in it; write the whole value")
    return whole


def _restored(edited: Any, shown: Any, sent: Any) -> Any:
    """Return edited data with what was sent in the place of everything that is as it was shown."""
    if edited == shown:
        return sent
    if isinstance(edited, dict) and isinstance(shown, dict) and isinstance(sent, dict):
        return {
            name: _restored(value, shown.get(name), sent[name]) if name in sent else value
            for name, value in edited.items()
            if name in sent or name not in shown or value != shown[name]  # a default that was left alone stays one
        }
    if isinstance(edited, list) and isinstance(shown, list) and isinstance(sent, list):
        both = list(zip(shown, sent, strict=False))
        return [_restored(value, *both[index]) if index < len(both) else value for index, value in enumerate(edited)]
    return edited


def shown_arguments(tool: Subject, parsed: Any, sent: str) -> dict[str, Any]:
    """Return the arguments of a call as a reviewer sees them: as they were read, and whatever reading dropped.

    A type may keep members out of its JSON, or have none at all; what was sent for them is shown, but no secret is.
    """
    veiled = tool.veil.over(_known(tool, members_of(sent) or {}))
    shown: dict[str, Any] = _complete(tool.describe(parsed), veiled)
    return shown


def shown_defaults(tool: Subject, parsed: Any, sent: str, shown: Mapping[str, Any]) -> dict[str, Any]:
    """Return what stands in for what was not sent: filled in while the arguments were read, or by the tool itself."""
    members = members_of(sent)
    read = {} if members is None else {name: value for name, value in shown.items() if name not in members}
    return read | {name: value for name, value in tool.defaults(parsed).items() if name not in shown}


def _known(tool: Subject, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members that the tool knows of; what it does not, it never sees."""
    return {name: value for name, value in data.items() if name in tool.spec.properties}


def _complete(shown: Any, sent: Any) -> Any:
    """Return what is shown, with what was sent for it wherever it shows nothing, or no more than a type."""
    if isinstance(shown, dict) and isinstance(sent, dict):
        both = {name: _complete(value, sent[name]) if name in sent else value for name, value in shown.items()}
        return both | {name: value for name, value in sent.items() if name not in shown}
    if isinstance(shown, list) and isinstance(sent, list) and len(shown) == len(sent):
        return [_complete(*pair) for pair in zip(shown, sent, strict=True)]
    return sent if isinstance(shown, str) and is_type_alone(shown) else shown

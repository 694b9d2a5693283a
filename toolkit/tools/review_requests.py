"""Prepares a call for a reviewer, binds the answer to exactly this call, and restores secrets in edited arguments."""

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from toolkit.approvals.pending import Binding, PendingApprovals, plain_digest, salted_digest
from toolkit.approvals.requests import ReviewRequest, state_of
from toolkit.redactors.redactor import MASK
from toolkit.tools.json_data import dumps, is_type_alone
from toolkit.tools.secret_arguments import members_of, redactor_of

if TYPE_CHECKING:
    from toolkit.tools.callees import Callee
    from toolkit.tools.context import ToolContext


_SALT = os.urandom(16)  # a remote reviewer may receive a digest, which must not reveal even a short password


def scope_of(context: "ToolContext") -> str:
    """Return the scope of an answer for several calls: the outermost run and the memory id."""
    run = context.run.lineage[-1].id if context.run is not None else None
    return json.dumps([run, context.memory_id])


def digest_of_call(tool: "Callee", sent: str, *around: str) -> str:
    """Return a digest that identifies a call by its tool and its arguments, and reveals nothing about them.

    Calls that look the same to a reviewer can differ in a secret, in data without a JSON form, or in the tool behind
    the name. Anything in `around`, such as the run of the call, is included.
    """
    data = members_of(sent)
    whole = sent if data is None else dumps(_known(tool, data), sort_keys=True)
    return digest_in_process(json.dumps([tool.identity, whole, *around]))


def digest_of_step(tool: "Callee", context: "ToolContext") -> str:
    """Return a digest shared by all calls of a tool that one step makes for its items in one run; empty elsewhere.

    Calls that a model chooses within a step do not count.
    """
    if context.item is None or context.step is None or context.chosen_by != "person":
        return ""
    return digest_in_process(json.dumps([tool.identity, scope_of(context), context.step]))


def digest_in_process(text: str) -> str:
    """Return a salted digest, from which not even a short text can be guessed."""
    from hashlib import sha256  # it loads OpenSSL, which only questions need

    return sha256(_SALT + text.encode(errors="surrogatepass")).hexdigest()


def shown_arguments(tool: "Callee", parsed: Any, sent: str) -> dict[str, Any]:
    """Return the arguments of a call for a reviewer: the parsed ones, and those that parsing has dropped.

    A type can exclude members from its JSON form, or have no JSON form; then the original values are shown, except
    secrets.
    """
    veiled = tool.veil.over(_known(tool, members_of(sent) or {}))
    shown: dict[str, Any] = _complete(tool.describe(parsed), veiled)
    return shown


def shown_defaults(tool: "Callee", parsed: Any, sent: str, shown: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of omitted arguments, which were filled in by parsing or come from the tool itself."""
    members = members_of(sent)
    read = {} if members is None else {name: value for name, value in shown.items() if name not in members}
    return read | {name: value for name, value in tool.defaults(parsed).items() if name not in shown}


def _known(tool: "Callee", data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members that the schema declares; the tool never receives others."""
    return {name: value for name, value in data.items() if name in tool.spec.properties}


def _complete(shown: Any, sent: Any) -> Any:
    """Return `shown` with the original value wherever something is missing or only the name of a type is shown."""
    if isinstance(shown, dict) and isinstance(sent, dict):
        both = {name: _complete(value, sent[name]) if name in sent else value for name, value in shown.items()}
        return both | {name: value for name, value in sent.items() if name not in shown}
    if isinstance(shown, list) and isinstance(sent, list) and len(shown) == len(sent):
        return [_complete(*pair) for pair in zip(shown, sent, strict=True)]
    return sent if isinstance(shown, str) and is_type_alone(shown) else shown


def binding_of_call(
    tool: "Callee", sent: str, request: ReviewRequest, context: "ToolContext", *, edits: int = 0
) -> Binding | None:
    """Return the binding of an answer to a tool call, or `None` if its run is not journaled.

    Args:
        tool: The tool.
        sent: The arguments as received.
        request: The question with everything that is shown.
        context: The context of the call.
        edits: How often the call has been edited; each question about an edit has its own place.
    """
    definition = tool.spec.risk.digest
    whole = [tool.name, definition, sent, dict(state_of(request.preview))]
    found = binding_of(whole, request, context, definition=definition, parameters=tool.spec.parameters)
    return found if found is None or not edits else found._replace(path=found.path + "[edited]" * edits, alike="")


def binding_of(
    whole: Any,
    request: ReviewRequest,
    context: "ToolContext",
    *,
    definition: str = "",
    parameters: Mapping[str, Any] | None = None,
) -> Binding | None:
    """Return the binding of an answer to a question, or `None` if its run is not journaled.

    Args:
        whole: Data that identifies the subject of the question, including what the reviewer does not see.
        request: The question with everything that is shown.
        context: The context of the call.
        definition: The digest of the tool's definition, if there is a tool.
        parameters: The schema of its arguments.
    """
    approvals: object = context.journal
    path, run = context.path, context.run
    if not isinstance(approvals, PendingApprovals) or path is None or run is None:
        return None
    outermost = run.lineage[-1].id
    shown = [request.text, request.arguments, dict(request.defaults), dict(request.uses), request.preview, request.show]
    text = dumps([outermost, path, context.memory_id, whole, shown], sort_keys=True, default=repr)
    has_secrets = MASK in text or redactor_of(context).text(text) != text
    return Binding(
        approvals,
        outermost,
        path,
        lambda salt: salted_digest(text, salt, has_secrets=has_secrets),
        alike=_alike(outermost, definition, context),
        definition=definition,
        parameters=parameters or {},
    )


def _alike(run: str, definition: str, context: "ToolContext") -> str:
    """Return an id shared by the questions of a step about its items; empty for a call that a model has chosen."""
    if context.item is None or context.step is None or context.chosen_by != "person":
        return ""
    return plain_digest(json.dumps([run, definition, context.step]))

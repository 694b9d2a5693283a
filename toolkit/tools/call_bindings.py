"""Binds a later answer to exactly the call that the question was about."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from toolkit.approvals.pending import Binding, PendingApprovals, plain_digest, salted_digest
from toolkit.approvals.previews import state_of
from toolkit.approvals.requests import ReviewRequest
from toolkit.redactors.redactor import MASK
from toolkit.tools.call_secrets import redactor_of
from toolkit.tools.exact_numbers import dumps
from toolkit.tools.subjects import Subject

if TYPE_CHECKING:
    from toolkit.tools.surroundings import Surroundings


def binding_of_call(
    tool: Subject, sent: str, request: ReviewRequest, context: "Surroundings", *, edits: int = 0
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
    context: "Surroundings",
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


def _alike(run: str, definition: str, context: "Surroundings") -> str:
    """Return an id shared by the questions of a step about its items; empty for a call that a model has chosen."""
    if context.item is None or context.step is None or context.chosen_by != "person":
        return ""
    return plain_digest(json.dumps([run, definition, context.step]))

"""Read and verify the answers of a webhook."""

import json
from collections.abc import Mapping
from typing import Any, Final

from toolkit.approvals.decisions import Continue, Decision, Edit, ExitEarly, Reject
from toolkit.approvals.requests import ReviewRequest
from toolkit.json_texts import WrittenNumber
from toolkit.webhooks.payloads import answers_to
from toolkit.webhooks.signatures import fault_of

MOST_BYTES: Final = 1024 * 1024


class NoAnswerError(Exception):
    """Raised if a message is not a valid answer to the question. The message says why."""


def read_answer(
    secret: str, headers: Mapping[str, str], body: bytes, identity: str, request: ReviewRequest
) -> Decision:
    """Return the decision in an answer.

    Args:
        secret: The shared secret.
        headers: Headers of the answer, with names in lower case.
        body: Bytes of the answer, exactly as received.
        identity: The id of the question.
        request: The question.

    Raises:
        NoAnswerError: If the answer is unsigned, too old or malformed, or belongs to another question or call.
    """
    if (fault := fault_of(secret, "answer", headers, body)) is not None:
        raise NoAnswerError(fault)
    try:
        answer = json.loads(body, parse_float=WrittenNumber)
    except (ValueError, RecursionError) as error:
        raise NoAnswerError("it is not JSON") from error
    if not isinstance(answer, dict):
        raise NoAnswerError("it is not a JSON object")
    if answer.get("id") != identity:
        raise NoAnswerError("it belongs to another question")
    if answer.get("call") != request.fingerprint:
        raise NoAnswerError("it belongs to other arguments")
    if answer.get("decision") not in answers_to(request):
        raise NoAnswerError(f"its decision is not one of {', '.join(answers_to(request))}")
    return _decision_of(answer)


def _decision_of(answer: Mapping[str, Any]) -> Decision:
    reason = answer.get("reason", "")
    if not isinstance(reason, str):
        raise NoAnswerError("its reason is not a string")
    match answer["decision"]:
        case "approve":
            return Continue()
        case "edit" if isinstance(answer.get("arguments"), dict):
            return Edit(answer["arguments"])
        case "answer" if isinstance(answer.get("text"), str):
            return Edit(answer["text"])
        case "reject":
            return Reject(reason)
        case "stop":
            return ExitEarly(reason)
    raise NoAnswerError("it lacks the arguments of an edit, or the text of an answer")


def answer_schema() -> dict[str, Any]:
    """Return the JSON Schema of the answers of a webhook."""
    text = {"type": "string"}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "An answer of a webhook",
        "type": "object",
        "properties": {
            "id": {**text, "description": "The id of the question."},
            "call": {**text, "description": "The `call` of the question, unchanged."},
            "decision": {"enum": ["approve", "edit", "answer", "reject", "stop"], "description": "The decision."},
            "arguments": {"type": "object", "description": "For `edit`: all arguments, as they should be."},
            "text": {**text, "description": "For `answer`: the text."},
            "reason": {**text, "description": "For `reject` and `stop`: the message that the caller receives."},
        },
        "required": ["id", "call", "decision"],
    }

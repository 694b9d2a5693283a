"""The questions of a run page: questions, answers and stopped calls, from records of the audit log."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from toolkit.approvals.permissions import REVIEWER
from toolkit.visibility import disarm, visible_json

_STOPS: Final = ("deny", "reject", "exit_early")
_LONGEST: Final = 20_000


def question_entries(records: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return the records that matter to readers: questions, answers by a person, and decisions that stopped a call."""
    return [_entry(record) for record in records if _matters(record)]


def _matters(record: Mapping[str, Any]) -> bool:
    return record.get("event") == "question" or record.get("by") == REVIEWER or record.get("decision") in _STOPS


def _entry(record: Mapping[str, Any]) -> dict[str, str]:
    is_question = record.get("event") == "question"
    rule = record.get("rule")
    entry = {
        "time": record.get("time"),
        "what": "asked" if is_question else record.get("decision"),
        "tool": record.get("tool"),
        "place": record.get("place"),
        "by": record.get("asked_by") if is_question else _who(record),
        "rule": f"{rule['what']} in {rule['file']}:{rule['line']}" if isinstance(rule, dict) else None,
        "reason": record.get("text") if is_question else record.get("reason"),
        "arguments": visible_json(record["arguments"]) if record.get("arguments") else None,
        "edit": visible_json(record["edit"]) if record.get("edit") else None,
    }
    return {name: disarm(str(text))[:_LONGEST] for name, text in entry.items() if text}


def _who(record: Mapping[str, Any]) -> str:
    return " ".join(str(one) for one in (record.get("by"), record.get("person") and f"({record['person']})") if one)

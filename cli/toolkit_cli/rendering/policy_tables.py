"""Renders approval policies: decisions about calls, and rules in the order in which they apply."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from toolkit.approvals.policies import ByRisk, Chooser, DescribedCall, Ground, Verdict
from toolkit.disclosure.denials import call_of
from toolkit.json_texts import json_text
from toolkit_cli.rendering.styles import Line, table

if TYPE_CHECKING:
    from toolkit.approvals.file_policies import FilePolicy
    from toolkit.approvals.rules import Rule
    from toolkit.tools.base import Tool


_CHOOSERS: tuple[Chooser, ...] = get_args(Chooser)
_SELECTORS = ("tool", "source", "framework", "group", "risk", "flow", "chosen_by", "after", "digest")
ASKS_ITSELF = "the tool may ask for confirmation"
"""What demands a question of a tool that decides itself whether to ask."""
_EXCEPTION = "ignored: a project's policy cannot allow calls"


class DecidedCall(NamedTuple):
    """A call, the decision about it, and the step that makes it; `None` for the call itself."""

    call: DescribedCall
    verdict: Verdict
    step: str | None


def decided_calls(calls: Iterable[DecidedCall], width: int) -> list[Line]:
    """Return a table of calls: tool, step, decision, and reason."""
    header = ("TOOL", "STEP", "DECISION", "BECAUSE")
    rows = [(one.call.risk.tool, one.step or "", one.verdict.action, reason_for(one.verdict)) for one in calls]
    return table(header, rows, width)


def decision_record(one: DecidedCall) -> dict[str, Any]:
    """Return the decision about a call as plain data; every key is always present."""
    verdict, call = one.verdict, one.call
    return {
        "tool": call.risk.tool,
        "step": one.step,
        "arguments": dict(call.whole_arguments),
        "chosen_by": call.chosen_by,
        "digest": call.risk.digest,
        "decision": verdict.action,
        "because": reason_for(verdict),
        "rule": _ground_record(verdict.ground),
        "may_be_allowed": verdict.may_be_allowed,
    }


def listed_rules(policy: "FilePolicy", width: int) -> list[Line]:
    """Return a table of the rules of all files in the order in which they apply, followed by the defaults."""
    header = ("ACTION", "FILE", "RULE")
    return table(header, [(one["action"], _where(one), _summary(one)) for one in rule_records(policy)], width)


def rule_records(policy: "FilePolicy") -> list[dict[str, Any]]:
    """Return the rules and defaults as plain data; every key is always present."""
    defaults = [
        {"action": "default", "owner": file.owner, "rule": dict(file.defaults), "because": "", "holds": True}
        | _place_record(file.place)
        for file in policy.files
        if file.defaults
    ]
    return [*map(_rule_record, policy.rules), *defaults]


def listed_decisions(records: Iterable[Mapping[str, Any]], width: int) -> list[Line]:
    """Return a table of the decisions in an audit log: time, tool, decision, and who or what made it."""
    header = ("TIME", "TOOL", "DECISION", "BY")
    rows = [
        (
            str(one.get("time", ""))[:19],
            str(one.get("tool", "")),
            str(one.get("decision", "")),
            "; ".join(filter(None, [str(one.get("by") or "risk"), str(one.get("reason") or "")])),
        )
        for one in records
        if one.get("event") in {"decision", "answer", "consent"}
    ]
    return table(header, rows, width) if rows else []


def outlook_record(policy: "FilePolicy | None", tool: "Tool") -> dict[str, list[str]]:
    """Return the possible decisions about calls of a tool, by who chooses the call."""
    return {chooser: _outlook(policy, tool, chooser) for chooser in _CHOOSERS}


def outlook_text(policy: "FilePolicy", tool: "Tool") -> str:
    """Return the possible decisions as text: `allow`, or `ask; a model's call: deny or ask`."""
    person, model = (" or ".join(words) for words in outlook_record(policy, tool).values())
    return person if person == model else f"{person}; a model's call: {model}"


def _outlook(policy: "FilePolicy | None", tool: "Tool", chosen_by: Chooser) -> list[str]:
    call = call_of(tool, chosen_by)
    calls = [call, call._replace(demanded_by=ASKS_ITSELF)] if tool.demands else [call]
    found = [(ByRisk().judge(one),) if policy is None else policy.outlook(one) for one in calls]
    return list(dict.fromkeys(one.action for verdicts in found for one in verdicts))


def reason_for(verdict: Verdict) -> str:
    """Return why a policy has decided so."""
    if verdict.because or verdict.ground is not None:
        return verdict.because or str(verdict.ground)
    return "no rule matches, and its risk needs no approval"


def _ground_record(ground: Ground | None) -> dict[str, Any] | None:
    return None if ground is None else {"what": ground.what, "reason": ground.reason} | _place_record(ground.place)


def _place_record(place: Any) -> dict[str, Any]:
    return {"file": place.file, "line": place.line, "column": place.column}


def _rule_record(rule: "Rule") -> dict[str, Any]:
    written = {key: value for key, value in rule.written.items() if key not in {"because", "match", "no_match"}}
    return {
        "action": rule.action,
        "owner": rule.owner,
        "rule": written,
        "because": rule.because,
        "holds": rule.holds_now,
    } | _place_record(rule.place)


def _where(record: Mapping[str, Any]) -> str:
    return ":".join(str(part) for part in (record["file"], record["line"]) if part is not None)


def _summary(record: Mapping[str, Any]) -> str:
    rule: dict[str, Any] = record["rule"]
    if record["action"] == "default":
        return ", ".join(f"{chooser}: {default}" for chooser, default in rule.items())
    words = [f"{key} {_listed(rule[key])}" for key in _SELECTORS if key in rule]
    words += [f"where {name} {json_text(condition, default=str)}" for name, condition in rule.get("where", {}).items()]
    words += [f"until {rule['expires']}"] if "expires" in rule else []
    words += [f"{'in' if rule['ci'] else 'outside'} CI"] if "ci" in rule else []
    notes = [_EXCEPTION] if record["action"] == "allow" and record["owner"] == "project" else []
    notes += [] if record["holds"] else ["not in effect now"]
    return "; ".join([", ".join(words), *notes, *filter(None, [record["because"]])])


def _listed(values: Any) -> str:
    return " ".join(map(str, values)) if isinstance(values, list | tuple) else str(values)

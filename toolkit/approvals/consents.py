"""Settings in a project's files that give tools more access take effect only with the user's consent.

A repository must not choose which programs run on a machine, which files are read, or where secrets go. A user gives
consent in their own configuration, with a flag for a name, or by answering a question. An answer can be remembered
under the hash of everything that was shown, so that changed content needs consent again.
"""

import json
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from toolkit.approvals.audit_log import current_person, exclusive
from toolkit.approvals.decisions import REVIEWER, Continue, Granted, Refused, ReviewRequest
from toolkit.approvals.gates import Gate
from toolkit.approvals.policies import DescribedCall, Risk
from toolkit.codes import BAD_CONFIGURATION
from toolkit.problems import Problem
from toolkit.redactors.secret_names import names_secret_variable
from toolkit.regular_files import bounded_bytes
from toolkit.replacing import write_file
from toolkit.running import run_coroutine
from toolkit.visibility import visible_json

_ASKED_BY = "a project's file sets it"
_SECRET = "sha256:"  # noqa: S105 - no password
"""What a digest begins with that is kept instead of a secret."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The complete description of the access that a project's file would give to its tools.

    Attributes:
        name: The name for the consent flag, such as `mcp.time`, `builtin.http` or `env`.
        action: What the user would approve, in a few words, such as `start time`.
        source: What the setting belongs to, such as `MCP server of this project`.
        question: The text of the question.
        shown: Everything that determines the access, as plain data. All of it is shown.
        identity: The hash of `shown`.
        summary: A summary in one line, for the file of remembered consents.
        refusal: The problem to report without consent; it names the flag that gives consent.
    """

    name: str
    action: str
    source: str
    question: str
    shown: Mapping[str, Any]
    identity: str
    summary: str
    refusal: Problem


class Consents:
    """The user's consents; asks for those that are missing.

    A consent that should be remembered but cannot be holds once, if the reviewer has a method `inform` that receives
    the problem. Other reviewers could not say so, and their consent counts as missing.
    """

    def __init__(self, file: Path, named: Collection[str] = (), gate: Gate | None = None) -> None:
        """Create the consents.

        Args:
            file: The file with the remembered consents. It does not have to exist.
            named: The names for which a flag gives consent.
            gate: Asks for missing consents.
        """
        self._file = file
        self._named = frozenset(named)
        self._gate = gate
        self._given: set[str] = set()
        self._refusals: dict[str, Problem] = {}

    @property
    def gate(self) -> Gate | None:
        """The gate that asks for missing consents, if there is one."""
        return self._gate

    def is_given(self, access: Access) -> bool:
        """Return whether the user has already given consent, without asking."""
        return access.name in self._named or access.identity in self._given or access.identity in self._remembered()

    def refusal(self, access: Access) -> Problem | None:
        """Return why an access is not allowed, or `None` if it is. Asks for consent if a reviewer is available.

        Raises:
            ExitEarlyError: If the reviewer ends the run.
        """
        if self.is_given(access):
            return None
        if access.identity in self._refusals:
            return self._refusals[access.identity]
        gate = self._gate
        if gate is None:
            return access.refusal
        request = _request(access, gate, self._changes_of(access))
        call = DescribedCall(request.risk, arguments=request.arguments, kind="setting")
        verdict = gate.verdict_on(call)
        if verdict.action == "ask" and not gate.can_ask:
            return access.refusal
        decision = run_coroutine(lambda: gate.decide(call, lambda _: request, verdict=verdict))
        _record(access, decision, gate)
        if isinstance(decision, Refused):
            return self._refusals.setdefault(access.identity, access.refusal)
        if isinstance(decision.decision, Continue) and decision.decision.always is True:
            problem = self._remember(access)
            if problem is not None and not _inform(gate.reviewer, problem):
                return self._refusals.setdefault(access.identity, problem)
        if decision.by == REVIEWER:
            self._given.add(access.identity)
        return None

    def _changes_of(self, access: Access) -> list[str]:
        """Return how an access differs from the one of the same name and file that the user agreed to, if any."""
        now = _settings_in(_kept(access.shown))
        earlier = [one for one in self._remembered().values() if _is_about(one, access) and "shown" in one]
        found = [_differences(_settings_in(one["shown"]), now) for one in earlier]
        return min(found, key=len, default=[])

    def _remembered(self) -> Mapping[str, Any]:
        try:
            consents: Mapping[str, Any] = self._content()["consents"]
        except (OSError, ValueError, RecursionError):
            return {}
        return consents

    def _content(self) -> dict[str, Any]:
        """Return the content of the file.

        Raises:
            OSError: If the file cannot be read.
            ValueError: If the file is damaged.
            RecursionError: If the file is nested too deeply.
        """
        try:
            text = bounded_bytes(self._file).strip()
        except FileNotFoundError:
            text = b""
        content = json.loads(text) if text else {"consents": {}}
        if isinstance(content, dict) and isinstance(content.get("consents"), dict):
            return content
        raise ValueError("it has no consents")

    def _remember(self, access: Access) -> Problem | None:
        """Add a consent to the file, or return why it cannot be remembered; the file is unchanged then."""
        try:
            with exclusive(self._file):  # another process may remember a consent at the same time
                content = self._content()
                record = {"name": access.name, "summary": access.summary}
                record |= {"file": _file_of(access), "shown": _kept(access.shown)}
                kept = {**content["consents"], access.identity: record}
                text = json.dumps({**content, "consents": kept}, indent=2, sort_keys=True, ensure_ascii=True)
                write_file(self._file, f"{text}\n".encode(), is_private=True)
                self._file.chmod(0o600)  # an existing file could be readable by others
        except OSError as error:
            return self._not_remembered(access, (error.strerror or str(error)).lower(), "make the file writable")
        except (ValueError, RecursionError):
            return self._not_remembered(access, "it is not a file of consents", "repair or remove the file")
        return None

    def _not_remembered(self, access: Access, reason: str, hint: str) -> Problem:
        message = f"the consent to {access.action} cannot be remembered in '{self._file}': {reason}"
        return Problem(BAD_CONFIGURATION, message, hint=hint)


def _inform(reviewer: object, problem: Problem) -> bool:
    """Tell a reviewer that an answer holds only once, and return whether it can be told."""
    inform = getattr(reviewer, "inform", None)
    if inform is None:
        return False
    hint = f"you will be asked again next time; to change that, {problem.hint}"
    inform(replace(problem, severity="warning", hint=hint))
    return True


def _record(access: Access, decision: Granted | Refused, gate: Gate) -> None:
    """Record a decision about consent, with the hash and the summary of the access, if the gate has an audit log."""
    if gate.audit is None:
        return
    is_granted = isinstance(decision, Granted)
    gate.audit.append(
        {
            "event": "consent",
            "tool": access.name,
            "source": access.source,
            "definition": access.identity,
            "text": access.summary,
            "person": current_person(),
            "decision": "continue" if is_granted else "reject",
            "by": decision.by if isinstance(decision, Granted) else decision.message,
        }
    )


def _file_of(access: Access) -> str:
    """Return the real path of the file that sets an access."""
    return os.path.realpath(access.refusal.location.file) if access.refusal.location else ""


def _is_about(record: Any, access: Access) -> bool:
    return isinstance(record, Mapping) and (record.get("name"), record.get("file")) == (access.name, _file_of(access))


def _kept(value: Any, name: str = "") -> Any:
    """Return what was shown, with a digest of each value whose name suggests a secret."""
    if isinstance(value, Mapping):
        return {key: _kept(inner, key) for key, inner in value.items()}
    if isinstance(value, str) and names_secret_variable(name) and "${" not in value:
        return f"{_SECRET}{sha256(value.encode()).hexdigest()[:16]}"
    return [_kept(one) for one in value] if isinstance(value, list | tuple) else value


def _settings_in(shown: Any, path: str = "") -> dict[str, str]:
    """Return every setting in what was shown as one line of text, by its name."""
    if not isinstance(shown, Mapping):
        return {path: shown if isinstance(shown, str) else visible_json(shown, sort_keys=True, default=str)}
    parts = (_settings_in(inner, f"{path} {key}".strip()) for key, inner in shown.items())
    return {name: text for part in parts for name, text in part.items()}


def _differences(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    lines = []
    for name in dict.fromkeys([*before, *now]):
        old, new = before.get(name), now.get(name)
        if old != new and any(text is not None and text.startswith(_SECRET) for text in (old, new)):
            lines.append(f"{name}: has changed")
        elif old != new:
            was, becomes = ("not set" if text is None else visible_json(text) for text in (old, new))
            lines.append(f"{name}: was {was}, and is {becomes}")
    return lines


def _request(access: Access, gate: Gate, changes: list[str]) -> ReviewRequest:
    return ReviewRequest(
        access.question,
        Risk(access.action, source=access.source, requires_approval=True, open_world=True),
        access.shown,
        asked_by=_ASKED_BY,
        show="\n".join(["changed since you agreed to it:", *changes]) if changes else None,
        timeout=gate.timeout,
        editable=False,
        may_be_remembered=True,
    )

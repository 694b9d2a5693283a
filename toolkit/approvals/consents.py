"""Settings in a project's files that give tools more access take effect only with the user's consent.

A repository must not choose which programs run on a machine, which files are read, or where secrets go. A user gives
consent in their own configuration, with a flag for a name, or by answering a question. An answer can be remembered
under the hash of everything that was shown, so that changed content needs consent again.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolkit.approvals.decisions import REVIEWER, Continue, Granted, Refused
from toolkit.approvals.gates import Gate
from toolkit.approvals.policies import DescribedCall
from toolkit.approvals.requests import ReviewRequest
from toolkit.approvals.risks import Risk
from toolkit.codes import BAD_CONFIGURATION
from toolkit.problems import Problem
from toolkit.regular_files import bounded_bytes
from toolkit.replacing import write_file
from toolkit.running import run_coroutine

_ASKED_BY = "a project's file sets it"


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
    """The user's consents; asks for those that are missing."""

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
        request = _request(access, gate)
        call = DescribedCall(request.risk, arguments=request.arguments, kind="setting")
        verdict = gate.verdict_on(call)
        if verdict.action == "ask" and not gate.can_ask:
            return access.refusal
        decision = run_coroutine(lambda: gate.decide(call, lambda _: request, verdict=verdict))
        _record(access, decision, gate)
        if isinstance(decision, Refused):
            return self._refusals.setdefault(access.identity, access.refusal)
        if isinstance(decision.decision, Continue) and decision.decision.always is True:
            try:
                self._remember(access)
            except OSError as error:
                return self._refusals.setdefault(access.identity, self._unwritable(access, error))
        if decision.by == REVIEWER:
            self._given.add(access.identity)
        return None

    def _unwritable(self, access: Access, error: OSError) -> Problem:
        reason = (error.strerror or str(error)).lower()
        message = f"the consent to {access.action} cannot be remembered in '{self._file}': {reason}"
        return Problem(BAD_CONFIGURATION, message, hint="give it for this run only, or make the file writable")

    def _remembered(self) -> dict[str, Any]:
        try:
            content = json.loads(bounded_bytes(self._file))
        except (OSError, ValueError, RecursionError):
            return {}
        consents = content.get("consents") if isinstance(content, dict) else None
        return consents if isinstance(consents, dict) else {}

    def _remember(self, access: Access) -> None:
        kept = {**self._remembered(), access.identity: {"name": access.name, "summary": access.summary}}
        text = f"{json.dumps({'consents': kept}, indent=2, sort_keys=True, ensure_ascii=True)}\n"
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_file(self._file, text.encode(), is_private=True)
        self._file.chmod(0o600)  # an existing file could be readable by others


def _record(access: Access, decision: Granted | Refused, gate: Gate) -> None:
    """Record a decision about consent, with the hash and the summary of the access, if the gate has an audit log."""
    if gate.audit is None:
        return
    from toolkit.approvals.audit_log import current_person  # few consents are recorded

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


def _request(access: Access, gate: Gate) -> ReviewRequest:
    return ReviewRequest(
        access.question,
        Risk(access.action, source=access.source, requires_approval=True, open_world=True),
        access.shown,
        asked_by=_ASKED_BY,
        timeout=gate.timeout,
        editable=False,
        may_be_remembered=True,
    )

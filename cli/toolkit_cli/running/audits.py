"""Decides whether and where the approval decisions of a command are logged."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.paths import state_folder

if TYPE_CHECKING:
    from toolkit.approvals.audit_log import AuditLog
    from toolkit.sources.configuration import Configuration

_IN_CI = "CI"


def audit_of(configuration: "Configuration", *, always: bool = False) -> "AuditLog | None":
    """Return the audit log for decisions; `None` if they are not logged.

    Args:
        configuration: The configuration of the user and the project.
        always: Whether to log by default, as for calls that a model chooses; otherwise only in CI.
    """
    wanted = configuration.audit
    if not (wanted if wanted is not None else always or _is_ci()):
        return None
    from toolkit.approvals.audit_log import AuditLog  # most calls are not logged

    return AuditLog(audit_file())


def audit_file() -> Path:
    """Return the path of the audit log: `toolkit/audit.jsonl` in `XDG_STATE_HOME` or `~/.local/state`."""
    return state_folder() / "audit.jsonl"


def _is_ci() -> bool:
    if not os.environ.get(_IN_CI):
        return False
    from toolkit.approvals.rules import is_ci  # most commands do not run in CI

    return is_ci()

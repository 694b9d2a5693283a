"""Audits: whether and where the decisions of a command are recorded."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.paths import state_folder

if TYPE_CHECKING:
    from toolkit.approvals.audit_log import AuditLog
    from toolkit.sources.configuration import Configuration

_IN_CI = "CI"


def audit_of(configuration: "Configuration", *, always: bool = False) -> "AuditLog | None":
    """Return the log that decisions are recorded in; None where they are not.

    Args:
        configuration: The settings of the user and the project.
        always: Whether a model chooses calls, so that they are recorded unless the user chooses otherwise.
    """
    wanted = configuration.audit
    if not (wanted if wanted is not None else always or _is_ci()):
        return None
    from toolkit.approvals.audit_log import AuditLog  # noqa: PLC0415 - most calls are not recorded

    return AuditLog(audit_file())


def audit_file() -> Path:
    """Return where the log is: `toolkit/audit.jsonl` in `XDG_STATE_HOME`, or in `~/.local/state`."""
    return state_folder() / "audit.jsonl"


def _is_ci() -> bool:
    if not os.environ.get(_IN_CI):
        return False
    from toolkit.approvals.rules import is_ci  # noqa: PLC0415 - most commands run elsewhere

    return is_ci()

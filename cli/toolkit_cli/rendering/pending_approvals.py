"""Renders pending approvals in full, with their id, run and step."""

from datetime import datetime

from toolkit.approvals.pending import PendingApproval
from toolkit.approvals.waiting import request_of
from toolkit_cli.rendering.escaping import one_line
from toolkit_cli.rendering.questions import whole_lines
from toolkit_cli.rendering.styles import Line


def pending_lines(pending: PendingApproval, width: int) -> list[Line]:
    """Return a question with all its details."""
    asked = datetime.fromtimestamp(pending.asked).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    where = " · ".join(filter(None, (f"run {pending.run}", one_line(pending.path), asked)))
    return [[("strong", pending.id), ("quiet", f"  {where}")], *whole_lines(request_of(pending), width=width), []]

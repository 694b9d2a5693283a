"""Testing: calls tools with many inputs, and reports which promises of their definitions they do not keep."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.testing.checked_tools import Checked as Checked, check_tools as check_tools
    from toolkit.testing.contract_checks import Finding as Finding, ToolReport as ToolReport
    from toolkit.testing.outcomes import Outcome as Outcome
    from toolkit.testing.worker_pool import Settings as Settings
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "checked_tools": "Checked check_tools",
            "outcomes": "Outcome",
            "contract_checks": "Finding ToolReport",
            "worker_pool": "Settings",
        },
    )

"""Decides whether a call may run, asks a reviewer where approval is needed, and applies the answer.

This package judges a description of a call (its risk, who chose it, its arguments) and never handles a `Tool`.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.approvals.allowances import Allowance as Allowance, Allowances as Allowances
    from toolkit.approvals.audit_log import Audit as Audit, AuditLog as AuditLog
    from toolkit.approvals.consents import Access as Access, Consents as Consents
    from toolkit.approvals.decisions import Decision as Decision, OnTimeout as OnTimeout, Preview as Preview
    from toolkit.approvals.file_policies import FilePolicy as FilePolicy, load_policy as load_policy
    from toolkit.approvals.gates import Demand as Demand, Gate as Gate
    from toolkit.approvals.policies import (
        NO_QUESTION as NO_QUESTION,
        AllowAll as AllowAll,
        ByRisk as ByRisk,
        DescribedCall as DescribedCall,
        Ground as Ground,
        Policy as Policy,
        Risk as Risk,
        Verdict as Verdict,
    )
    from toolkit.approvals.reviewers import (
        AutoReviewer as AutoReviewer,
        RefusingReviewer as RefusingReviewer,
        ScriptedReviewer as ScriptedReviewer,
    )
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "allowances": "Allowance Allowances",
            "audit_log": "Audit AuditLog",
            "consents": "Access Consents",
            "decisions": "Decision OnTimeout Preview",
            "file_policies": "FilePolicy load_policy",
            "gates": "Demand Gate",
            "policies": "AllowAll ByRisk DescribedCall Ground NO_QUESTION Policy Risk Verdict",
            "reviewers": "AutoReviewer RefusingReviewer ScriptedReviewer",
        },
    )

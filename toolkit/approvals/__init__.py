"""Approvals: who is asked before a call runs, what they see, and what their answer does.

The room judges a described call (its risk, who chose it, its arguments) and never sees a Tool.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.approvals.consents import Access as Access, Consents as Consents
    from toolkit.approvals.decisions import Decision as Decision
    from toolkit.approvals.gates import Demand as Demand, Gate as Gate
    from toolkit.approvals.policies import (
        NO_QUESTION as NO_QUESTION,
        AllowAll as AllowAll,
        Allowance as Allowance,
        Allowances as Allowances,
        ByRisk as ByRisk,
        DescribedCall as DescribedCall,
        Policy as Policy,
        Verdict as Verdict,
    )
    from toolkit.approvals.previews import Preview as Preview
    from toolkit.approvals.requests import OnTimeout as OnTimeout
    from toolkit.approvals.reviewers import (
        AutoReviewer as AutoReviewer,
        RefusingReviewer as RefusingReviewer,
        ScriptedReviewer as ScriptedReviewer,
    )
    from toolkit.approvals.risks import Risk as Risk
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "consents": "Access Consents",
            "decisions": "Decision",
            "gates": "Demand Gate",
            "policies": "AllowAll Allowance Allowances ByRisk DescribedCall NO_QUESTION Policy Verdict",
            "previews": "Preview",
            "requests": "OnTimeout",
            "reviewers": "AutoReviewer RefusingReviewer ScriptedReviewer",
            "risks": "Risk",
        },
    )

"""Tools, each with a specification and a single way to call it."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.tools.attachments import Attachment as Attachment
    from toolkit.tools.base import RedescribedTool as RedescribedTool, innermost as innermost
    from toolkit.tools.context import NO_CONTEXT as NO_CONTEXT, ListenerError as ListenerError
    from toolkit.tools.limits import Limit as Limit
    from toolkit.tools.metrics import (
        NO_METRICS as NO_METRICS,
        Metrics as Metrics,
        Recorded as Recorded,
        RecordingMetrics as RecordingMetrics,
    )
    from toolkit.tools.repairing import repaired as repaired
    from toolkit.tools.skipped_items import SkippedItem as SkippedItem, Skips as Skips
    from toolkit.tools.source_marks import (
        Demands as Demands,
        Injected as Injected,
        Registration as Registration,
        SourceMarks as SourceMarks,
        Terms as Terms,
        ToolClasses as ToolClasses,
    )
    from toolkit.tools.text import TextTool as TextTool
    from toolkit.tools.wait_clocks import Waiting as Waiting
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "attachments": "Attachment",
            "base": "RedescribedTool innermost",
            "context": "ListenerError NO_CONTEXT",
            "limits": "Limit",
            "metrics": "Metrics NO_METRICS Recorded RecordingMetrics",
            "repairing": "repaired",
            "skipped_items": "SkippedItem Skips",
            "source_marks": "Demands Injected Registration SourceMarks Terms ToolClasses",
            "text": "TextTool",
            "wait_clocks": "Waiting",
        },
    )

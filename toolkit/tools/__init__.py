"""Tools, each with a specification and a single way to call it."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.tools.argument_repairs import repaired as repaired
    from toolkit.tools.attachments import Attachment as Attachment
    from toolkit.tools.base import RedescribedTool as RedescribedTool, innermost as innermost
    from toolkit.tools.call_limits import Limit as Limit
    from toolkit.tools.context import NO_CONTEXT as NO_CONTEXT, ListenerError as ListenerError
    from toolkit.tools.metrics import (
        NO_METRICS as NO_METRICS,
        Metrics as Metrics,
        Recorded as Recorded,
        RecordingMetrics as RecordingMetrics,
        Waiting as Waiting,
    )
    from toolkit.tools.results import SkippedItem as SkippedItem, Skips as Skips
    from toolkit.tools.source_marks import (
        Demands as Demands,
        Injected as Injected,
        Registration as Registration,
        SourceMarks as SourceMarks,
        Terms as Terms,
        ToolClasses as ToolClasses,
    )
    from toolkit.tools.text import TextTool as TextTool
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "argument_repairs": "repaired",
            "attachments": "Attachment",
            "base": "innermost RedescribedTool",
            "call_limits": "Limit",
            "context": "ListenerError NO_CONTEXT",
            "metrics": "Metrics NO_METRICS Recorded RecordingMetrics Waiting",
            "results": "SkippedItem Skips",
            "source_marks": "Demands Injected Registration SourceMarks Terms ToolClasses",
            "text": "TextTool",
        },
    )

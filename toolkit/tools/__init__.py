"""Tools, each with a specification and a single way to call it."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.tools.argument_repairs import repaired as repaired
    from toolkit.tools.base import RedescribedTool as RedescribedTool, innermost as innermost
    from toolkit.tools.calls.attachments import Attachment as Attachment
    from toolkit.tools.calls.call_limits import Limit as Limit
    from toolkit.tools.calls.metrics import (
        NO_METRICS as NO_METRICS,
        Metrics as Metrics,
        Recorded as Recorded,
        RecordingMetrics as RecordingMetrics,
        Waiting as Waiting,
    )
    from toolkit.tools.calls.results import SkippedItem as SkippedItem, Skips as Skips
    from toolkit.tools.context import NO_CONTEXT as NO_CONTEXT, ListenerError as ListenerError
    from toolkit.tools.foreign.source_marks import (
        Demands as Demands,
        Injected as Injected,
        Registration as Registration,
        Sent as Sent,
        SourceMarks as SourceMarks,
        Terms as Terms,
        ToolClasses as ToolClasses,
    )
    from toolkit.tools.kinds.class_tools import TextTool as TextTool
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "argument_repairs": "repaired",
            "base": "innermost RedescribedTool",
            "calls.attachments": "Attachment",
            "calls.call_limits": "Limit",
            "calls.metrics": "Metrics NO_METRICS Recorded RecordingMetrics Waiting",
            "calls.results": "SkippedItem Skips",
            "context": "ListenerError NO_CONTEXT",
            "foreign.source_marks": "Demands Injected Registration Sent SourceMarks Terms ToolClasses",
            "kinds.class_tools": "TextTool",
        },
    )

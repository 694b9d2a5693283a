"""Wrappers that each add one behaviour to a tool. A wrapped tool is itself a tool."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.wrappers.artifacts import (
        ArtifactSinkingTool as ArtifactSinkingTool,
        AssetTracker as AssetTracker,
        BlackboardSink as BlackboardSink,
        CompositeSink as CompositeSink,
        ListSink as ListSink,
        publish_to_blackboard as publish_to_blackboard,
        sink_artifacts as sink_artifacts,
        track_assets as track_assets,
    )
    from toolkit.wrappers.confirming import ConfirmedTool as ConfirmedTool
    from toolkit.wrappers.limits import (
        BudgetedTool as BudgetedTool,
        CountedTool as CountedTool,
        ShortenedTool as ShortenedTool,
        limited as limited,
    )
    from toolkit.wrappers.naming import renamed as renamed, tool_object as tool_object
    from toolkit.wrappers.one_shot import LoopMemo as LoopMemo, OneShotTool as OneShotTool
    from toolkit.wrappers.replanning import (
        Replan as Replan,
        ReplanningTool as ReplanningTool,
        replan_always as replan_always,
        replan_and_add as replan_and_add,
        replan_when as replan_when,
    )
    from toolkit.wrappers.timing import TimedTool as TimedTool
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "artifacts": "ArtifactSinkingTool AssetTracker BlackboardSink CompositeSink ListSink publish_to_blackboard "
            "sink_artifacts track_assets",
            "confirming": "ConfirmedTool",
            "limits": "BudgetedTool CountedTool ShortenedTool limited",
            "naming": "renamed tool_object",
            "one_shot": "LoopMemo OneShotTool",
            "replanning": "Replan ReplanningTool replan_always replan_and_add replan_when",
            "timing": "TimedTool",
        },
    )

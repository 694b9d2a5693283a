"""A run: the objects that its tools share, its calls, costs and budget, and its output channel."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.runs.records import (
        Budget as Budget,
        CallRecord as CallRecord,
        Journal as Journal,
        JournalError as JournalError,
        Message as Message,
        ModelUse as ModelUse,
        StepRecord as StepRecord,
    )
    from toolkit.runs.run import Blackboard as Blackboard, OutputChannel as OutputChannel, Run as Run
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "records": "Budget CallRecord Journal JournalError StepRecord Message ModelUse",
            "run": "Blackboard OutputChannel Run",
        },
    )

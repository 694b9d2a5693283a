"""Commands that are run for a while or to their end, with all that they start; no shell is ever involved."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.processes.trees import Ended as Ended, StartError as StartError, run_command as run_command
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "trees": "Ended StartError run_command",
        },
    )

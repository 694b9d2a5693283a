"""Run external commands without a shell, and clean up every process that they start."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.processes.process_trees import Ended as Ended, StartError as StartError, run_command as run_command
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "process_trees": "Ended run_command StartError",
        },
    )

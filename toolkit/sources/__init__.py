"""Open the targets that a user names, and return their tools; the composition root.

`targets` parses targets, `modules` imports users' files, `module_tools` finds the tools in them, and `opening` combines
these; it also has the public functions for Python.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.sources.opening import Opened as Opened, SourceOpener as SourceOpener, open_targets as open_targets
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(__name__, {"opening": "open_targets Opened SourceOpener"})

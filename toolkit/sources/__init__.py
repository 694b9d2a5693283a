"""Open the targets that a user names, and return their tools; the composition root.

`targets` parses targets, `modules` imports users' files, `collecting` finds the tools in them, `opening` combines
these, and `loading` is the public API for Python.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.sources.configuration import Configuration as Configuration, ReadySettings as ReadySettings
    from toolkit.sources.configuration_search import find_configuration as find_configuration
    from toolkit.sources.opening import Opened as Opened, SourceOpener as SourceOpener, open_targets as open_targets
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "configuration": "Configuration ReadySettings",
            "configuration_search": "find_configuration",
            "opening": "open_targets Opened SourceOpener",
        },
    )

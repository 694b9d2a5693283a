"""Find, read and check the settings of a project and its user, and ask for consent where they widen access."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.settings.configuration import Configuration as Configuration, ReadySettings as ReadySettings
    from toolkit.settings.configuration_search import find_configuration as find_configuration
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {"configuration": "Configuration ReadySettings", "configuration_search": "find_configuration"},
    )

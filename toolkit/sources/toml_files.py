"""Read TOML configuration files, and find the locations of their keys."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolkit.codes import BAD_CONFIGURATION
from toolkit.problems import Location, Problem
from toolkit.regular_files import bounded_bytes
from toolkit.sources.configuration import Configuration, keys_before

if TYPE_CHECKING:
    from toolkit.documents import Mapping

_LARGEST = 1024 * 1024


@dataclass(frozen=True)
class TomlDocument:
    """The content of a TOML file; the locations of keys are found on demand."""

    data: dict[str, Any]
    text: str
    file: str

    def place(self, path: Sequence[str]) -> Location:
        """Return the location of the key at a path, or of the last existing key on the path."""
        from toolkit.documents.nodes import place_of

        found = place_of(self._root, path)
        return Location(self.file, found.line, found.column) if found else Location(self.file)

    @cached_property
    def _root(self) -> "Mapping":
        from toolkit.documents.toml_reading import nodes_of

        return nodes_of(self.data, self.text, self.file)


def text_of(file: Path) -> str | Problem:
    """Return the text of a configuration file, or the problem that it cannot be read."""
    try:
        return bounded_bytes(file, most=_LARGEST).decode("utf-8")
    except OSError as error:
        reason = f"the configuration cannot be read: {(error.strerror or str(error)).lower()}"
    except UnicodeDecodeError:
        reason = "the configuration is not UTF-8 text"
    return Problem(BAD_CONFIGURATION, reason, Location(str(file)))


def document_in(text: str, file: Path) -> TomlDocument | Problem:
    """Return the parsed document, or the problem that the text is not valid TOML."""
    from toolkit.documents.toml_reading import read_data  # only needed for files with our settings

    data = read_data(text, str(file))
    return replace(data, code=BAD_CONFIGURATION) if isinstance(data, Problem) else TomlDocument(data, text, str(file))


def place_in_configuration(configuration: Configuration, path: Sequence[str], word: str = "") -> Location | None:
    """Return the location of a key in the configuration file, or `None` if it comes from a variable or option.

    Args:
        configuration: The configuration with the file.
        path: The path of the key.
        word: A text that the file must contain, too.
    """
    file = configuration.file
    if file is None or isinstance(text := text_of(file), Problem) or word not in text:
        return None
    document = document_in(text, file)
    if isinstance(document, Problem):
        return None
    place = document.place([*keys_before(file), *path])
    return None if place.line is None else place

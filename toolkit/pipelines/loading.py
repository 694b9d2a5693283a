"""Loading: a YAML file becomes a Pipeline, or every reason why it cannot.

The room knows no sources. Whoever loads a file hands in an `Opening`: how a name in `use:` becomes a Tool. Paths of
other pipelines (`./other.yaml`) never reach it: they are read here, so that a circle of files is found. Names are
looked up in the opening that `with_sources` returned for the file's own `tools:`, if it has any.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self

from toolkit.problems import Problem
from toolkit.tools.base import Tool

if TYPE_CHECKING:
    from toolkit.pipelines.pipeline import Pipeline


class Opening(Protocol):
    """Where a file's names lead; the composition root has the real one, a dict of tools is enough in a test."""

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment variables that the configuration lets expressions read."""
        ...

    def resolve(self, name: str, *, base: Path) -> Tool | list[Problem]:
        """Return the tool that `name` means for a file in the folder `base`, or why there is none.

        A name that leads nowhere gives an empty list: the pipeline then says so itself (`TK604`), at the place where
        the name stands and with the nearest known names. Problems without a location are given that place too.
        """
        ...

    def known_names(self, base: Path) -> Iterable[str]:
        """Return the names that `resolve` knows, for hints."""
        ...

    def with_sources(self, targets: Sequence[str], *, base: Path) -> tuple[Self, list[Problem]]:
        """Return an opening that knows the tools of these sources too, and what is wrong with the sources.

        A source that cannot be opened hides no other. A problem without a location is given the target's place; one
        problem list per target is not needed, since each message names its source.
        """
        ...


def read_pipeline(path: Path, opening: Opening) -> "tuple[Pipeline | None, list[Problem]]":
    """Return the pipeline that a YAML file describes and every problem with it, all at once.

    There is a pipeline if, and only if, no problem is an error.
    """
    raise NotImplementedError

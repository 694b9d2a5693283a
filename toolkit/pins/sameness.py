"""Sameness: which schemas accept the same values, wherever what they refer to stands."""

import json
from collections.abc import Mapping
from typing import Any

from toolkit.schemas.keywords import MAPS
from toolkit.schemas.places import REFERENCES, place_of, reference_in
from toolkit.schemas.schema import DEEPEST

TEXTS = ("description", "title", "examples", "$comment", "deprecated")
"""What only a model reads of a schema."""


def resolved(schema: Any, root: Any) -> Any:
    """Return what a schema refers to inside its root, with what it says itself."""
    for _ in range(DEEPEST):
        reference = reference_in(schema)
        found = None if reference is None else place_of(root, reference)
        if found is None or not isinstance(found[1], Mapping):
            break
        schema = {**found[1], **{key: value for key, value in schema.items() if key not in REFERENCES}}
    return schema


def bare(value: Any) -> Any:
    """Return a part of a schema without what only a model reads."""
    if isinstance(value, Mapping):
        return {key: bare(inner) for key, inner in value.items() if key not in TEXTS or not isinstance(inner, str)}
    return [bare(inner) for inner in value] if isinstance(value, list) else value


class Sameness:
    """Gives schemas that say the same the same name; each part is looked at once, however often it is referred to."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._names: dict[str, str] = {}

    def name_of(self, schema: Any, root: Any) -> str:
        """Return the name of a schema, whose definitions the root holds."""
        return self._of(bare(schema), root, {}, 0)

    def _of(self, part: Any, root: Any, known: dict[str, str], level: int) -> str:
        if level > DEEPEST or not isinstance(part, Mapping | list):
            return json.dumps(part, sort_keys=True)
        if isinstance(part, list):
            return self._named([self._of(one, root, known, level + 1) for one in part])
        said = {key: inner for key, inner in part.items() if key != "default"}
        if reference_in(said) is not None:
            return self._referred(said, root, known, level)
        return self._named({key: self._held(key, inner, root, known, level) for key, inner in said.items()})

    def _held(self, key: str, value: Any, root: Any, known: dict[str, str], level: int) -> str:
        """Return the name of what a keyword holds; the names in a map are no keywords."""
        if key in MAPS and isinstance(value, Mapping):
            return self._named({name: self._of(one, root, known, level + 1) for name, one in value.items()})
        return self._of(value, root, known, level + 1)

    def _referred(self, said: Mapping[str, Any], root: Any, known: dict[str, str], level: int) -> str:
        written = json.dumps(said, sort_keys=True)
        if written not in known:
            known[written] = f"circle {len(known)}"  # until it is known: what refers to itself meets it again
            meant = bare(resolved(said, root))
            known[written] = written if reference_in(meant) else self._of(meant, root, known, level)
        return known[written]

    def _named(self, parts: list[str] | dict[str, str]) -> str:
        """Return the name of what is made of named parts."""
        return self._names.setdefault(json.dumps(parts, sort_keys=True), f"part {len(self._names)}")

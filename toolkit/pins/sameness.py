"""Finds out which schemas accept the same values, wherever the definitions they refer to are."""

import json
from collections.abc import Mapping
from typing import Any

from toolkit.schemas.places import REFERENCES, changed_inside, reference_in
from toolkit.schemas.schema import DEEPEST, Schema

TEXTS = ("description", "title", "examples", "$comment", "deprecated")
"""Keywords that only a model reads."""


def resolved(part: Schema) -> Schema:
    """Return the target of a schema's local reference, merged with the schema's other keywords."""
    for _ in range(DEEPEST):
        found = next(iter(part.targets()), None)
        if found is None or not isinstance(found.node, Mapping):
            break
        own = {key: value for key, value in part.keywords.items() if key not in REFERENCES}
        part = found.part((), {**found.node, **own})
    return part


def bare(node: Any) -> Any:
    """Return a schema without the keywords that only a model reads, at any depth."""
    if not isinstance(node, Mapping):
        return node
    return changed_inside({key: value for key, value in node.items() if key not in TEXTS}, bare)


def bare_keyword(node: Mapping[str, Any], keyword: str) -> Any:
    """Return the value of one keyword, without what only a model reads."""
    return bare({keyword: node[keyword]})[keyword] if keyword in node else None


class Sameness:
    """Gives equivalent schemas the same name; each part is processed once, however often it is referred to."""

    def __init__(self) -> None:
        """Create an empty table of names."""
        self._names: dict[str, str] = {}

    def name_of(self, part: Schema) -> str:
        return self._of(part.part((), bare(part.node)), {}, 0)

    def _of(self, part: Schema, known: dict[str, str], level: int) -> str:
        if level > DEEPEST or not isinstance(part.node, Mapping):
            return json.dumps(part.node, sort_keys=True)
        keywords = {key: inner for key, inner in part.keywords.items() if key != "default"}
        if reference_in(keywords) is not None:
            return self._referred(part.part((), keywords), known, level)
        return self._named(changed_inside(keywords, lambda inner: self._of(part.part((), inner), known, level + 1)))

    def _referred(self, part: Schema, known: dict[str, str], level: int) -> str:
        written = json.dumps(part.node, sort_keys=True)
        if written not in known:
            known[written] = f"circle {len(known)}"  # placeholder for recursive references
            meant = resolved(part)
            is_circle = reference_in(meant.node) is not None
            known[written] = written if is_circle else self._of(meant.part((), bare(meant.node)), known, level)
        return known[written]

    def _named(self, parts: dict[str, str]) -> str:
        """Return the name for a combination of named parts."""
        return self._names.setdefault(json.dumps(parts, sort_keys=True), f"part {len(self._names)}")

"""Finds the targets of references, with the identifiers and anchors of a schema, and never outside it."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolkit.schemas.places import Pointer, decoded, followed, places_in, reference_in, unescaped
from toolkit.schemas.schema import Schema

_BEFORE_2019: Final = ("draft-04", "draft-06", "draft-07")

Scope = tuple[str, ...]
"""The addresses of the resources that were entered on the way to a part, outermost first."""


class References:
    """The resources of a schema by their addresses; one without identifiers is a single resource without an address."""

    def __init__(self, root: Any, draft: str | None) -> None:
        """Read the identifiers and anchors of a schema.

        Args:
            root: The whole schema.
            draft: The draft that it declares; `None` if it could be any.
        """
        self._root = root
        self._is_old = draft in _BEFORE_2019
        self._resources: dict[str, Pointer] = {"": ()}
        self._anchors: dict[tuple[str, str], Pointer] = {}
        self._dynamic: dict[tuple[str, str], Pointer] = {}
        self._bases: dict[Pointer, str] = {}
        for pointer, node, base in _with_bases(root, is_old=self._is_old):
            if base != self._base_of(pointer):
                self._bases[pointer] = base
                self._resources[base] = pointer
            self._note_anchors(pointer, node, base)

    def _note_anchors(self, pointer: Pointer, node: Mapping[str, Any], base: str) -> None:
        for key in ("$anchor", "$dynamicAnchor"):
            if isinstance(name := node.get(key), str):
                self._anchors[base, name] = pointer
        if isinstance(name := node.get("$dynamicAnchor"), str):
            self._dynamic[base, name] = pointer
        if node.get("$recursiveAnchor") is True:
            self._dynamic[base, ""] = pointer
        for key in ("$id", "id"):  # before 2019, an anchor was an identifier with only a fragment
            if isinstance(name := node.get(key), str) and name.startswith("#"):
                self._anchors[base, name[1:]] = pointer

    def _base_of(self, pointer: Pointer) -> str:
        if not self._bases:
            return ""
        return next(
            (self._bases[pointer[:end]] for end in range(len(pointer), -1, -1) if pointer[:end] in self._bases), ""
        )

    @property
    def is_dynamic(self) -> bool:
        """Whether the target of a reference can depend on how its part was reached."""
        return bool(self._dynamic)

    def scope_of(self, part: Schema, scope: Scope) -> Scope:
        """Return the scope of a part that was reached with a scope."""
        if not self._dynamic:
            return ()
        base = self._base_of(part.pointer)
        return scope if scope and scope[-1] == base else (*scope, base)

    def target(self, part: Schema, keyword: str, scope: Scope) -> Schema | None:
        """Return the schema that a reference of a part leads to; `None` if it is not in the schema."""
        reference = part.node[keyword]
        base = self._base_of(part.pointer)
        address, _, fragment = _joined(base, reference).partition("#")
        found = self._in(address, decoded(fragment))
        if found is not None and keyword != "$ref":
            found = self._redirected(found, address, decoded(fragment), scope)
        if found is not None:
            return found
        return next(iter(part.targets()), None)  # schemas that were composed of others hold definitions of their own

    def _in(self, address: str, fragment: str) -> Schema | None:
        around = self._resources.get(address)
        if around is None:
            return None
        if fragment and not fragment.startswith("/"):
            pointer = self._anchors.get((address, fragment))
            return None if pointer is None else self._at(pointer)
        place = followed(Schema.of(self._root).at(*around).node, [unescaped(step) for step in fragment.split("/")[1:]])
        return None if place is None else Schema(self._root, place[1], (*around, *place[0]))

    def _redirected(self, found: Schema, address: str, name: str, scope: Scope) -> Schema:
        """Return the outermost target of a dynamic reference."""
        if self._dynamic.get((address, name)) != found.pointer:
            return found
        return next((self._at(self._dynamic[at, name]) for at in scope if (at, name) in self._dynamic), found)

    def _at(self, pointer: Pointer) -> Schema:
        return Schema.of(self._root).at(*pointer)

    def hides_siblings(self, part: Schema) -> bool:
        """Return whether a part has a reference that replaces all its other keywords, as it did before 2019."""
        return self._is_old and isinstance(part.node.get("$ref"), str)


def _with_bases(root: Any, *, is_old: bool) -> Iterator[tuple[Pointer, Mapping[str, Any], str]]:
    waiting: list[tuple[Pointer, Any, str]] = [((), root, "")]
    while waiting:
        pointer, node, base = waiting.pop()
        if not isinstance(node, Mapping):
            continue
        own = next((node[key] for key in ("$id", "id") if isinstance(node.get(key), str)), "")
        if own.partition("#")[0] and not (is_old and reference_in(node) is not None):
            base = _joined(base, own).partition("#")[0]
        yield pointer, node, base
        waiting += reversed([((*pointer, *steps), inner, base) for steps, inner in places_in(node)])


def _joined(base: str, reference: str) -> str:
    if not base or reference.startswith("#"):
        return base + reference
    from urllib.parse import urljoin

    try:
        return urljoin(base, reference)
    except ValueError:  # one of them is not an address, such as `http://[`
        return reference

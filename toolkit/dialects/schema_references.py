"""Resolves references: finds their targets and recursive definitions, and inlines definitions."""

from collections.abc import Callable, Iterable
from typing import Any

from toolkit.codes import INVALID_SCHEMA, RECURSIVE_SCHEMA, UNSUPPORTED_KEYWORD
from toolkit.dialects.provider_limits import Limit, Notes, Objection, refusal
from toolkit.dialects.schema_parts import ANNOTATIONS, Part, child, conjoined, inner_parts, walk
from toolkit.schemas.places import REFERENCES, name_in_reference, place_of, reference_in
from toolkit.schemas.schema import DEEPEST, REFERENCE

ROOT = "#"
_MOST_PARTS = 20_000


def settle(root: Part, notes: Notes, limit: Limit[Any]) -> None:
    """Make every reference point to the root or to a definition in the root's `$defs`, and drop all other definitions.

    A reference without a target inside the schema is dropped, and recorded as an objection.
    """
    if not any(key in part for part in walk(root) for key in REFERENCES):
        _without_definitions(root)
        return
    original = root.twin()
    names: dict[int, str] = {id(original): ROOT}
    definitions: dict[str, Part] = {}
    waiting = [root]
    while waiting:
        for part in walk(_without_definitions(waiting.pop())):
            target = _target(original, part)
            if "$ref" in part and target is None:
                notes.object_to(_unresolved(part, limit))
            reference = [part.pop(key, None) for key in reversed(REFERENCES)][-1]
            if target is None:
                continue
            if id(target) not in names:
                name = _free_name(str(reference), definitions)
                names[id(target)] = name
                definitions[name] = target.twin()
                waiting.append(definitions[name])
            name = names[id(target)]
            part["$ref"] = ROOT if name == ROOT else REFERENCE + name.replace("~", "~0").replace("/", "~1")
    if definitions:
        root["$defs"] = definitions


def recursive_names(root: Part, parts: Callable[[Part], Iterable[Part]] = walk) -> set[str]:
    """Return the names of the definitions that refer back to themselves; the root is `#`.

    Args:
        root: A settled schema.
        parts: Yields the parts of a definition whose references count.
    """
    if not any("$ref" in part for part in walk(root)):
        return set()
    bodies = {ROOT: root.without("$defs"), **root.get("$defs", {})}
    leads = {name: set(referred(parts(body))) & bodies.keys() for name, body in bodies.items()}
    return {name for name in bodies if name in _reach(leads, leads[name])}


def referred(parts: Iterable[Part]) -> list[str]:
    """Return the names that settled parts refer to."""
    return [name_in(part["$ref"]) for part in parts if "$ref" in part]


def name_in(reference: str) -> str:
    """Return the name in a settled reference."""
    return reference.removeprefix(REFERENCE).replace("~1", "/").replace("~0", "~")


def inline(root: Part, notes: Notes, limit: Limit[Any], wanted: Callable[[Part], bool] = lambda _: True) -> None:
    """Replace references by their definitions, except recursive ones, and drop unused definitions.

    Args:
        root: A settled schema.
        notes: Receives the changes.
        limit: The reason for the changes.
        wanted: Returns whether to replace the `$ref` of a part.
    """
    bodies: dict[str, Part] = {name: body.twin() for name, body in root.get("$defs", {}).items()}
    if not bodies:
        return
    kept = recursive_names(root)
    most, waiting = _MOST_PARTS, [(root, 0)]
    is_too_deep = False
    while waiting and most:
        most, (part, depth) = most - 1, waiting.pop()
        if depth > DEEPEST:
            is_too_deep = True
            continue
        while "$ref" in part and wanted(part) and (name := name_in(part["$ref"])) in bodies and name not in kept:
            notes.changed(part.pointer, f"the definition {name!r} is written out here", limit)
            part.become(_overlaid(bodies[name].twin(), part.without("$ref")))
        waiting += [(inner, depth + 1) for inner in inner_parts(part)]
    if waiting:
        notes.object_to(_too_large(root, f"make more than {_MOST_PARTS} schemas", limit))
    if is_too_deep:
        notes.object_to(_too_large(root, f"be nested deeper than {DEEPEST} levels", limit))
    drop_unused(root)


def write_out(part: Part, root: Part, notes: Notes, limit: Limit[Any]) -> None:
    """Replace the reference of one part of a settled schema by its definition, even by a recursive one."""
    seen: set[str] = set()
    while "$ref" in part:
        name = name_in(part.pop("$ref"))
        if name not in seen and (name != ROOT or part is not root):
            seen.add(name)
            body = root.without("$defs").twin() if name == ROOT else root["$defs"][name].twin()
            part.become(_overlaid(body, Part(part, part.pointer)))
            notes.changed(part.pointer, f"the definition {name!r} is written out here", limit)


def drop_unused(root: Part) -> None:
    """Drop the definitions that nothing refers to."""
    bodies: dict[str, Part] = root.get("$defs", {})
    if not bodies:
        return
    leads = {name: set(referred(walk(body))) for name, body in bodies.items()}
    used = _reach(leads, set(referred(walk(root.without("$defs")))))
    kept = {name: body for name, body in bodies.items() if name in used}
    if kept:
        root["$defs"] = kept
    else:
        root.pop("$defs", None)


def _overlaid(body: Part, part: Part) -> Part:
    """Return a definition merged with the keywords next to its reference."""
    if part.keys() <= ANNOTATIONS:
        return Part({**body, **part}, part.pointer)
    return conjoined([part, body])


def _without_definitions(part: Part) -> Part:
    """Remove all definitions, wherever they are; the caller adds those that are used to the root."""
    for inner in walk(part):
        inner.pop("$defs", None)
        inner.pop("definitions", None)
    return part


def _target(root: Part, part: Part) -> Part | None:
    """Return the target of a reference by JSON pointer or anchor, or to the root."""
    reference = reference_in(part)
    found = None if reference is None else place_of(root, reference)
    return found[1] if found is not None and isinstance(found[1], Part) else None


def _free_name(reference: str, taken: Iterable[str]) -> str:
    wanted = name_in_reference(reference).lstrip("#") or "definition"
    names = set(taken)
    return next(
        name for name in (wanted, *(f"{wanted}_{count}" for count in range(2, len(names) + 3))) if name not in names
    )


def _reach(leads: dict[str, set[str]], first: set[str]) -> set[str]:
    reached: set[str] = set()
    waiting = set(first)
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting |= leads.get(name, set()) - reached
    return reached


def refers_to_itself(root: Part, name: str, limit: Limit[Any]) -> Objection:
    """Return the objection to a definition that refers to itself."""
    message = "the parameters refer to themselves" if name == ROOT else f"the definition {name!r} refers to itself"
    place = root.pointer if name == ROOT else child(root.pointer, "$defs", name)
    return refusal(RECURSIVE_SCHEMA, place, message, limit, hint="use a fixed number of levels")


def _unresolved(part: Part, limit: Limit[Any]) -> Objection:
    message = f"the reference {part['$ref']!r} points to nothing in the schema"
    return refusal(INVALID_SCHEMA, child(part.pointer, "$ref"), message, limit, hint="define it in $defs")


def _too_large(part: Part, would: str, limit: Limit[Any]) -> Objection:
    message = f"written out, the definitions would {would}"
    return refusal(UNSUPPORTED_KEYWORD, part.pointer, message, limit, hint="reduce the nesting")

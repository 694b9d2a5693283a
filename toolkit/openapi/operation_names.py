"""Names of tools and of their arguments, made from those of a document: the same on every machine, never numbered."""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Final

from toolkit.tools.definition.names import legal_name

LONGEST: Final = 64
"""The most characters that every provider accepts in the name of a tool or of a parameter."""
_DIGEST: Final = 6


def tool_name(operation_id: str, prefix: str = "") -> str:
    """Return the name of the tool for an operation, within the limits of every provider.

    A name that is too long is cut after a word, and ends in a digest of the whole, so that it stays the same when other
    operations come and go.

    Args:
        operation_id: The `operationId`, or the method and the path.
        prefix: What the name begins with.
    """
    return _fitting(whole_name(operation_id, prefix))


def whole_name(operation_id: str, prefix: str = "") -> str:
    """Return the name for an operation, however long it is: `GET /pets/{id}` becomes `get_pets_id`."""
    method, _, path = operation_id.partition(" /")
    return f"{prefix}{legal_name(f'{method.lower()}_{path}' if path or not method else operation_id)}"


def argument_names(places: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], str]:
    """Return the name of the argument for each place and name on the wire.

    A name that two places have begins with the place in both: `path_id`, `query_id`. Two of the same place that become
    one name keep it; the caller reports them.
    """
    pairs = list(places)
    names = {pair: _fitting(legal_name(pair[1])) for pair in pairs}
    held: dict[str, set[str]] = {}
    for place, name in pairs:
        held.setdefault(names[place, name], set()).add(place)
    return {
        (place, name): _fitting(f"{place}_{argument}") if len(held[argument]) > 1 else argument
        for (place, name), argument in names.items()
    }


def _fitting(name: str) -> str:
    name = f"_{name}" if name[0].isdigit() else name
    if len(name) <= LONGEST:
        return name
    kept = name[: LONGEST - _DIGEST - 1]
    word = kept.rpartition("_")[0]
    return f"{word if len(word) > LONGEST // 2 else kept}_{sha256(name.encode()).hexdigest()[:_DIGEST]}"

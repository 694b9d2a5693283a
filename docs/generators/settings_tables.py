"""Formats the keys of a table of settings as a Markdown table."""

import json
from collections.abc import Iterable

from toolkit.documents.keys import Key  # private


def key_table(keys: Iterable[Key]) -> str:
    """Return a Markdown table of keys with their types, defaults and meanings."""
    return "\n".join(["| key | type | default | meaning |", "| --- | --- | --- | --- |", *map(_row, keys), ""])


def _row(key: Key) -> str:
    default = "" if key.default is None else f"`{json.dumps(key.default, ensure_ascii=False)}`"
    cells = (f"`{key.name}`", key.kind.name, default, key.meaning)
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"

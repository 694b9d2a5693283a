"""Previews: what a call would do, and the state of the world that this was worked out from."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Self


class Preview(str):
    """A text that describes what a call would do, and knows what it was worked out from.

    A tool whose effect depends on something that others can change returns one from `preview`. When the call was
    approved, `context.shown_state(name)` is what was seen; the tool compares it at the very moment it takes effect, and
    fails with the code `conflict` where it differs.

    Example:
        >>> from toolkit.approvals import Preview
        >>> preview = Preview("replaces version 3", state={"page": "3"})
        >>> preview, preview.state["page"]
        ('replaces version 3', '3')

    Attributes:
        state: The name of each thing that the effect depends on, and a digest of its state.
    """

    __slots__ = ("state",)

    state: Mapping[str, str]

    def __new__(cls, text: str, *, state: Mapping[str, str]) -> Self:
        """Keep the text and the state."""
        preview = super().__new__(cls, text)
        preview.state = MappingProxyType(dict(state))
        return preview


def state_of(preview: str | None) -> Mapping[str, str]:
    """Return the state that a preview was worked out from; nothing where it depends on none."""
    return preview.state if isinstance(preview, Preview) else {}

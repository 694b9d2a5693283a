"""Previews describe what a call would do, together with the state on which the description is based."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Self


class Preview(str):
    """A description of what a call would do, with the state on which it is based.

    A tool whose effect depends on something that others can change returns one from `preview`. After approval,
    `context.shown_state(name)` returns the state that the reviewer saw. The tool compares it with the current state
    when it takes effect, and fails with the code `conflict` if they differ.

    Example:
        >>> from toolkit.approvals import Preview
        >>> preview = Preview("replaces version 3", state={"page": "3"})
        >>> preview, preview.state["page"]
        ('replaces version 3', '3')

    Attributes:
        state: A digest of the state of each thing that the effect depends on, by name.
    """

    __slots__ = ("state",)

    state: Mapping[str, str]

    def __new__(cls, text: str, *, state: Mapping[str, str]) -> Self:
        """Create the preview."""
        preview = super().__new__(cls, text)
        preview.state = MappingProxyType(dict(state))
        return preview


def state_of(preview: str | None) -> Mapping[str, str]:
    """Return the state on which a preview is based, which is empty for a plain string or `None`."""
    return preview.state if isinstance(preview, Preview) else {}

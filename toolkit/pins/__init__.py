"""Compares locked tool definitions with the current ones."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.pins.drifts import (
        Change as Change,
        changes_between as changes_between,
        drifts_between as drifts_between,
    )
    from toolkit.pins.lockfile import (
        entries_of as entries_of,
        entry_of as entry_of,
        read_lock as read_lock,
        written_lock as written_lock,
    )
    from toolkit.pins.word_diffs import word_diff as word_diff
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "drifts": "Change changes_between drifts_between",
            "lockfile": "entries_of entry_of read_lock written_lock",
            "word_diffs": "word_diff",
        },
    )

"""Serializers: what the engine stores is JSON, and nothing that it reads becomes an object.

The engine's default is pickle, which runs whatever a row in the database contains. It would also unpickle rows marked
as pickled, whatever serializer is configured; `refuse_pickle` closes that.
"""

from datetime import datetime
from typing import Any

from dbos._serialization import Serializer

from toolkit.tools.exact_numbers import dumps, loads


class JsonSerializer(Serializer):
    """Plain data as JSON text; numbers keep every digit that they were written with."""

    def serialize(self, data: Any) -> str:
        """Return plain data as JSON text; an error becomes its words.

        Raises:
            TypeError: If something in it is not plain data.
        """
        return dumps(str(data) if isinstance(data, BaseException) else data, default=_moment)

    def deserialize(self, serialized_data: str) -> Any:
        """Return what `serialize` was given.

        Raises:
            ValueError: If it is not JSON.
        """
        return loads(serialized_data)

    def name(self) -> str:
        """Return what the engine writes beside each value, so that no other serializer reads it."""
        return "toolkit_json"


def _moment(value: Any) -> str:
    """Return a moment as text: the engine hands one to what a schedule begins."""
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"a {type(value).__name__} is not plain data")


class _NoPickle(Serializer):
    """Stands where the engine would unpickle."""

    def serialize(self, data: Any) -> str:
        """Return the words of an error: the engine writes it as it read what it could not read."""
        return dumps(str(data))

    def deserialize(self, serialized_data: str) -> Any:  # noqa: ARG002 - as above
        raise ValueError("the store holds pickled data, which could run as code; it is not read")

    def name(self) -> str:
        return "py_pickle"


def refuse_pickle() -> None:
    """Stop the engine from reading pickled data, whatever a row in the database claims to be."""
    import dbos._serialization as engine  # noqa: PLC0415 - its module is what is changed

    engine.DBOSDefaultSerializer = _NoPickle()

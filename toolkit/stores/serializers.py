"""Make the engine store plain data as JSON, and never unpickle anything.

The engine uses pickle by default, which can run code from a row of the database. It also unpickles rows that are
marked as pickled, even with another serializer; `refuse_pickle` prevents that.
"""

from datetime import datetime
from typing import Any

from dbos._serialization import Serializer

from toolkit.tools.calls.json_data import dumps, loads


class JsonSerializer(Serializer):
    """Serializes plain data as JSON. Numbers keep all their digits."""

    def serialize(self, data: Any) -> str:
        """Return plain data as JSON text; an exception becomes its message.

        Raises:
            TypeError: If a value is not plain data.
        """
        return dumps(str(data) if isinstance(data, BaseException) else data, default=_moment)

    def deserialize(self, serialized_data: str) -> Any:
        """Return the data in JSON text.

        Raises:
            ValueError: If the text is not JSON.
        """
        return loads(serialized_data)

    def name(self) -> str:
        """Return the name that the engine stores with each value, to read it with the same serializer."""
        return "toolkit_json"


def _moment(value: Any) -> str:
    """Return a time as text: the engine passes one to scheduled workflows."""
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"a {type(value).__name__} is not plain data")


class _NoPickle(Serializer):
    """Replaces the engine's pickle serializer."""

    def serialize(self, data: Any) -> str:
        """Return the message of an error: the engine writes it with the serializer that failed to read."""
        return dumps(str(data))

    def deserialize(self, serialized_data: str) -> Any:
        raise ValueError("the store holds pickled data, which could run as code; it is not read")

    def name(self) -> str:
        return "py_pickle"


def refuse_pickle() -> None:
    """Stop the engine from reading pickled data, whatever a row in the database claims to be."""
    import dbos._serialization as engine  # patched below

    engine.DBOSDefaultSerializer = _NoPickle()

"""The `json_parser` tool, which picks values out of JSON."""

from dataclasses import dataclass, field
from typing import Final

from toolkit.builtin.json_paths import Picked, UnreadableError, pick
from toolkit.builtin.options import Option
from toolkit.builtin.queries.selecting import pick_selected
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.kinds.class_tools import TypedTool


@dataclass(frozen=True, slots=True)
class JsonParserInput:
    """The path of the values to pick, and the JSON document that contains them."""

    jsonPath: str = field(  # noqa: N815 - the name that callers know
        metadata={
            "description": "Names and indexes, such as 'order.items[0].price', or a JSONPath query, such as "
            "'$..price'; '.' is the whole document"
        }
    )
    json: str = field(metadata={"description": "The JSON document, as text"})


OPTIONS: Final[tuple[Option, ...]] = ()


class JsonParser(TypedTool[JsonParserInput]):
    """Picks one value, or all values that a query selects, out of a JSON document.

    Example:
        >>> JsonParser().run({"jsonPath": "user.name", "json": '{"user": {"name": "Åse"}}'}).output
        'Åse'
    """

    name = "json_parser"
    description = (
        "Picks values out of a JSON document. Use it to take a field from what an API or another tool returned. "
        "The path consists of names separated by dots, with indexes from 0 in brackets: 'user.name', "
        "'items[0].price', '[2]'. A path that starts with $ is a JSONPath query (RFC 9535): "
        "'$.items[?@.price < 10].name', '$..id', '$.items[-1]'; it returns a list of all matching values, unless it "
        "contains only names and indexes. Returns strings as they are, and every other value as JSON; numbers keep "
        "all their digits."
    )
    read_only = True
    destructive = False
    idempotent = True
    open_world = False
    source = "builtin"

    def execute(self, input: JsonParserInput) -> ToolResult:
        """Return the selected value or values, or a failure that explains why there are none."""
        path, document = input.jsonPath.strip(), input.json.strip()
        if not path:
            return ToolResult.failure("Path expression must not be blank")
        try:
            picked = _pick(document, path)
        except UnreadableError as error:
            return ToolResult.failure(str(error))
        return ToolResult.success(picked.text, structured=picked.plain)


def _pick(document: str, path: str) -> Picked:
    if not path.startswith("$"):
        return pick(document, path)
    return pick_selected(document, path)

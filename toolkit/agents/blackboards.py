"""Tools that let an agent list, show and count the objects on the blackboard of its run.

Objects are shown as text, which is truncated if it is long. The text comes from the object's class, so that anything
that a class leaves out of its `repr`, such as secrets, is not shown.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from toolkit.agents.introspection import described, run_of, shortened
from toolkit.errors import ToolExecutionError
from toolkit.problems import did_you_mean
from toolkit.runs.blackboard import Blackboard, Entry
from toolkit.tools.context import ToolContext
from toolkit.tools.marking import tool, toolbox
from toolkit.tools.results import ToolResult

Description = Callable[[Any], str]
"""Describes an object in words for a model."""

_LISTED = 100
_SHOWN = 10_000


@toolbox(
    name="blackboard",
    description="The objects that the tools of your run share, some of them bound to names.",
)
class BlackboardTools:
    """Tools that show an agent its blackboard.

    Pass an instance to an agent for a single facade, or to `from_object` for five separate tools.
    """

    def __init__(self, describe: Description | None = None, *, limit: int = _SHOWN) -> None:
        """Create the tools.

        Args:
            describe: Describes an object in words; by default, text as it is, JSON for plain data, and `str` otherwise.
            limit: Maximum length of an object's description, in characters.
        """
        self._describe = describe or described
        self._limit = limit

    @tool(read_only=True, open_world=False)
    def blackboard_list(
        self,
        context: ToolContext,
        type: Annotated[str | None, "Only objects of this type."] = None,  # noqa: A002 - the name that models see
    ) -> ToolResult:
        """List the objects on the blackboard, oldest first, with their number, name (if any) and type."""
        entries = _board(context).entries()
        fitting = [(number, entry) for number, entry in enumerate(entries) if type is None or entry.is_a(type)]
        shown = fitting[-_LISTED:]
        data = [asdict(_Listed(number, entry.name, _kind(entry))) for number, entry in shown]
        lines = [f"{number}. {f'{entry.name}: ' if entry.name else ''}{_kind(entry)}" for number, entry in shown]
        if len(fitting) > len(shown):
            lines.insert(0, f"the latest {len(shown)} of {len(fitting)}:")
        nothing = "the blackboard is empty" if not entries else f"there is no object of the type '{type}'"
        return ToolResult("\n".join(lines) or nothing, structured={"entries": data, "count": len(fitting)})

    @tool(read_only=True, open_world=False)
    def blackboard_get(self, name: Annotated[str, "The name of the object."], context: ToolContext) -> ToolResult:
        """Show the object with a name on the blackboard."""
        return self._shown(_bound(_board(context), name))

    @tool(read_only=True, open_world=False)
    def blackboard_last(
        self,
        type: Annotated[str, "The name of a type, with or without its module; subtypes match too."],  # noqa: A002
        context: ToolContext,
    ) -> ToolResult:
        """Show the newest object of a type on the blackboard."""
        entries = _board(context).entries()
        found = next((entry for entry in reversed(entries) if entry.is_a(type)), None)
        if found is None:
            raise ToolExecutionError(_missing_type(type, entries), "not_found")
        return self._shown(found)

    @tool(read_only=True, open_world=False)
    def blackboard_describe(self, name: Annotated[str, "The name of the object."], context: ToolContext) -> ToolResult:
        """Describe the object with a name on the blackboard: its type, its base types and its content."""
        entry = _bound(_board(context), name)
        kinds = [kind for kind in entry.types if "." not in kind]
        head = [f"{name} ({entry.types[1] if len(entry.types) > 1 else _kind(entry)})"]
        head += [f"is also: {', '.join(kinds[1:])}"] if len(kinds) > 1 else []
        shown = self._shown(entry)
        return ToolResult("\n".join([*head, shown.output]), structured=shown.structured | {"types": list(entry.types)})

    @tool(read_only=True, open_world=False)
    def blackboard_count(
        self,
        type: Annotated[str, "The name of a type, with or without its module; subtypes match too."],  # noqa: A002
        context: ToolContext,
    ) -> ToolResult:
        """Count the objects of a type on the blackboard."""
        number = _board(context).count(type)
        return ToolResult(str(number), structured={"type": type, "count": number})

    def _shown(self, entry: Entry) -> ToolResult:
        text = shortened(self._describe(entry.thing), self._limit)
        return ToolResult(text, structured={"name": entry.name, "type": _kind(entry), "text": text})


@dataclass(frozen=True, slots=True)
class _Listed:
    number: int
    name: str | None
    type: str


def _board(context: ToolContext) -> Blackboard:
    return run_of(context).blackboard


def _kind(entry: Entry) -> str:
    return entry.types[0]


def _bound(board: Blackboard, name: str) -> Entry:
    """Return the entry that a name is bound to.

    Raises:
        ToolExecutionError: If there is none. The message lists the known names.
    """
    entries = board.entries()
    found = next((entry for entry in entries if entry.name == name), None)
    if found is not None:
        return found
    names = [entry.name for entry in entries if entry.name is not None]
    there = f"the names are {', '.join(names)}" if names else "no object has a name"
    hint = did_you_mean(name, names, otherwise=there)
    raise ToolExecutionError(f"nothing on the blackboard is named '{name}'; {hint}", "not_found")


def _missing_type(wanted: str, entries: list[Entry]) -> str:
    kinds = list(dict.fromkeys(_kind(entry) for entry in entries))
    there = f"the types are {', '.join(kinds)}" if kinds else "it is empty"
    return f"nothing on the blackboard is of the type '{wanted}'; {did_you_mean(wanted, kinds, otherwise=there)}"

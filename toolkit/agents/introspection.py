"""Tools for an agent on its own run: its status, budget, cost and calls, its blackboard, and messages to its user.

Each tool reports on the run of the context that it is called with. Calls are shown as the run has recorded them: with
secrets masked, and truncated if they are long. Objects on the blackboard are shown as text, which is truncated too. The
text comes from the object's class, so that anything that a class leaves out of its `repr`, such as secrets, is not
shown.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from types import NoneType
from typing import Annotated, Any, Literal

from toolkit.amounts import money
from toolkit.errors import ToolArgumentsError, ToolExecutionError
from toolkit.json_texts import json_text
from toolkit.problems import did_you_mean
from toolkit.runs.records import CallRecord, Message, ModelUse
from toolkit.runs.run import Blackboard, Entry, Run
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.marking import tool, toolbox


def shortened(text: str, limit: int) -> str:
    """Return a string, truncated to `limit` characters with a note on its length if it is longer."""
    return text if len(text) <= limit else f"{text[:limit]}… [{limit} of {len(text)} characters]"


def time_in_words(seconds: float) -> str:
    """Return a duration in words, such as `12ms`, `1.5s`, `1m 1s` or `1h 2m 5s`."""
    if seconds < 1:
        return f"{int(seconds * 1000)}ms"
    if seconds < 60:  # noqa: PLR2004 - a minute
        return f"{int(seconds * 10) / 10:g}s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h {minutes}m {rest}s" if hours else f"{minutes}m {rest}s"


def described(thing: Any) -> str:
    """Return an object as text: a string unchanged, plain data as JSON, anything else with `str`.

    If the class defines neither `__str__` nor `__repr__`, only its name is shown.
    """
    if isinstance(thing, str):
        return thing
    if type(thing) in (dict, list, tuple, bool, int, float, NoneType):
        try:
            return json_text(thing, default=_in_words)
        except (TypeError, ValueError, RecursionError):
            return _named(thing)
    return _in_words(thing)


def _in_words(thing: Any) -> str:
    if isinstance(thing, bytes | bytearray | memoryview):
        return f"<{len(bytes(thing))} bytes>"
    own = {member for base in type(thing).__mro__ if base is not object for member in vars(base)}
    if own.isdisjoint(("__str__", "__repr__")):
        return _named(thing)
    try:
        return str(thing)
    except Exception:  # noqa: BLE001 - the class may raise anything
        return _named(thing)


def _named(thing: Any) -> str:
    return f"<{type(thing).__name__}>"


_SHOWN = 120
_MOST = 100
_GOAL = 1_000

Outcome = Literal["success", "failure", "error", "signal"]


@toolbox(
    name="agent_process",
    description="Your own run: its status, budget and cost, the calls made, and the models used.",
)
class AgentProcessTools:
    """Tools that show an agent its own run.

    Pass an instance to an agent for a single facade, or to `from_object` for six separate tools.
    """

    def __init__(self, *, whole: bool = False) -> None:
        """Create the tools.

        Args:
            whole: Whether they report on the outermost run with all its inner runs, rather than the agent's own run.
        """
        self._whole = whole

    def _run(self, context: ToolContext) -> Run:
        run = run_of(context)
        return run.lineage[-1] if self._whole else run

    @tool(read_only=True, open_world=False)
    def process_status(self, context: ToolContext) -> ToolResult:
        """Show the id, goal and status of your run, and how long it has been running."""
        run = self._run(context)
        asked_to_end = next((each.ending for each in run.lineage if each.ending), None)
        around = [outer.id for outer in run.lineage[1:]]
        lines = [f"run {run.id}: {run.status} for {time_in_words(run.seconds)}"]
        lines += [f"goal: {shortened(run.goal, _GOAL)}"] if run.goal else []
        lines += [f"part of: {', '.join(around)}"] if around else []
        lines += [f"asked to end: {asked_to_end}"] if asked_to_end else []
        data = {"id": run.id, "status": run.status, "seconds": round(run.seconds, 3), "goal": run.goal}
        return ToolResult("\n".join(lines), structured=data | {"part_of": around, "asked_to_end": asked_to_end})

    @tool(read_only=True, open_world=False)
    def process_budget(self, context: ToolContext) -> ToolResult:
        """Show the budget of your run, what is spent and what is left: dollars, tokens and tool calls."""
        run = self._run(context)
        data = {what: _share(run, what) for what in ("cost", "tokens", "actions")}
        return ToolResult("\n".join(_share_in_words(what, share) for what, share in data.items()), structured=data)

    @tool(read_only=True, open_world=False)
    def process_cost(self, context: ToolContext) -> ToolResult:
        """Show the cost of your run so far: dollars, model requests and tokens, in total and for each model."""
        uses = self._run(context).uses
        models = {model: _summed(several) for model, several in _by_model(uses).items()}
        total = _summed(uses)
        lines = [f"total: {_summed_in_words(total)}"]
        lines += [f"{model}: {_summed_in_words(sums)}" for model, sums in models.items()]
        return ToolResult("\n".join(lines), structured={**total, "models": models})

    @tool(read_only=True, open_world=False)
    def process_history(
        self,
        context: ToolContext,
        tool: Annotated[str | None, "Only calls of this tool."] = None,
        outcome: Annotated[Outcome | None, "Only calls with this outcome."] = None,
        last: Annotated[int, "Maximum number of calls, the latest ones; 1 to 100."] = 20,
    ) -> ToolResult:
        """List the calls of your run so far, oldest first, with arguments, outcome and duration."""
        run = self._run(context)
        fitting = [call for call in run.calls if tool in (None, call.tool) and outcome in (None, call.outcome)]
        shown = fitting[-min(max(last, 1), _MOST) :]
        data = {"calls": [_call_as_data(call) for call in shown], "fitting": len(fitting)}
        return ToolResult("\n".join(_history_lines(run, shown, len(fitting))), structured=data)

    @tool(read_only=True, open_world=False)
    def process_tools_stats(self, context: ToolContext) -> ToolResult:
        """Show for each tool how often it was called in your run, how often it failed, and how long it took."""
        run = self._run(context)
        counts, failures, seconds = run.counts, run.failures, _seconds(run.calls)
        table: dict[str, dict[str, Any]] = {
            name: {
                "calls": counts[name],
                "failures": failures.get(name, 0),
                "seconds": round(seconds.get(name, 0.0), 6),
            }
            for name in sorted(counts, key=lambda name: (-counts[name], name))
        }
        lines = [
            f"{name}: {_count(row['calls'], 'call')}, {row['failures']} failed, {time_in_words(row['seconds'])}"
            for name, row in table.items()
        ]
        return ToolResult("\n".join(lines) or "no calls so far", structured={"tools": table})

    @tool(read_only=True, open_world=False)
    def process_models(self, context: ToolContext) -> ToolResult:
        """List the models used in your run, with what each was used for and how often."""
        table: list[dict[str, Any]] = [
            {"model": model, "kinds": sorted({use.kind for use in uses}), "requests": len(uses)}
            for model, uses in _by_model(self._run(context).uses).items()
        ]
        lines = [f"{row['model']}: {', '.join(row['kinds'])}, {_count(row['requests'], 'request')}" for row in table]
        return ToolResult("\n".join(lines) or "no model was used so far", structured={"models": table})


def run_of(context: ToolContext) -> Run:
    """Return the run of a context.

    Raises:
        ToolExecutionError: If the context has no run. The message is for a model.
    """
    if context.run is None:
        raise ToolExecutionError("There is no run to report on: this tool was called outside of a run.", "no_run")
    return context.run


def _share(run: Run, what: str) -> dict[str, float | None]:
    """Return the tightest limit of a kind with what is spent and left of it, or only what is spent if there is none."""
    limited = [one for one in run.lineage if getattr(one.budget, what) is not None]
    if not limited:
        return {"limit": None, "spent": getattr(run.spent, what), "left": None}
    tightest = min(limited, key=lambda one: getattr(one.left, what))
    values = (getattr(of, what) for of in (tightest.budget, tightest.spent, tightest.left))
    return dict(zip(("limit", "spent", "left"), values, strict=True))


def _share_in_words(what: str, share: dict[str, float | None]) -> str:
    def in_words(amount: float | None) -> str:
        return money(amount or 0.0) if what == "cost" else f"{amount or 0:,}"

    name = "calls" if what == "actions" else what
    if share["limit"] is None:
        return f"{name}: no limit, {in_words(share['spent'])} spent"
    return f"{name}: {in_words(share['left'])} left of {in_words(share['limit'])}, {in_words(share['spent'])} spent"


def _by_model(uses: Sequence[ModelUse]) -> dict[str, list[ModelUse]]:
    table: dict[str, list[ModelUse]] = {}
    for use in uses:
        table.setdefault(use.model, []).append(use)
    return table


def _summed(uses: Sequence[ModelUse]) -> dict[str, Any]:
    known = [use.cost for use in uses if use.cost is not None]
    return {
        "cost": sum(known) if known or not uses else None,
        "is_whole": len(known) == len(uses),
        "chats": sum(use.kind == "chat" for use in uses),
        "embeddings": sum(use.kind == "embedding" for use in uses),
        "input_tokens": sum(use.input_tokens for use in uses),
        "output_tokens": sum(use.output_tokens for use in uses),
    }


def _summed_in_words(sums: dict[str, Any]) -> str:
    cost = "at an unknown cost" if sums["cost"] is None else money(sums["cost"], 6)
    more = " plus an unknown amount" if sums["cost"] is not None and not sums["is_whole"] else ""
    tokens = f"{sums['input_tokens']:,} tokens in, {sums['output_tokens']:,} out"
    embeddings = f", {_count(sums['embeddings'], 'embedding')}" if sums["embeddings"] else ""
    return f"{cost}{more}, {_count(sums['chats'], 'request')}{embeddings}, {tokens}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _history_lines(run: Run, shown: Sequence[CallRecord], fitting: int) -> Iterator[str]:
    kept, all_calls = len(run.calls), sum(run.counts.values())
    if not shown:
        yield "no calls so far" if not kept else "no call matches"
        return
    more = f"; {all_calls - kept:,} older ones are only counted" if all_calls > kept else ""
    yield f"{len(shown)} of {_count(fitting, 'call')}{more}:"
    for number, call in enumerate(shown, fitting - len(shown) + 1):
        given = call.output if call.error is None else call.error
        ended = "" if call.outcome == "success" else f" {call.outcome}:"
        line = f"{number}. {call.tool}({_flat(call.arguments)}) {time_in_words(call.seconds)} ->{ended}"
        yield f"{line} {shortened(' '.join(given.split()), _SHOWN)}".rstrip()


def _call_as_data(call: CallRecord) -> dict[str, Any]:
    return {
        "tool": call.tool,
        "arguments": _flat(call.arguments),
        "outcome": call.outcome,
        "seconds": round(call.seconds, 6),
        "result": shortened(call.output if call.error is None else call.error, _SHOWN),
    }


def _flat(arguments: Any) -> str:
    """Return recorded arguments on one short line."""
    return shortened(" ".join(described(arguments).split()), _SHOWN)


def _seconds(calls: Sequence[CallRecord]) -> dict[str, float]:
    spans: dict[str, float] = {}
    for call in calls:
        spans[call.tool] = spans.get(call.tool, 0.0) + call.seconds
    return spans


Description = Callable[[Any], str]
"""Describes an object in words for a model."""

_LISTED = 100
_OBJECT_SHOWN = 10_000


@toolbox(
    name="blackboard",
    description="The objects that the tools of your run share, some of them bound to names.",
)
class BlackboardTools:
    """Tools that show an agent its blackboard.

    Pass an instance to an agent for a single facade, or to `from_object` for five separate tools.
    """

    def __init__(self, describe: Description | None = None, *, limit: int = _OBJECT_SHOWN) -> None:
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


_REPORTED = "Progress reported: "
_SENT = "Message sent to the user."


@tool(read_only=True, open_world=False)
def progress(status: Annotated[str, "What you are doing now, in a few words."], context: ToolContext) -> str:
    """Show the user what you are doing. The status is temporary and not part of the answer."""
    text = _checked(status, "status")
    if _send(text, "progress", context):
        return f"{_REPORTED}{text}"
    return "Progress noted, but no one is watching."


@tool(read_only=True, open_world=False)
def communicate(message: Annotated[str, "The message for the user."], context: ToolContext) -> str:
    """Send the user a lasting message, such as a result or a link, and continue your work."""
    if _send(_checked(message, "message"), "message", context):
        return _SENT
    return "Message noted, but no one can read it."


def has_reached_user(tool: str, output: str) -> bool:
    """Return whether a message of one of these tools has reached the user, according to the tool's output."""
    return (tool == "progress" and output.startswith(_REPORTED)) or (tool == "communicate" and output == _SENT)


def _checked(text: str, parameter: str) -> str:
    if not text.strip():
        raise ToolArgumentsError(f"'{parameter}' is empty: write a message, or do not call this tool")
    return text.strip()


def _send(text: str, kind: Literal["progress", "message"], context: ToolContext) -> bool:
    """Send a message through the channel of the run, and return whether there is one."""
    run = context.run
    if run is not None and run.send(Message(text, kind, context.tool, run.id)):
        return True
    context.logger.warning("no channel for the message: %s", text)
    return False

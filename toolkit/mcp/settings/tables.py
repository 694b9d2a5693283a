"""Read the configuration table of one server, and report all problems in it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toolkit.documents.tables import Key, Schema, Spot, keys_listed, near_key, read_table, schema_of
from toolkit.mcp.settings.server_keys import HTTP_KEYS, STDIO_KEYS
from toolkit.mcp.settings.servers import HttpServer, McpServer, StdioServer
from toolkit.problems import Problem, did_you_mean, errors_among


def read_server(name: str, table: Mapping[str, Any], spot: Spot) -> McpServer | None:
    """Return the server that a table describes, or `None` if the table has errors.

    Args:
        name: The name of the server.
        table: Its settings.
        spot: The location of the table.
    """
    kinds = [kind for kind in ("command", "url") if kind in table]
    if len(kinds) != 1:
        _report_kinds(name, kinds, table, spot)
        return None
    problems: list[Problem] = []
    inside = spot._replace(setting=spot.setting._replace(take=problems.append))
    keys, others = (STDIO_KEYS, HTTP_KEYS) if kinds == ["command"] else (HTTP_KEYS, STDIO_KEYS)
    values = read_table(table, keys, inside, advice=_hint_among(others))
    for problem in problems:
        spot.setting.take(problem)
    return None if errors_among(problems) else _server(name, values, spot)


def server_schema() -> Schema:
    """Return the JSON Schema of a server's table."""
    return {"anyOf": [schema_of(STDIO_KEYS), schema_of(HTTP_KEYS)]}


def _report_kinds(name: str, kinds: Sequence[str], table: Mapping[str, Any], spot: Spot) -> None:
    both = "both 'command' and 'url'" if kinds else "neither 'command' nor 'url'"
    known = {key.name for key in (*STDIO_KEYS, *HTTP_KEYS)}
    near = (hint for key in table if key not in known and (hint := did_you_mean(key, ("command", "url"))))
    spot.report(f"server '{name}' has {both}", next(near, "write one: command = 'uvx', or url = 'https://…'"))


def _hint_among(others: Sequence[Key]) -> Callable[[str, Sequence[str]], str | None]:
    """Return a function that returns a hint for an unknown key, which may belong to the other kind of server."""
    of_the_other = {key.name for key in others}

    def advice(name: str, known: Sequence[str]) -> str | None:
        if name in of_the_other:
            return f"'{name}' is for the other kind of server; {keys_listed(known)}"
        return near_key(name, known)

    return advice


def _server(name: str, values: dict[str, Any], spot: Spot) -> McpServer:
    setting = spot.setting
    fields = {"converter" if key == "meta" else key: value for key, value in values.items()}
    fields |= {"name": name, "owner": setting.owner, "place": setting.place(spot.path)}
    if "url" in values:
        return HttpServer(**fields)
    # Not the current directory: the program may load files from there, which could belong to someone else.
    return StdioServer(**{"cwd": setting.folder.resolve()} | fields)

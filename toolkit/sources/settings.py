"""Settings: a table of TOML becomes a Configuration; every wrong key and value is found in one go."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from toolkit.codes import BAD_CONFIGURATION
from toolkit.durations import parse_duration
from toolkit.problems import Location, Problem, did_you_mean
from toolkit.sources.configuration import Configuration, GroupSettings, ReadySettings, keys_before
from toolkit.sources.toml_files import TomlDocument, document_in, text_of

if TYPE_CHECKING:
    from toolkit.agents.models.prices import Price
    from toolkit.mcp.settings.servers import McpServer, Owner


_OWN_TABLE = re.compile(r"^\s*\[\s*tool\s*\.\s*toolkit\b", re.MULTILINE)
_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def read_settings(file: Path) -> tuple[Configuration, list[Problem]] | None:
    """Return the settings in a file and what is wrong with them, or None if a `pyproject.toml` has none for us."""
    prefix = keys_before(file)
    empty = Configuration(file.parent, file)
    text = text_of(file)
    if isinstance(text, Problem):
        return None if prefix else (empty, [text])
    if prefix and "toolkit" not in text:
        return None
    document = document_in(text, file)
    if isinstance(document, Problem):
        return (empty, [document]) if not prefix or _OWN_TABLE.search(text) else None
    table = _table(document.data, prefix)
    if table is None:
        return None
    reader = _Reader(document, file, prefix)
    return reader.configuration(table), reader.problems


def read_own_settings(file: Path) -> tuple[Configuration, list[Problem]]:
    """Return what a user's own configuration says, which is `mcp`, `builtin` and `env`, and what is wrong with it."""
    empty = Configuration(file.parent, file)
    text = text_of(file)
    if isinstance(text, Problem):
        return empty, [text]
    document = document_in(text, file)
    if isinstance(document, Problem):
        return empty, [document]
    reader = _Reader(document, file, (), "user")
    return reader.own_configuration(document.data), reader.problems


def _table(document: dict[str, Any], prefix: Sequence[str]) -> dict[str, Any] | None:
    """Return the table that names lead to, or None if there is none."""
    found: Any = document
    for name in prefix:
        found = found.get(name)
        if not isinstance(found, dict):
            return None
    return cast("dict[str, Any]", found)


def seconds_of(value: object) -> float | str:
    """Return the seconds of a duration, or what it should have been."""
    wanted = "a duration such as '500ms', '30s' or '5m', above zero and at most 720h"
    seconds = parse_duration(value) if isinstance(value, str) else None
    return seconds or wanted


PLAIN = "plain"
"""The dialect that is none: name, description and parameters, as they are."""


def unknown_dialect(name: str) -> str | None:
    """Return a hint if there is no such dialect."""
    from toolkit.dialects import DIALECTS  # noqa: PLC0415 - most projects name none

    known = (PLAIN, *DIALECTS)
    return None if name in known else did_you_mean(name, known, otherwise=f"the dialects are {', '.join(known)}")


class _Reader:
    """Reads one file's table; `problems` gathers what is wrong."""

    def __init__(self, document: TomlDocument, file: Path, prefix: Sequence[str], owner: "Owner" = "project") -> None:
        self._document = document
        self._owner = owner
        self._file = file
        self._prefix = prefix
        self.problems: list[Problem] = []

    def configuration(self, table: Mapping[str, Any]) -> Configuration:
        found = self._known(
            table,
            (),
            {
                "sources": self._texts,
                "env": self._names,
                "secrets": self._texts,
                "defaults": self._defaults,
                "context": self._context,
                "builtin": self._ready,
                "groups": self._groups,
                "mcp": self._servers,
                "prices": self._prices,
                "lint": self._lint,
            },
        )
        defaults = found.pop("defaults", {})
        return Configuration(directory=self._file.parent, file=self._file, **found, **defaults)

    def own_configuration(self, table: Mapping[str, Any]) -> Configuration:
        """Return what a user's own file says, which holds in every project."""
        known = self._known(table, (), {"mcp": self._servers, "builtin": self._ready, "env": self._names})
        return Configuration(directory=self._file.parent, file=self._file, **known)

    def _known(
        self, table: Mapping[str, Any], path: Sequence[str], readers: Mapping[str, Callable[[Any, Sequence[str]], Any]]
    ) -> dict[str, Any]:
        """Return the values of the known keys that are good; the others are reported."""
        values = {}
        for key, value in table.items():
            place = [*path, key]
            if key not in readers:
                hint = did_you_mean(key, readers, otherwise=f"the keys are {_listed(readers)}")
                self._report(place, f"unknown key '{'.'.join(place)}'", hint)
            elif (read := readers[key](value, place)) is not None:
                values[key] = read
        return values

    def _texts(self, value: Any, path: Sequence[str]) -> tuple[str, ...] | None:
        if isinstance(value, list) and all(isinstance(item, str) and item.strip() for item in value):
            return tuple(value)
        self._wrong(path, "a list of texts", f"write {path[-1]} = [{_quoted(value)}]")
        return None

    def _names(self, value: Any, path: Sequence[str]) -> tuple[str, ...] | None:
        names = self._texts(value, path)
        if names is None or all(_VARIABLE_NAME.fullmatch(name) for name in names):
            return names
        self._wrong(path, "a list of names of environment variables")
        return None

    def _defaults(self, value: Any, path: Sequence[str]) -> dict[str, Any] | None:
        if isinstance(value, dict):
            durations = dict.fromkeys(("timeout", "approval_timeout", "model_timeout"), self._duration)
            return self._known(value, path, {**durations, "dialect": self._dialect, "model": self._model})
        self._wrong(path, "a table", "write defaults = { timeout = '30s' }")
        return None

    def _dialect(self, value: Any, path: Sequence[str]) -> str | None:
        if isinstance(value, str) and not (hint := unknown_dialect(value)):
            return value
        self._wrong(path, "the name of a dialect", hint if isinstance(value, str) else "write dialect = 'openai'")
        return None

    def _duration(self, value: Any, path: Sequence[str]) -> float | None:
        seconds = seconds_of(value)
        if isinstance(seconds, float):
            return seconds
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        self._wrong(path, seconds, f"write '{value}s' for seconds" if is_number else None)
        return None

    def _model(self, value: Any, path: Sequence[str]) -> str | None:
        from toolkit.agents.models.script_names import runs_code  # noqa: PLC0415 - few projects name a model

        if isinstance(value, str) and runs_code(value):
            hint = "write the script in YAML, or name it yourself: --model, or TOOLKIT_MODEL"
            self._report(
                path, f"the script of '{'.'.join(path)}' would run as code, and a file cannot choose that", hint
            )
            return None
        if isinstance(value, str) and all(value.partition(":")):
            return value
        self._wrong(path, "the name of a model", "write model = 'openai-chat:gpt-6-luna', or 'chat:NAME'")
        return None

    def _prices(self, value: Any, path: Sequence[str]) -> "dict[str, Price] | None":
        if not isinstance(value, dict) or not all(isinstance(table, dict) for table in value.values()):
            self._wrong(path, "a table of tables", "write prices = { 'chat:qwen3' = { input = 0.1, output = 0.3 } }")
            return None
        from toolkit.agents.models.prices import Price  # noqa: PLC0415 - few projects say any

        readers = {"input": self._dollars, "output": self._dollars}
        return {name: Price(**self._known(table, [*path, name], readers)) for name, table in value.items()}

    def _dollars(self, value: Any, path: Sequence[str]) -> float | None:
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf"):
            return float(value)
        self._wrong(path, "US dollars for a million tokens, such as 0.15")
        return None

    def _context(self, value: Any, path: Sequence[str]) -> dict[str, Any] | None:
        if isinstance(value, dict):
            return value
        self._wrong(path, "a table", "write context = { tenant = 'acme' }")
        return None

    def _lint(self, value: Any, path: Sequence[str]) -> dict[str, Any] | None:
        if isinstance(value, dict):
            return value  # lint reads it itself
        self._wrong(path, "a table", "write lint = { ignore = ['TK202'] }")
        return None

    def _ready(self, value: Any, path: Sequence[str]) -> dict[str, ReadySettings] | None:
        if isinstance(value, dict):
            from toolkit.sources.ready_settings import read_ready_settings  # noqa: PLC0415 - it imports those tools

            return read_ready_settings(value, path, self._file.parent, self._report, self._owner)
        self._wrong(path, "a table", "write builtin = { file_read = { base = 'docs' } }")
        return None

    def _groups(self, value: Any, path: Sequence[str]) -> dict[str, GroupSettings] | None:
        if not isinstance(value, dict) or not all(isinstance(table, dict) for table in value.values()):
            self._wrong(path, "a table of tables", "write groups = { web = { tools = ['fetch'] } }")
            return None
        for name in value:
            if not _VARIABLE_NAME.fullmatch(name):
                hint = "a name is made of letters, digits and underscores"
                self._report([*path, name], f"'{name}' is no name for a group", hint)
        return {name: self._group(table, [*path, name]) for name, table in value.items()}

    def _servers(self, value: Any, path: Sequence[str]) -> "dict[str, McpServer] | None":
        if isinstance(value, dict):
            from toolkit.mcp.settings.reading import read_servers  # noqa: PLC0415 - few projects have servers
            from toolkit.mcp.settings.tables import Setting  # noqa: PLC0415

            folder = self._file.parent
            setting = Setting(folder, self._owner, self._place, self.problems.append, "~/.config/toolkit/config.toml")
            return read_servers(value, path, setting)
        self._wrong(path, "a table", "write mcp = { time = { command = 'uvx', args = ['mcp-server-time'] } }")
        return None

    def _group(self, table: Mapping[str, Any], path: Sequence[str]) -> GroupSettings:
        lists = ("sources", "tools", "exclude", "required")
        readers = {"description": self._words, "provider": self._words, "permissions": self._permissions}
        known = self._known(table, path, readers | dict.fromkeys(lists, self._texts))
        settings = GroupSettings(**known)
        if not settings.sources and not settings.tools:
            hint = "write tools = ['name', 'prefix_*'], or sources = ['tools.py']"
            self._report(path, f"group '{path[-1]}' names no tools", hint)
        self._check_expressions([*settings.tools, *settings.exclude], path)
        return settings

    def _check_expressions(self, choices: Sequence[str], path: Sequence[str]) -> None:
        from toolkit.disclosure.groups import matches  # noqa: PLC0415 - few projects have groups

        for choice in choices:
            try:
                matches("", choice)
            except ValueError as error:
                self._report(path, str(error), None)

    def _words(self, value: Any, path: Sequence[str]) -> str | None:
        if isinstance(value, str):
            return value
        self._wrong(path, "a text")
        return None

    def _permissions(self, value: Any, path: Sequence[str]) -> tuple[str, ...] | None:
        from toolkit.disclosure.groups import PERMISSIONS, unknown_permission  # noqa: PLC0415 - few projects have groups

        permissions = self._texts(value, path)
        for one in permissions or ():
            if one not in PERMISSIONS:
                problem = unknown_permission(one)
                self._report(path, problem.message, problem.hint)
        return permissions

    def _wrong(self, path: Sequence[str], wanted: str, hint: str | None = None) -> None:
        self._report(path, f"'{'.'.join(path)}' must be {wanted}", hint)

    def _report(self, path: Sequence[str], message: str, hint: str | None) -> None:
        self.problems.append(Problem(BAD_CONFIGURATION, message, self._place(path), hint=hint))

    def _place(self, path: Sequence[str]) -> Location:
        return self._document.place([*self._prefix, *path])


def _listed(names: Mapping[str, Any]) -> str:
    quoted = [f"'{name}'" for name in names]
    return " and ".join(filter(None, [", ".join(quoted[:-1]), quoted[-1]]))


def _quoted(value: Any) -> str:
    return f"'{value}'" if isinstance(value, str) and value.strip() else "'tools.py'"

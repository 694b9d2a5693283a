"""Tables: what a configuration says of one server, read key by key; everything that is wrong is reported."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from toolkit.codes import BAD_CONFIGURATION
from toolkit.durations import parse_duration
from toolkit.errors import ConfigurationError
from toolkit.mcp.crossing import MetaConverter, converter_from, names_what_crosses
from toolkit.mcp.settings.servers import HttpServer, McpServer, Owner, StdioServer, holds_secret
from toolkit.problems import Location, Problem, Severity, did_you_mean

STDIO_KEYS = ("command", "args", "env", "cwd")
HTTP_KEYS = ("url", "headers")

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_COMMON_KEYS = ("trusted", "meta", "prefix", "tools", "exclude", "required", "start_timeout", "timeout")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Setting(NamedTuple):
    """Where tables stand, and who answers for them.

    Attributes:
        folder: What relative paths start from.
        owner: Whose file it is.
        place: Tells where the key is that a path leads to.
        take: Takes what is wrong.
        user_file: How the user's own configuration is called, for hints.
        is_editors: Whether it is the file of an editor, which others write too.
    """

    folder: Path
    owner: Owner
    place: Callable[[Sequence[str]], Location | None]
    take: Callable[[Problem], None]
    user_file: str
    is_editors: bool = False

    def report(self, path: Sequence[str], message: str, hint: str | None, severity: Severity = "error") -> None:
        """Tell what is wrong with the key that a path leads to."""
        self.take(Problem(BAD_CONFIGURATION, message, self.place(path), severity, hint))


def read_table(name: str, table: Mapping[str, Any], path: Sequence[str], setting: Setting) -> McpServer | None:
    """Return the server that a table tells of, or nothing where it cannot be one.

    Args:
        name: What the server is called.
        table: What is said of it.
        path: The keys that lead to the table.
        setting: Where it stands.
    """
    return _Table(name, table, path, setting).server()


class _Table:
    """Reads the table of one server."""

    def __init__(self, name: str, table: Mapping[str, Any], path: Sequence[str], setting: Setting) -> None:
        self._name = name
        self._table = table
        self._path = path
        self._setting = setting
        self._is_wrong = False

    def server(self) -> McpServer | None:
        """Return the server, or nothing where it cannot be one."""
        kinds = {kind for kind in ("command", "url") if kind in self._table}
        if len(kinds) != 1:
            both = "both 'command' and 'url'" if kinds else "neither 'command' nor 'url'"
            strange = [key for key in self._table if key not in (*STDIO_KEYS, *HTTP_KEYS, *_COMMON_KEYS)]
            near = (hint for key in strange if (hint := did_you_mean(key, ("command", "url"))))
            hint = next(near, "write one: command = 'uvx', or url = 'https://…'")
            self._wrong((), f"server '{self._name}' has {both}", hint)
            return None
        own = STDIO_KEYS if "command" in kinds else HTTP_KEYS
        values = self._values((*own, *_COMMON_KEYS))
        if self._is_wrong:
            return None
        place = self._setting.place(self._path)
        make: Any = StdioServer if "command" in kinds else HttpServer
        if "command" in kinds:
            # Not where we happen to be: what is started may look for its own parts there, and find those of a stranger.
            values.setdefault("cwd", self._setting.folder.resolve())
        server: McpServer = make(name=self._name, owner=self._setting.owner, place=place, **values)
        return server

    def _values(self, known: Sequence[str]) -> dict[str, Any]:
        values = {}
        for key, value in self._table.items():
            if key not in known:
                others = [one for one in (*STDIO_KEYS, *HTTP_KEYS) if one not in known]
                otherwise = f"the keys are {', '.join(known)}"
                if key in others:
                    otherwise = f"'{key}' belongs to the other kind of server; {otherwise}"
                hint = otherwise if key in others else did_you_mean(key, known, otherwise=otherwise)
                self._wrong((key,), f"unknown key '{'.'.join([*self._path, key])}'", hint)
            elif (read := getattr(self, f"_read_{key}")(value, (key,))) is not None:
                values["converter" if key == "meta" else key] = read
        return values

    def _read_command(self, value: Any, path: tuple[str, ...]) -> str | None:
        command = self._text(value, path, "the program alone, such as 'uvx'")
        if command and " " in command and "/" not in command and "\\" not in command:
            program, *rest = command.split()
            args = ", ".join(f"'{one}'" for one in rest)
            hint = f"there is no shell: write command = '{program}', args = [{args}]"
            self._wrong(path, f"'{self._full(path)}' must be the program alone", hint)
        if command and ("/" in command or "\\" in command) and not Path(command).expanduser().is_absolute():
            return os.path.normpath(self._setting.folder.absolute() / command)
        return str(Path(command).expanduser()) if command and command.startswith("~") else command

    def _read_args(self, value: Any, path: tuple[str, ...]) -> tuple[str, ...] | None:
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        self._wrong(path, f"'{self._full(path)}' must be a list of texts", "write args = ['--flag', 'value']")
        return None

    def _read_env(self, value: Any, path: tuple[str, ...]) -> Any:
        return self._named_texts(value, path, _VARIABLE, "write env = { TZ = 'UTC', TOKEN = '${TOKEN}' }")

    def _read_headers(self, value: Any, path: tuple[str, ...]) -> Any:
        return self._named_texts(value, path, _HEADER, "write headers = { Authorization = 'Bearer ${TOKEN}' }")

    def _named_texts(self, value: Any, path: tuple[str, ...], name: re.Pattern[str], hint: str) -> Any:
        if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
            self._wrong(path, f"'{self._full(path)}' must be a table of texts", hint)
            return None
        for key, text in value.items():
            if not name.fullmatch(key) or "\n" in text or "\r" in text or "\0" in text:
                self._wrong((*path, key), f"'{self._full((*path, key))}' cannot be sent", hint)
            elif holds_secret(key, text):
                self._tell_of_secret((*path, key))
        return value

    def _tell_of_secret(self, path: tuple[str, ...]) -> None:
        message, hint = f"'{self._full(path)}' seems to hold a secret", "name an environment variable: '${NAME}'"
        if self._setting.is_editors:
            self._setting.report([*self._path, *path], message, hint, "warning")
        else:
            self._wrong(path, message, hint)

    def _read_cwd(self, value: Any, path: tuple[str, ...]) -> Path | None:
        text = self._text(value, path, "a folder")
        return (self._setting.folder.absolute() / Path(text).expanduser()).resolve() if text else None

    def _read_url(self, value: Any, path: tuple[str, ...]) -> str | None:
        url = self._text(value, path, "an address such as 'https://tools.example/mcp'")
        if url is None:
            return None
        try:
            parts = urlsplit(url)
            host, _ = parts.hostname, parts.port
        except ValueError:
            parts, host = urlsplit(""), None
        if parts.scheme not in {"http", "https"} or not host:
            self._wrong(path, f"'{self._full(path)}' must be an address that begins with https:// or http://", None)
        elif parts.username is not None or parts.password is not None:
            hint = "send it in a header: headers = { Authorization = 'Bearer ${TOKEN}' }"
            self._wrong(path, f"'{self._full(path)}' holds a user name or password", hint)
        elif parts.scheme == "http" and host not in _LOOPBACK and self._table.get("headers"):
            self._setting.report(
                [*self._path, *path], f"'{self._full(path)}' sends the headers unencrypted", "use https://", "warning"
            )
        return url

    def _read_trusted(self, value: Any, path: tuple[str, ...]) -> bool | None:
        if not isinstance(value, bool):
            self._wrong(path, f"'{self._full(path)}' must be true or false", None)
        elif value and self._setting.owner != "user":
            hint = f"a server is trusted in your own configuration alone: {self._setting.user_file}"
            self._wrong(path, f"a project's file cannot make server '{self._name}' trusted", hint)
        return bool(value)

    def _read_meta(self, value: Any, path: tuple[str, ...]) -> MetaConverter | None:
        try:
            converter = converter_from(value)
        except ConfigurationError as error:
            self._wrong(path, str(error), "write meta = ['tenant']")
            return None
        if self._setting.owner != "user" and not names_what_crosses(converter):
            hint = f"list the names; more is for your own configuration to say: {self._setting.user_file}"
            self._wrong(path, f"'{self._full(path)}' must be a list of names in a project's file", hint)
        return converter

    def _read_prefix(self, value: Any, path: tuple[str, ...]) -> str | None:
        if isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9_]*", value):
            return value
        self._wrong(path, f"'{self._full(path)}' must be made of letters, digits and underscores", None)
        return None

    def _choices(self, value: Any, path: tuple[str, ...]) -> tuple[str, ...] | None:
        from toolkit.disclosure.groups import matches  # noqa: PLC0415 - few servers are narrowed

        if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
            self._wrong(path, f"'{self._full(path)}' must be a list of texts", f"write {path[-1]} = ['name', 'get_*']")
            return None
        for choice in value:
            try:
                matches("", choice)
            except ValueError as error:
                self._wrong(path, str(error), None)
        return tuple(value)

    _read_tools = _read_exclude = _read_required = _choices

    def _duration(self, value: Any, path: tuple[str, ...]) -> float | None:
        seconds = parse_duration(value) if isinstance(value, str) else None
        if seconds:
            return seconds
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        hint = f"write '{value}s' for seconds" if is_number else None
        self._wrong(path, f"'{self._full(path)}' must be a duration such as '500ms', '30s' or '5m'", hint)
        return None

    _read_timeout = _read_start_timeout = _duration

    def _text(self, value: Any, path: tuple[str, ...], wanted: str) -> str | None:
        if isinstance(value, str) and value.strip() and "\0" not in value:
            return value
        self._wrong(path, f"'{self._full(path)}' must be {wanted}", None)
        return None

    def _full(self, path: tuple[str, ...]) -> str:
        return ".".join([*self._path, *path])

    def _wrong(self, path: tuple[str, ...], message: str, hint: str | None) -> None:
        self._is_wrong = True
        self._setting.report([*self._path, *path], message, hint)

"""Changes and reads the files of MCP clients: one entry is set or removed, and everything else stays as it is."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args

from toolkit.codes import BAD_CONFIGURATION
from toolkit.documents.document_reader import read_text
from toolkit.documents.entry_edits import parse_as, with_entry, without_entry
from toolkit.documents.nodes import Node, place_of, plain
from toolkit.errors import ConfigurationError
from toolkit.mcp.settings.clients import Client, Scope, entry_of, file_of, path_in, server_of
from toolkit.mcp.settings.server_settings import McpServer, holds_secret
from toolkit.problems import Location, Problem
from toolkit.replacing import followed, write_file

BACKUP: Final = ".toolkit-backup"
"""What the name of a backup ends with; it is next to the file, and has its content before the last change."""
_LARGEST: Final = 16 * 1024 * 1024


class FileChange(NamedTuple):
    """A change to a client's file.

    Attributes:
        file: The file.
        before: Its text; `None` if there is no file.
        after: Its text after the change; `None` if the file is to be removed.
        secrets: Values in the file that must not be shown.
    """

    file: Path
    before: str | None
    after: str | None
    secrets: tuple[str, ...] = ()


def file_with(client: Client, server: McpServer) -> str:
    """Return the text of a client's file that describes only this server.

    Raises:
        ConfigurationError: If the file cannot describe it.
    """
    return with_entry(client.format, "", (*client.path, server.name), entry_of(client, server))


def to_install(client: Client, file: Path, server: McpServer) -> FileChange:
    """Return the change that adds a server to a client's file, or replaces the entry of the same name.

    Raises:
        ConfigurationError: If the file cannot be read or changed, or cannot describe the server.
    """
    text, root = _read(client, file)
    data = plain(root)
    path = (*path_in(client, data), server.name)
    entry = entry_of(client, server)
    try:
        after = with_entry(client.format, text or "", path, entry)
    except ValueError as error:
        raise _cannot_change(file, root, path, str(error)) from error
    return FileChange(file, text, after, tuple(_secrets_in(data)))


def to_uninstall(client: Client, file: Path, name: str) -> FileChange | None:
    """Return the change that removes an entry from a client's file, or `None` if there is none of this name.

    A file that is still as `install` left it becomes what it was before, to the last byte. One that it created is
    removed.

    Raises:
        ConfigurationError: If the file cannot be read or changed.
    """
    text, root = _read(client, file)
    data = plain(root)
    path = (*path_in(client, data), name)
    entry = _entries(client, data).get(name)
    if text is None or entry is None:
        return None
    secrets = tuple(_secrets_in(data))
    backup = file.with_name(file.name + BACKUP)
    earlier = _text_of(backup)
    if _with_only(client, earlier or "", path, entry) == text:
        return FileChange(file, text, earlier, secrets)
    try:
        return FileChange(file, text, without_entry(client.format, text, path), secrets)
    except ValueError as error:
        raise _cannot_change(file, root, path, str(error)) from error


def entries_in(client: Client, file: Path) -> Mapping[str, Any]:
    """Return the entries of a client's file by name; none if there is no file.

    Raises:
        ConfigurationError: If the file cannot be read.
    """
    return _entries(client, plain(_read(client, file)[1]))


def write_change(change: FileChange) -> None:
    """Replace a client's file atomically, after its content has been saved next to it.

    Raises:
        OSError: If a file cannot be written; the client's file is unchanged then.
        ConfigurationError: If the file has changed since the change was made.
    """
    real = followed(change.file)
    if _text_of(real) != change.before:
        hint = "run the command again"
        problem = Problem(BAD_CONFIGURATION, f"'{change.file}' has been changed by another program", hint=hint)
        raise ConfigurationError(problems=[problem])
    backup = change.file.with_name(change.file.name + BACKUP)
    if change.after is None:
        real.unlink()
        return
    if change.before is not None:
        write_file(backup, change.before.encode(), is_private=True)
        backup.chmod(real.stat().st_mode & 0o777)
    change.file.parent.mkdir(parents=True, exist_ok=True)
    write_file(change.file, change.after.encode(), is_private=True)


def installed_servers(client: Client, folder: Path) -> dict[str, McpServer]:
    """Return the servers in a client's files by name; those of the project take precedence over those of the user.

    Args:
        client: The client.
        folder: The folder of the project.

    Raises:
        ConfigurationError: If a file cannot be read.
    """
    found: dict[str, McpServer] = {}
    for scope in get_args(Scope):
        file = file_of(client, scope, folder)
        if file is None or not file.exists():
            continue
        _, root = _read(client, file)
        data = plain(root)
        for name, entry in _entries(client, data).items():
            server = server_of(client, name, entry) if isinstance(entry, Mapping) else None
            if server is not None:  # it may be built into the client
                # Another program starts it, so this one needs the user's consent, as for a server of a project.
                place = place_of(root, (*path_in(client, data), name))
                found[name] = replace(server, owner="project", place=place)
    return found


def _entries(client: Client, data: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Any = data
    for key in path_in(client, data):
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _read(client: Client, file: Path) -> tuple[str | None, Node]:
    """Return the text of a file, `None` if there is none, and its root.

    Raises:
        ConfigurationError: If it cannot be read, with the location of the mistake.
    """
    found = read_text(file, str(file), most=_LARGEST) if file.exists() else None
    root, problems = (None, [found]) if isinstance(found, Problem) else parse_as(client.format, found or "", str(file))
    if root is None:
        hint = "repair the file first; it has not been changed"
        raise ConfigurationError(
            problems=[Problem(BAD_CONFIGURATION, one.message, one.location, hint=one.hint or hint) for one in problems]
        )
    return (None if found is None else str(found)), root


def _text_of(file: Path) -> str | None:
    found = read_text(file, str(file), most=_LARGEST) if file.exists() else None
    return None if isinstance(found, Problem) else found


def _with_only(client: Client, text: str, path: tuple[str, ...], entry: Mapping[str, Any]) -> str | None:
    """Return a text with an entry that it lacks, or `None` if it has one of this name, or cannot have it."""
    root, _ = parse_as(client.format, text, "")
    if root is None or path[-1] in _entries(client, plain(root)):
        return None
    try:
        return with_entry(client.format, text, path, entry)
    except ValueError:
        return None


def _cannot_change(file: Path, root: Node, path: tuple[str, ...], reason: str) -> ConfigurationError:
    place = place_of(root, path) or Location(str(file))
    hint = "edit the file yourself; `toolkit serve TARGET --print-config CLIENT` prints an entry"
    return ConfigurationError(
        problems=[Problem(BAD_CONFIGURATION, f"'{file.name}' is not changed: {reason}", place, hint=hint)]
    )


def _secrets_in(data: Any) -> Iterator[str]:
    """Yield the values that a file of a client has under names of secrets."""
    for key, value in data.items() if isinstance(data, Mapping) else enumerate(data if isinstance(data, list) else ()):
        if isinstance(value, str) and holds_secret(str(key), value):
            yield value
        else:
            yield from _secrets_in(value)

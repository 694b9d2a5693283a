"""Reads and writes `toolkit.lock`, which pins the definition of every tool, so that no change goes unnoticed.

The file is JSON with sorted keys, so that a diff is easy to review. It records what a model reads of a tool, its
parameters and results, and its hints; not its code. Of a tool of an MCP server, it records everything that can reach a
model or a client, and which tool of which server it is.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import pbkdf2_hmac
from pathlib import Path
from typing import Any, Final

from toolkit.approvals.policies import endpoint_of, server_of
from toolkit.codes import DEFINITION_DRIFT, NOT_FOUND
from toolkit.documents.json_reading import json_data
from toolkit.pins.drifts import FROM, SECRETS, Change, Entry, changes_between
from toolkit.problems import Location, Problem
from toolkit.redactors.redactor import Redactor, redactor_of_environment
from toolkit.regular_files import bounded_bytes
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.secret_arguments import secrets_of_schema
from toolkit.visibility import visible_json

MARK = "toolkit-lock"
"""The key that identifies a lockfile."""
_LARGEST = 16 * 1024 * 1024
_FORMAT = 1
_HINTS = ("read_only", "destructive", "idempotent", "open_world", "flow")
_UPDATE: Final = "toolkit lock --update"


def entry_of(spec: ToolSpec) -> dict[str, Any]:
    """Return the pinned part of a tool as plain JSON data, with secrets masked.

    A changed secret in the definition of our own tool is not noticed. A server could call any text a secret, so for its
    tools a digest of the secrets is pinned too.
    """
    hints: dict[str, Any] = {hint: getattr(spec, hint) for hint in _HINTS if getattr(spec, hint) is not None}
    if spec.requires_approval:
        hints["requires_approval"] = True
    entry = {
        "description": spec.description,
        "parameters": spec.parameters,
        "output_schema": spec.output_schema,
        "hints": hints,
        "examples": list(spec.examples),
    }
    secrets = secrets_of_schema(spec.parameters, spec.examples)
    address = _address_of(spec)
    if address is not None:
        entry |= {**spec.metadata.get("mcp", {}), FROM: address, SECRETS: _digest(secrets, address)}
    plain: dict[str, Any] = json.loads(json.dumps(entry, default=str))
    redactor = Redactor(*secrets, outer=redactor_of_environment())
    return {key: value for key, value in redactor.data(plain).items() if value}


def changes_since(locked: Mapping[str, Entry], spec: ToolSpec) -> list[Change]:
    """Return how a tool differs from its entry; without one, there are none, unless other tools of its server have one.

    A server with pinned tools cannot add or rename tools unnoticed.
    """
    pinned = locked.get(spec.name)
    if pinned is not None:
        return changes_between(pinned, entry_of(spec))
    server = server_of(spec.source)
    if server is None or all(str(entry.get(FROM, "")).partition(".")[0] != server for entry in locked.values()):
        return []
    return [Change("compatible", f"it is not in the lockfile, which has other tools of '{server}'")]


def _address_of(spec: ToolSpec) -> str | None:
    """Return the name of a server's tool, `server.tool` or `METHOD /path`, or `None` for a tool of this process."""
    server = server_of(spec.source)
    return (
        endpoint_of(spec.names)
        if server is None
        else next((name for name in spec.names if name.startswith(f"{server}.")), server)
    )


def _digest(secrets: list[str], salt: str) -> str | None:
    """Return a digest that is slow to compute, because a secret could be short."""
    if not secrets:
        return None
    return pbkdf2_hmac("sha256", json.dumps(secrets).encode(), salt.encode(), 10_000).hex()


def entries_of(specs: Iterable[ToolSpec]) -> dict[str, Entry]:
    """Return the pinned parts of several tools, by tool name."""
    return {spec.name: entry_of(spec) for spec in specs}


def written_lock(entries: Mapping[str, Entry], targets: Sequence[str] = ()) -> str:
    """Return the content of a lockfile.

    Args:
        entries: The pinned parts of the tools, by tool name.
        targets: What the tools were chosen with, relative to the lockfile, if not with the configured sources.
    """
    content = {MARK: _FORMAT, **({"targets": [*targets]} if targets else {}), "tools": entries}
    return f"{visible_json(content, indent=2, sort_keys=True)}\n"


def read_lock(file: Path, update: str = _UPDATE) -> dict[str, Entry] | Problem:
    """Return the entries of a lockfile by tool name, or the problem that prevents reading it.

    Args:
        file: The lockfile.
        update: The command that hints suggest to write it.
    """
    content = _read_content(file, update)
    return content if isinstance(content, Problem) else content["tools"]


def pinned_targets(file: Path) -> tuple[str, ...]:
    """Return the targets that a lockfile was written for; empty if there are none, or if it cannot be read."""
    content = _read_content(file, _UPDATE)
    return () if isinstance(content, Problem) else tuple(content.get("targets", ()))


def _read_content(file: Path, update: str) -> dict[str, Any] | Problem:
    place, rewrite, remove = (
        Location(str(file)),
        f"`{update}` rewrites it",
        f"restore it, or delete it and run `{update}`",
    )
    try:
        text = bounded_bytes(file, most=_LARGEST).decode("utf-8")
    except FileNotFoundError:
        return Problem(NOT_FOUND, f"there is no '{file.name}'", hint=f"`{update}` writes it")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        return Problem(DEFINITION_DRIFT, f"'{file.name}' cannot be read: {reason}", place)
    except UnicodeDecodeError as error:
        return Problem(DEFINITION_DRIFT, f"'{file.name}' cannot be read: {error}", place, hint=remove)
    content, hint = json_data(text, str(file)), rewrite if MARK in text or not text.strip() else remove
    if isinstance(content, Problem):
        message = f"'{file.name}' cannot be read: {content.message}"
        return Problem(DEFINITION_DRIFT, message, content.location, hint=hint)
    tools = content.get("tools") if isinstance(content, dict) else None
    if not isinstance(tools, dict) or content.get(MARK) != _FORMAT or not _are_targets(content.get("targets", [])):
        return Problem(DEFINITION_DRIFT, f"'{file.name}' is not a lockfile of this version", place, hint=hint)
    odd = next((name for name, entry in tools.items() if not _is_entry(entry)), None)
    if odd is not None:  # ignoring it would let its tool change unnoticed
        message = f"'{file.name}' has an invalid entry for the tool '{odd}'"
        return Problem(DEFINITION_DRIFT, message, place, hint=rewrite)
    return {**content}


def _are_targets(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(target, str) for target in value)


def _is_entry(entry: Any) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("hints", {}), dict)


LOCK_FILE: Final = "toolkit.lock"

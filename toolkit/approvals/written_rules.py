"""Adds rules to policy files atomically, without losing what other processes write at the same time."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from toolkit.approvals.audit_log import exclusive
from toolkit.approvals.equality import same_data
from toolkit.approvals.policy_files import read_policy_file
from toolkit.approvals.policy_keys import PolicyFile
from toolkit.approvals.rules import GroupFit, Rule
from toolkit.documents.list_additions import with_item
from toolkit.documents.tables import Owner
from toolkit.errors import ConfigurationError
from toolkit.leftovers import temporary
from toolkit.problems import Location, Problem
from toolkit.regular_files import bounded_bytes
from toolkit.replacing import followed, write_file


def write_rule(
    file: Path, action: Literal["allow", "deny"], rule: Mapping[str, Any], owner: Owner, groups: Mapping[str, GroupFit]
) -> Location:
    """Add a rule after the last rule with the same action, and return its location. Comments and order are kept.

    Args:
        file: The policy file. It is created if it does not exist.
        action: The action of the rule.
        rule: The keys and values of the rule.
        owner: Whether the file belongs to the user, and should be readable only by them, or to a project.
        groups: The groups to which rules of the file can refer.

    Raises:
        ConfigurationError: If the file cannot be read or written, or would be invalid with the new rule.
    """
    try:
        real = followed(file)
        with exclusive(real):
            before = bounded_bytes(real).decode("utf-8") if real.exists() else ""
            after = with_item(before, action, rule)
            written = _check(real, after, owner, groups, action)
            if not same_data(written.written, rule):
                raise ConfigurationError(f"the rule cannot be written to '{file}' exactly")
            write_file(real, after.encode(), is_private=owner == "user")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigurationError(f"the rule cannot be written to '{file}': {reason}") from error
    return written.place._replace(file=str(file))


def _check(file: Path, text: str, owner: Owner, groups: Mapping[str, GroupFit], action: str) -> Rule:
    """Check the new content of a file, and return the last rule with the action.

    Raises:
        ConfigurationError: If the content is invalid; the error lists all problems.
    """
    problems: list[Problem] = []
    found = _read(
        file, text, lambda one: read_policy_file(one, owner, Path.cwd(), problems, name=str(file), groups=groups)
    )
    rules = [rule for rule in found.rules if rule.action == action] if found is not None else []
    if problems or not rules:
        raise ConfigurationError(problems=problems or [Problem("", f"'{file}' is not a policy file")])
    return rules[-1]


def _read(file: Path, text: str, read: Callable[[Path], PolicyFile | None]) -> PolicyFile | None:
    beside = file.with_name(f".{file.name}.{os.urandom(8).hex()}")
    with temporary(beside):
        try:
            beside.write_bytes(text.encode())
            return read(beside)
        finally:
            beside.unlink(missing_ok=True)

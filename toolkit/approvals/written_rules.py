"""Written rules: a rule is added to a policy file, in one go, without losing what others write to it."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from toolkit.approvals.audit_log import alone
from toolkit.approvals.policy_files import read_policy_file
from toolkit.approvals.policy_keys import PolicyFile
from toolkit.approvals.rules import GroupFit
from toolkit.documents.list_additions import with_item
from toolkit.documents.tables import Owner
from toolkit.errors import ConfigurationError
from toolkit.leftovers import temporary
from toolkit.problems import Location, Problem
from toolkit.replacing import put


def write_rule(
    file: Path, action: Literal["allow", "deny"], rule: Mapping[str, Any], owner: Owner, groups: Mapping[str, GroupFit]
) -> Location:
    """Add a rule at the end of those that do the same, and return where it stands; comments and order stay.

    Args:
        file: The policy file; without one, it is made, and only its owner reads it.
        action: What the rule does.
        rule: The rule, as it is written.
        owner: Whose file it is.
        groups: The groups that rules of the file may name.

    Raises:
        ConfigurationError: If the file cannot be read or written, or would be wrong with the rule in it.
    """
    real = Path(os.path.realpath(file))
    try:
        with alone(real):
            before = real.read_bytes().decode("utf-8") if real.exists() else ""
            after = with_item(before, action, rule)
            place = _check(real, after, owner, groups, action)
            put(real, after.encode(), is_private=owner == "user")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigurationError(f"the rule cannot be written to '{file}': {reason}") from error
    return place._replace(file=str(file))


def _check(file: Path, text: str, owner: Owner, groups: Mapping[str, GroupFit], action: str) -> Location:
    """Return where the last rule stands that does the same.

    Raises:
        ConfigurationError: With everything that is wrong.
    """
    problems: list[Problem] = []
    found = _read(
        file, text, lambda one: read_policy_file(one, owner, Path.cwd(), problems, name=str(file), groups=groups)
    )
    rules = [rule for rule in found.rules if rule.action == action] if found is not None else []
    if problems or not rules:
        raise ConfigurationError(problems=problems or [Problem("", f"'{file}' is not a policy file")])
    return rules[-1].place


def _read(file: Path, text: str, read: Callable[[Path], PolicyFile | None]) -> PolicyFile | None:
    beside = file.with_name(f".{file.name}.{os.urandom(8).hex()}")
    with temporary(beside):
        try:
            beside.write_bytes(text.encode())
            return read(beside)
        finally:
            beside.unlink(missing_ok=True)

"""Suggests rules that would decide exactly one call or calls like it, and adds them to policy files."""

import os
import re
from collections.abc import Callable, Mapping
from glob import escape
from math import isfinite
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple
from urllib.parse import urlsplit

from toolkit.approvals.audit_log import exclusive
from toolkit.approvals.file_policies import read_policy_file
from toolkit.approvals.policies import DescribedCall, Risk, server_of
from toolkit.approvals.policy_keys import PolicyFile
from toolkit.approvals.rules import GroupFit, Rule
from toolkit.approvals.value_fits import normal_host
from toolkit.documents.dumping import with_item
from toolkit.documents.keys import Owner
from toolkit.errors import ConfigurationError
from toolkit.json_texts import json_text
from toolkit.leftovers import temporary
from toolkit.problems import Location, Problem
from toolkit.redactors.redactor import MASK
from toolkit.regular_files import bounded_bytes
from toolkit.replacing import followed, write_file
from toolkit.schemas.validation import same_data

_STAND_IN = re.compile(r"<.+>", re.DOTALL)
"""Matches what is shown for a value without a text, such as `<Client>` or `<created for each call>`."""

_CLOSED: Final = frozenset({
    "$comment", "$defs", "$id", "$schema", "additionalProperties", "definitions", "description", "examples",
    "properties", "required", "title", "type",
})  # fmt: skip
"""The keywords of a schema of arguments that declares all arguments under `properties`."""


class ExactArguments(NamedTuple):
    """The arguments of a call, as far as a rule can match exactly their values.

    Attributes:
        values: The arguments, including those that were filled in.
        missing: The names of all other arguments that the call has, or that another call could have.
        may_be_more: Whether calls can also have arguments whose names are not known.
    """

    values: dict[str, Any]
    missing: tuple[str, ...]
    may_be_more: bool

    @property
    def are_all(self) -> bool:
        """Whether a call with these values is the same call."""
        return not self.missing and not self.may_be_more


def exact_arguments(call: DescribedCall) -> ExactArguments:
    """Return the arguments of a call that a rule can match exactly, and the names of those that it cannot."""
    definition = call.risk.definition or {}
    parameters: Mapping[str, Any] = definition.get("parameters") or {}
    properties: Mapping[str, Any] = parameters.get("properties") or {}
    later = call.unknown or ()
    whole = {**(call.arguments or {}), **call.whole_arguments}  # the given ones come first
    values = {name: value for name, value in whole.items() if name not in later and _can_be_matched(name, value)}
    missing = tuple(name for name in dict.fromkeys([*whole, *properties, *later]) if name not in values)
    is_known = call.arguments is not None and call.unknown is not None and "parameters" in definition
    return ExactArguments(values, missing, not is_known or not _is_closed(parameters))


def declared_type(name: str, call: DescribedCall) -> Any:
    """Return the type of an argument in the schema, or `None` if it does not say so directly."""
    parameters: Mapping[str, Any] = (call.risk.definition or {}).get("parameters", {})
    schema = parameters.get("properties", {}).get(name)
    return schema.get("type") if isinstance(schema, Mapping) else None


def _is_closed(parameters: Mapping[str, Any]) -> bool:
    return parameters.keys() <= _CLOSED and parameters.get("additionalProperties", False) is False


def _can_be_matched(name: str, value: Any) -> bool:
    return "." not in name and MASK not in json_text({name: value}, default=str) and _is_plain(value)


def _is_plain(value: Any) -> bool:
    """Return whether a value is the argument itself, rather than a text that several values share."""
    if isinstance(value, Mapping):
        return all(isinstance(name, str) and _is_plain(member) for name, member in value.items())
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    if isinstance(value, float):
        return isfinite(value)
    return _STAND_IN.fullmatch(value) is None if isinstance(value, str) else isinstance(value, int | None)


_SINGLE_TYPES = ("string", "integer", "number", "boolean")
_PATH_NAME = re.compile(r"(?:.*_)?(?:path|file|filename|filepath|folder|dir|directory)s?|directories")


def offered_rules(call: DescribedCall, action: Literal["allow", "deny"]) -> list[dict[str, Any]]:
    """Return rules that match a call, as they would be written, the narrowest first.

    They match exactly this call, calls with paths in the same folder or URLs of the same host, or all calls of the
    tool. A rule that allows exactly this call has all its arguments, including defaults, and is missing if one of them
    cannot be written, such as a secret. An allow rule also contains the source of the tool and who chose the call; the
    narrower ones apply only to the current definition of the tool. Rules never contain secrets.

    Args:
        call: The call, without arguments that must not be shown.
        action: The action of the rules.
    """
    given = {name: value for name, value in (call.arguments or {}).items() if MASK not in json_text(value, default=str)}
    near = {name: place for name, value in given.items() if (place := _nearby(name, value, call.base)) is not None}
    tool: dict[str, Any] = {"tool": _name_of(call.risk)}
    if action == "deny":
        alike = {name: _alike(name, value, call.base) for name, value in given.items()}
        rules = [tool | {"where": alike}, tool | {"where": near}, tool]
    else:
        about = tool | {"source": _source_of(call.risk)} | {"chosen_by": call.chosen_by}
        digest = {"digest": call.risk.digest}
        exact = exact_arguments(call)
        same = {name: _exactly(name, value, call) for name, value in exact.values.items()}
        narrowest = [about | {"where": same} | digest] if exact.are_all else []
        rules = [*narrowest, about | {"where": near} | digest if near else {}, about]
    distinct = [{key: value for key, value in rule.items() if value not in ({}, None)} for rule in rules]
    return [rule for index, rule in enumerate(distinct) if rule and rule not in distinct[:index]]


def _name_of(risk: Risk) -> str:
    """Return the name that a rule can use for a tool, with glob characters escaped."""
    return escape(risk.allowed_as[-1] if risk.allowed_as else risk.tool)


def _source_of(risk: Risk) -> str | None:
    """Return the source of a tool in a form that is valid in every working directory."""
    if risk.brought_by is not None:
        return escape(risk.brought_by)
    source = risk.source
    if source is None or server_of(source) is not None or not os.path.exists(source):
        return source
    return escape(os.path.realpath(source))


def _exactly(name: str, value: Any, call: DescribedCall) -> Any:
    """Return a matcher for a value; a path must also lead to the same place, whatever the working directory is.

    `equals` also matches a list of equal items, which only a parameter with another type excludes.
    """
    is_one = declared_type(name, call) in _SINGLE_TYPES
    paths = value if isinstance(value, list) else [value]
    if paths and all(_is_path(name, path) for path in paths):
        places = [_real(path, call.base) for path in paths]
        place = {"at": places if isinstance(value, list) else places[0]}
        return ({"equals": value} if is_one else {"schema": {"const": value}}) | place
    return value if is_one else {"schema": {"const": value}}


def _alike(name: str, value: Any, base: str | None) -> Any:
    """Return a matcher for a value, or for every spelling of a path, and what lies beneath it."""
    if _is_path(name, value):
        return {"inside": _real(value, base)}
    return {"equals": value} if isinstance(value, Mapping | list | tuple) else value


def _real(path: str, base: str | None) -> str:
    return os.path.realpath(os.path.join(base or "", path))


def _nearby(name: str, value: Any, base: str | None) -> Any:
    """Return a matcher for the folder of a path, or for the host of a URL; `None` for anything else."""
    if _is_path(name, value):
        return {"inside": os.path.dirname(_real(value, base))}
    if not isinstance(value, str) or "://" not in value:
        return None
    try:
        host = normal_host(urlsplit(value).hostname or "")
    except ValueError:
        return None
    return None if host is None else {"host": host}


def _is_path(name: str, value: Any) -> bool:
    return isinstance(value, str) and bool(value) and "\0" not in value and _PATH_NAME.fullmatch(name) is not None


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

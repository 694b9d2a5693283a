"""Suggests rules that would decide calls like a given one in the future."""

import os
import re
from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import urlsplit

from toolkit.approvals.exact_calls import declared_type, exact_arguments
from toolkit.approvals.host_fits import normal_host
from toolkit.approvals.policies import DescribedCall
from toolkit.approvals.risks import Risk, server_of
from toolkit.json_texts import json_text
from toolkit.redactors.redactor import MASK

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
    from glob import escape  # noqa: PLC0415 - few questions end with a new rule

    return escape(risk.allowed_as[-1] if risk.allowed_as else risk.tool)


def _source_of(risk: Risk) -> str | None:
    """Return the source of a tool in a form that is valid in every working directory."""
    from glob import escape  # noqa: PLC0415 - as above

    if risk.brought_by is not None:
        return escape(risk.brought_by)
    source = risk.source
    if source is None or server_of(source) is not None or not os.path.exists(source):  # noqa: PTH110 - text
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
    return os.path.realpath(os.path.join(base or "", path))  # noqa: PTH118 - text


def _nearby(name: str, value: Any, base: str | None) -> Any:
    """Return a matcher for the folder of a path, or for the host of a URL; `None` for anything else."""
    if _is_path(name, value):
        return {"inside": os.path.dirname(_real(value, base))}  # noqa: PTH120 - text
    if not isinstance(value, str) or "://" not in value:
        return None
    try:
        host = normal_host(urlsplit(value).hostname or "")
    except ValueError:
        return None
    return None if host is None else {"host": host}


def _is_path(name: str, value: Any) -> bool:
    return isinstance(value, str) and bool(value) and "\0" not in value and _PATH_NAME.fullmatch(name) is not None

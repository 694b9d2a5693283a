"""Rule offers: the rules that would decide a call like this one from now on, the narrowest first."""

import os
import re
from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import urlsplit

from toolkit.approvals.host_fits import normal_host
from toolkit.approvals.policies import DescribedCall
from toolkit.approvals.risks import Risk
from toolkit.json_texts import json_text
from toolkit.redactors.redactor import MASK

_PATH_NAME = re.compile(r"(?:.*_)?(?:path|file|folder|dir|directory)s?")
_REMOTE = "mcp://"


def offered_rules(call: DescribedCall, action: Literal["allow", "deny"]) -> list[dict[str, Any]]:
    """Return rules about a call as they would be written: about this very call, about the same place, about the tool.

    A rule that allows states where the tool comes from, and who has chosen the call; the narrowest one holds for the
    tool as it is defined now. Secrets are in no rule.

    Args:
        call: The call, with its arguments as far as they may be shown.
        action: What the rules do.
    """
    given = {name: value for name, value in (call.arguments or {}).items() if MASK not in json_text(value, default=str)}
    exact = {name: _exactly(name, value, call.base) for name, value in given.items()}
    near = {name: place for name, value in given.items() if (place := _nearby(name, value, call.base)) is not None}
    tool: dict[str, Any] = {"tool": _name_of(call.risk)}
    if action == "deny":
        rules = [tool | {"where": exact}, tool | {"where": near}, tool]
    else:
        about = tool | {"source": _source_of(call.risk)} | {"chosen_by": call.chosen_by}
        digest = {"digest": call.risk.digest}
        rules = [about | {"where": exact} | digest, about | {"where": near} | digest, about]
    distinct = [{key: value for key, value in rule.items() if value not in ({}, None)} for rule in rules]
    return [rule for index, rule in enumerate(distinct) if rule not in distinct[:index]]


def _name_of(risk: Risk) -> str:
    """Return the name by which a rule may be about a tool, with the signs of patterns in it made plain."""
    from glob import escape  # noqa: PLC0415 - few questions are answered for good

    return escape(risk.allowed_as[-1] if risk.allowed_as else risk.tool)


def _source_of(risk: Risk) -> str | None:
    """Return what states where a tool comes from, wherever its user works."""
    from glob import escape  # noqa: PLC0415 - as above

    if risk.brought_by is not None:
        return escape(risk.brought_by)
    source = risk.source
    if source is None or source.startswith(_REMOTE) or not os.path.exists(source):  # noqa: PTH110 - text
        return source
    return escape(os.path.realpath(source))


def _exactly(name: str, value: Any, base: str | None) -> Any:
    if _is_path(name, value):
        return {"inside": os.path.realpath(os.path.join(base or "", value))}  # noqa: PTH118 - text
    return {"equals": value} if isinstance(value, Mapping | list | tuple) else value


def _nearby(name: str, value: Any, base: str | None) -> Any:
    """Return what matches the folder of a path, or the host of an address; None for anything else."""
    if _is_path(name, value):
        return {"inside": os.path.dirname(os.path.realpath(os.path.join(base or "", value)))}  # noqa: PTH118, PTH120
    if not isinstance(value, str) or "://" not in value:
        return None
    try:
        host = normal_host(urlsplit(value).hostname or "")
    except ValueError:
        return None
    return None if host is None else {"host": host}


def _is_path(name: str, value: Any) -> bool:
    return isinstance(value, str) and bool(value) and "\0" not in value and _PATH_NAME.fullmatch(name) is not None

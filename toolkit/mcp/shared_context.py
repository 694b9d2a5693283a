"""Choose which context values a remote server receives with a call, in the request's `_meta`.

A context contains tenants, tokens and open connections for the tools of this process; a server is often operated by
someone else. So a converter chooses the values, and these still have to be JSON data with a name that is not reserved.
Trace ids are not secret, and only useful if everyone passes them on, so they are sent by default.
"""

import json
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeGuard

from toolkit.errors import ConfigurationError
from toolkit.problems import did_you_mean
from toolkit.tools.context import ToolContext

TRACE_KEYS = ("traceparent", "tracestate", "baggage")
"""The `_meta` keys of W3C trace context and baggage."""

_log = logging.getLogger("toolkit.mcp")

_LABEL = r"[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_KEY = re.compile(rf"(?P<prefix>{_LABEL}(?:\.{_LABEL})*/)?(?P<name>[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?)")
_OWNERS = {"modelcontextprotocol", "mcp"}

_PARENT = re.compile(r"(?!ff)(?P<version>[0-9a-f]{2})-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?")
_PARENT_LENGTH = 55
_STATE = re.compile(
    r"(?P<key>[a-z0-9][a-z0-9_*/-]{0,255}(?:@[a-z][a-z0-9_*/-]{0,13})?)=[ -+\--<>-~]{0,255}[!-+\--<>-~]"
)
_STATE_MEMBERS = 32
_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"  # noqa: S105 - a token of HTTP's grammar
_OCTETS = r"[!#-+\--:<-\[\]-~]*"
_BAGGAGE = re.compile(rf"{_TOKEN}[ \t]*=[ \t]*{_OCTETS}(?:[ \t]*;[ \t]*{_TOKEN}(?:[ \t]*=[ \t]*{_OCTETS})?)*")
_BAGGAGE_MEMBERS = 64
_TRACE_LENGTH = 8192


class MetaConverter(Protocol):
    """Chooses the context values that a server receives. A plain function with this signature is a converter."""

    def __call__(self, context: ToolContext) -> Mapping[str, Any]:
        """Return the values to send, by name."""


@dataclass(frozen=True, slots=True)
class AllowKeys:
    """Sends only the named values."""

    keys: frozenset[str]

    def __call__(self, context: ToolContext) -> Mapping[str, Any]:
        return {key: value for key, value in context.values.items() if key in self.keys}


@dataclass(frozen=True, slots=True)
class DenyKeys:
    """Sends all values except the named ones."""

    keys: frozenset[str] = frozenset()

    def __call__(self, context: ToolContext) -> Mapping[str, Any]:
        """Return the values whose names are not denied."""
        return {key: value for key, value in context.values.items() if key not in self.keys}


def pass_through() -> MetaConverter:
    """Return a converter that sends all context values. Use it for your own servers only."""
    return DenyKeys()


def nothing() -> MetaConverter:
    """Return a converter that sends no context values, which is the default."""
    return AllowKeys(frozenset())


def allow_keys(*keys: str) -> MetaConverter:
    """Return a converter that sends only the named context values.

    Raises:
        ConfigurationError: If a name is not valid in `_meta`, or reserved.
    """
    if faults := [fault for key in keys if (fault := _fault_of(key))]:
        raise ConfigurationError("; ".join(faults))
    return AllowKeys(frozenset(keys))


def deny_keys(*keys: str) -> MetaConverter:
    """Return a converter that sends all context values except the named ones, including secrets that are not named."""
    return DenyKeys(frozenset(keys))


def converter_from(setting: object) -> MetaConverter:
    """Return the converter for a setting.

    Args:
        setting: A list of names to send, `"all"`, `"none"` or `None`, or a table with a list of names as `allow` or
            `deny`.

    Raises:
        ConfigurationError: If the setting is none of these, or an allowed name is not valid in `_meta`, or reserved.
    """
    match setting:
        case None | "none":
            return nothing()
        case "all":
            return pass_through()
        case list() if all(isinstance(key, str) for key in setting):
            return allow_keys(*setting)
        case {"allow": list() as keys, **rest} if not rest and all(isinstance(key, str) for key in keys):
            return allow_keys(*keys)
        case {"deny": list() as keys, **rest} if not rest and all(isinstance(key, str) for key in keys):
            return deny_keys(*keys)
    raise ConfigurationError(_refused(setting))


def names_what_crosses(converter: MetaConverter) -> bool:
    """Return whether a converter sends only named values; a project's file is not allowed to configure any other."""
    return isinstance(converter, AllowKeys)


def names_that_cross(converter: MetaConverter) -> list[str]:
    """Return the sorted names of an `AllowKeys` converter; those of other converters are unknown."""
    return sorted(converter.keys) if isinstance(converter, AllowKeys) else []


def meta_for(context: ToolContext, converter: MetaConverter) -> dict[str, Any] | None:
    """Return the `_meta` of a request as a copy of the chosen values, or `None` if there are none.

    Values that JSON cannot express (objects, `SecretStr`, NaN) or whose names are reserved are left out, with a warning
    in the log. A malformed trace is left out silently, as its specification requires.

    Raises:
        TypeError: If the converter does not return a mapping.
    """
    chosen: object = converter(context)
    if not isinstance(chosen, Mapping):
        raise TypeError(f"a converter of context values must return a mapping, not {type(chosen).__name__}")
    passed_on = {key: value for key, value in chosen.items() if key not in TRACE_KEYS}
    meta = dict(pair for item in passed_on.items() if (pair := _as_json(*item)))
    return (meta | _trace_for(context, converter, chosen)) or None


def withholds_trace(converter: MetaConverter) -> bool:
    """Return whether a converter denies sending trace ids."""
    return isinstance(converter, DenyKeys) and "traceparent" in converter.keys


def trace_context_of(meta: Mapping[str, Any] | None) -> dict[str, str]:
    """Return the valid trace context in a `_meta` or in context values.

    Returns:
        The valid ones of `traceparent`, `tracestate` (only together with `traceparent`) and `baggage`.
    """
    known = meta or {}
    trace = {}
    if _is_parent(known.get("traceparent")):
        trace["traceparent"] = known["traceparent"]
        if _is_state(known.get("tracestate")):
            trace["tracestate"] = known["tracestate"]
    if _is_baggage(known.get("baggage")):
        trace["baggage"] = known["baggage"]
    return trace


def _trace_for(context: ToolContext, converter: MetaConverter, chosen: Mapping[str, Any]) -> dict[str, str]:
    """Return the trace context to send: the converter's, otherwise the context's, without denied keys.

    Baggage contains values of the caller, so it is only sent if the converter returns it.
    """
    denied = converter.keys if isinstance(converter, DenyKeys) else frozenset()
    of_context = {key: context.get(key) for key in ("traceparent", "tracestate") if key not in denied}
    if "traceparent" in chosen:
        of_context.pop("tracestate", None)
    return trace_context_of(of_context | {key: chosen[key] for key in TRACE_KEYS if key in chosen})


def _as_json(key: object, value: Any) -> tuple[str, Any] | None:
    if fault := _fault_of(key):
        _log.warning("not sent to the server: %s", fault)
        return None
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False)
        text.encode()
        return str(key), json.loads(text)
    except (TypeError, ValueError, RecursionError):
        _log.warning("not sent to the server: the context's value %r cannot be written as JSON", key)
        return None


def _fault_of(key: object) -> str | None:
    found = _KEY.fullmatch(key) if isinstance(key, str) else None
    if found is None:
        shown = ascii(key) if isinstance(key, str) else f"of type {type(key).__name__}"
        return f"a name {shown} is not valid in _meta: use letters, digits, '_', '-' and '.', with a prefix before '/'"
    if found["name"] == "progressToken" or _OWNERS & set(re.split(r"[./]", found["prefix"] or "")):
        return f"the protocol reserves the name {key!r} for itself"
    return None


def _is_parent(value: object) -> bool:
    found = _PARENT.fullmatch(value) if _is_short(value) else None
    return found is not None and (found["version"] != "00" or len(found[0]) == _PARENT_LENGTH)


def _is_state(value: object) -> bool:
    if not _is_short(value):
        return False
    members = [member for part in value.split(",") if (member := part.strip(" \t"))]
    keys = {found["key"] for member in members if (found := _STATE.fullmatch(member))}
    return 0 < len(members) <= _STATE_MEMBERS and len(keys) == len(members)


def _is_baggage(value: object) -> bool:
    if not _is_short(value):
        return False
    members = [part.strip(" \t") for part in value.split(",")]
    return len(members) <= _BAGGAGE_MEMBERS and all(_BAGGAGE.fullmatch(member) for member in members)


def _is_short(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and len(value) <= _TRACE_LENGTH and value.isascii()


def _refused(setting: object) -> str:
    wanted = "it is a list of names, 'all', 'none', or a table with either allow or deny, a list of names"
    if isinstance(setting, str):
        return f"meta cannot be {setting!r}; {did_you_mean(setting, ('all', 'none'), otherwise=wanted)}"
    strange = [str(key) for key in setting if key not in ("allow", "deny")] if isinstance(setting, Mapping) else []
    if strange:
        return f"meta has no key {strange[0]!r}; {did_you_mean(strange[0], ('allow', 'deny'), otherwise=wanted)}"
    return f"meta cannot be this {type(setting).__name__}; {wanted}"

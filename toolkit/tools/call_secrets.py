"""Registers the secrets of a call with the redactor of its context, before anything about the call is recorded."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from toolkit.redactors.environment import environment_redactor, redactor_of_environment
from toolkit.redactors.redactor import Redactor
from toolkit.redactors.secret_objects import secrets_within, texts_within
from toolkit.tools.secret_arguments import Veil, members_of

if TYPE_CHECKING:
    from toolkit.tools.callees import Callee
    from toolkit.tools.context import ToolContext


_BY_NAME = Veil({})


def with_redactor(tool: "Callee", arguments: str | Mapping[str, Any], context: "ToolContext") -> "ToolContext":
    """Return the context of a call with a redactor that knows the secrets of tool, arguments and context."""
    redactor = redactor_of(context)
    if context.redactor is None:
        context = context.replace(redactor=redactor)
    learn_arguments(redactor, tool, arguments)
    redactor.learn(*tool.own_secrets)
    if context.values:
        redactor.learn(*_secrets_of_values(context.values))
    return context


def redactor_of(context: "ToolContext") -> Redactor:
    """Return the redactor of a context, or a new one that knows the secrets in the environment."""
    return context.redactor or Redactor(outer=redactor_of_environment())


def reading_redactor(context: "ToolContext") -> Redactor:
    """Return a redactor with the secrets of a context, for redacting texts only; do not register secrets with it."""
    return context.redactor or environment_redactor()


def learn_parsed(context: "ToolContext", parsed: Any) -> None:
    """Register the secrets that only the parsed arguments of a call contain, such as defaults."""
    if context.redactor is not None:
        context.redactor.learn(*secrets_within(parsed))


def learn_arguments(redactor: Redactor, tool: "Callee", arguments: str | Mapping[str, Any]) -> None:
    """Register the secrets among the arguments of a tool, recognised by schema, name and type."""
    data = members_of(arguments) if isinstance(arguments, str) else arguments
    if not data:
        return
    if not isinstance(arguments, str):
        redactor.learn(*secrets_within(dict(arguments)))
    try:
        redactor.learn(*texts_within(tool.veil.hidden_in(data)))
        if redactor.names:
            redactor.learn(*_texts_under(data, redactor.names))
    except RecursionError:  # the call will fail for the same reason without showing anything
        return


def _secrets_of_values(values: Mapping[str, Any]) -> list[str]:
    """Return the secrets among the values of a context, without inspecting objects that are not plain data."""
    plain = {name: value for name, value in values.items() if _is_plain(value) or hasattr(value, "get_secret_value")}
    return [*secrets_within(plain), *texts_within(_BY_NAME.hidden_in(plain))]


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | dict | list | tuple | MappingProxyType)


def _texts_under(data: Any, names: frozenset[str]) -> list[str]:
    """Return the texts of members with certain names, at any depth."""
    if isinstance(data, list):
        return [text for one in data for text in _texts_under(one, names)]
    if not isinstance(data, Mapping):
        return []
    found: list[str] = []
    for name, value in data.items():
        is_named = isinstance(name, str) and name.lower() in names
        found += texts_within(value) if is_named else _texts_under(value, names)
    return found

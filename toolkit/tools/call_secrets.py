"""Secrets of a call: the redactor that its context carries learns them before anything is written about the call."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from toolkit.redactors.environment import redactor_of_environment
from toolkit.redactors.redactor import Redactor
from toolkit.redactors.secret_objects import secrets_within, texts_within
from toolkit.tools.hiding import members_of, secrets_among, secrets_of_schema

if TYPE_CHECKING:
    from toolkit.tools.base import Tool
    from toolkit.tools.context import ToolContext
    from toolkit.tools.spec import ToolSpec


def redacting(tool: "Tool", arguments: str | Mapping[str, Any], context: "ToolContext") -> "ToolContext":
    """Return the context of a call with a redactor that knows the secrets of all of them."""
    redactor = redactor_of(context)
    if context.redactor is None:
        context = context.replace(redactor=redactor)
    learn_arguments(redactor, tool, arguments)
    redactor.learn(*tool.own_secrets)
    if context.values:
        redactor.learn(*_secrets_of_values(context.values))
    return context


def redacted_spec(spec: "ToolSpec", redactor: Redactor) -> "ToolSpec":
    """Return a specification as a model is sent it: without the secrets that stand in it."""
    redactor.learn(*secrets_of_schema(spec.parameters))
    told = redactor.data([spec.description, spec.parameters, spec.output_schema, list(spec.examples)])
    description, parameters, output_schema, examples = told
    return replace(
        spec, description=description, parameters=parameters, output_schema=output_schema, examples=tuple(examples)
    )


def redactor_of(context: "ToolContext") -> Redactor:
    """Return the redactor of a context; of one that has none a new one, which knows the environment."""
    return context.redactor or Redactor(outer=redactor_of_environment())


def learn_parsed(context: "ToolContext", parsed: Any) -> None:
    """Let the redactor of a call know the secrets that only its parsed arguments have, such as defaults."""
    if context.redactor is not None:
        context.redactor.learn(*secrets_within(parsed))


def learn_arguments(redactor: Redactor, tool: "Tool", arguments: str | Mapping[str, Any]) -> None:
    """Let a redactor know the secrets among the arguments of a tool: by their places, their names and their types."""
    data = members_of(arguments) if isinstance(arguments, str) else arguments
    if not data:
        return
    if not isinstance(arguments, str):
        redactor.learn(*secrets_within(dict(arguments)))
    try:
        redactor.learn(*texts_within(secrets_among(data, tool.spec.parameters)))
        if redactor.names:
            redactor.learn(*_named(data, redactor.names))
    except RecursionError:  # the call will fail for it, and show nothing
        return


def _secrets_of_values(values: Mapping[str, Any]) -> list[str]:
    """Return the secrets among the values of a context, without a look into the objects that it carries."""
    plain = {name: value for name, value in values.items() if _is_plain(value) or hasattr(value, "get_secret_value")}
    return [*secrets_within(plain), *texts_within(secrets_among(plain, {}))]


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | dict | list | tuple | MappingProxyType)


def _named(data: Any, names: frozenset[str]) -> list[str]:
    """Return the texts that stand under some names, at any depth."""
    if isinstance(data, list):
        return [text for one in data for text in _named(one, names)]
    if not isinstance(data, Mapping):
        return []
    found: list[str] = []
    for name, value in data.items():
        is_named = isinstance(name, str) and name.lower() in names
        found += texts_within(value) if is_named else _named(value, names)
    return found

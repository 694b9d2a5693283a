"""The environment: which of its variables hold secrets, by their names and by what they hold."""

import os
from collections.abc import Iterable, Iterator
from functools import lru_cache

from toolkit.redactors.redactor import Redactor
from toolkit.redactors.secret_names import names_secret_variable
from toolkit.redactors.token_formats import token_spans

_Variables = tuple[tuple[str | bytes, str | bytes], ...]


def redactor_of_environment(*more: str) -> Redactor:
    """Return a redactor that knows the secrets of the environment as it is now, and more values."""
    return Redactor(*more, outer=_redactor_of(_variables()))


def environment_redactor() -> Redactor:
    """Return the redactor of the environment as it is now, to read with: everybody has the same one."""
    return _redactor_of(_variables())


def learn_names(redactor: Redactor, names: Iterable[str]) -> None:
    """Let a redactor take what stands under these names, in the environment or among arguments, for secrets."""
    redactor.names |= {name.lower() for name in names}
    redactor.learn(*(value for name, value in os.environ.items() if name.lower() in redactor.names))


def _variables() -> _Variables:
    """Return the environment as Python holds it: its mapping decodes every name and value whenever it is read."""
    return tuple(getattr(os.environ, "_data", os.environ).items())


@lru_cache(maxsize=1)
def _redactor_of(variables: _Variables) -> Redactor:
    """Return the redactor of an environment; nobody teaches it more, so that one serves as long as nothing changes."""
    return Redactor(*_secrets(variables))


def _secrets(variables: _Variables) -> Iterator[str]:
    for name, value in (map(os.fsdecode, variable) for variable in variables):
        if names_secret_variable(name) and not _is_path(value):
            yield value
        for start, end in token_spans(value):
            yield value[start:end]
            if value[:start].endswith("://"):  # user and password: the password alone is a secret too
                yield value[start:end].partition(":")[2]


def _is_path(value: str) -> bool:
    """Return whether a value is a file or folder that is there: its name is not a secret."""
    return value.startswith(("/", "~", ".")) and os.path.exists(value)  # noqa: PTH110 - of any text

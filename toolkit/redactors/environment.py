"""Finds the environment variables that hold secrets, by their names and by their values."""

import os
from collections.abc import Iterable, Iterator
from functools import lru_cache

from toolkit.redactors.redactor import Redactor
from toolkit.redactors.secret_names import names_secret_variable, token_spans

_Variables = tuple[tuple[str | bytes, str | bytes], ...]


def redactor_of_environment(*more: str) -> Redactor:
    """Return a redactor that knows the secrets in the current environment, and any more values."""
    return Redactor(*more, outer=_redactor_of(_variables()))


def environment_redactor() -> Redactor:
    """Return the redactor of the current environment. It is shared: do not teach it more values."""
    return _redactor_of(_variables())


def learn_names(redactor: Redactor, names: Iterable[str]) -> None:
    """Teach a redactor that these names hold secrets, and the values that the environment has for them."""
    redactor.names |= {name.lower() for name in names}
    redactor.learn(*(value for name, value in os.environ.items() if name.lower() in redactor.names))


def _variables() -> _Variables:
    """Return the environment as Python stores it, since `os.environ` decodes every name and value on each read."""
    return tuple(getattr(os.environ, "_data", os.environ).items())


@lru_cache(maxsize=1)
def _redactor_of(variables: _Variables) -> Redactor:
    """Return the redactor of an environment, cached until the environment changes."""
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
    """Return whether a value is the path of an existing file or folder, which is not a secret."""
    return value.startswith(("/", "~", ".")) and os.path.exists(value)  # noqa: PTH110 - `Path` rejects some strings

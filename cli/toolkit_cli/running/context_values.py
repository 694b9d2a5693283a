"""Parses options for context values, the memory id, models and durations."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from toolkit.amounts import parse_duration
from toolkit.problems import Problem
from toolkit_cli.arguments.assignments import read_assignment, with_file_read
from toolkit_cli.failures import ExitCode, Failure

if TYPE_CHECKING:
    from toolkit.sources.configuration import Configuration
    from toolkit_cli.shared_options import ContextOptions


def with_values(configuration: "Configuration", given: "ContextOptions") -> "Configuration":
    """Return a configuration with the values of `--context` added; they override configured ones.

    Raises:
        Failure: If a value is not an assignment, or is invalid.
    """
    return configuration._replace(context={**configuration.context, **read_values(given.context or ())})


def answered_by(configuration: "Configuration", model: str | None, base_url: str | None) -> "Configuration":
    """Return a configuration with the model options for agents applied."""
    return configuration._replace(chosen_model=model, model_url=base_url or configuration.model_url)


def read_values(words: Sequence[str]) -> dict[str, Any]:
    """Parse the values of `--context`.

    Raises:
        Failure: If a value is not an assignment, or is invalid.
    """
    values: dict[str, Any] = {}
    for word in words:
        assignment = read_assignment(word, ())
        if assignment is None:
            raise Failure(
                ExitCode.USAGE, f"--context: '{word}' is not an assignment", hint="write --context name=value"
            )
        read = with_file_read(assignment)
        if isinstance(read, Problem):
            raise Failure(ExitCode.USAGE, problems=[read])
        try:
            values[read.name] = json.loads(read.text) if read.form == "json" else read.text
        except ValueError as error:
            raise Failure(ExitCode.USAGE, f"--context: '{read.name}' is not JSON: {error}") from error
    return values


def checked_memory_id(memory_id: str | None) -> str | None:
    """Return the id from `--memory-id`; a blank one, such as from an unset variable, would be shared by everybody.

    Raises:
        Failure: If it is blank.
    """
    if memory_id is not None and not memory_id.strip():
        raise Failure(ExitCode.USAGE, "--memory-id: the id is empty", hint="write --memory-id ID")
    return memory_id


def seconds_of(option: str, text: str) -> float:
    """Return a duration in seconds.

    Raises:
        Failure: If the text is not a duration.
    """
    seconds = parse_duration(text)
    if not seconds:
        raise Failure(ExitCode.USAGE, f"{option}: '{text}' is not a duration", hint="write 500ms, 30s or 5m")
    return seconds

"""Settings of the project that wait for their user's consent are reported, and nothing is opened for it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from toolkit.problems import Problem
from toolkit.sources.configuration import Configuration


def waiting_for_consent(targets: Sequence[str], configuration: Configuration) -> list[Problem]:
    """Return a remark (`TK011`) for each setting that waits, where the whole project is looked at.

    Args:
        targets: What was named; nothing means the whole project.
        configuration: The settings of the project.
    """
    if not (configuration.builtin or configuration.env) or not means_all(targets, configuration.directory):
        return []
    from toolkit.sources.setting_consents import consents_for, waiting_accesses  # noqa: PLC0415 - few projects have any

    consents = consents_for(configuration)
    waiting = [access.refusal for access in waiting_accesses(configuration) if not consents.is_given(access)]
    return [replace(problem, severity="info") for problem in waiting]


def means_all(targets: Sequence[str], project: Path) -> bool:
    """Return whether what was named is the whole project."""
    return not targets or any(project.resolve().is_relative_to(Path(target).resolve()) for target in targets)

"""Reports settings of the project that wait for the user's consent, without opening anything."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from toolkit.problems import Problem
from toolkit.settings.configuration import Configuration


def waiting_for_consent(targets: Sequence[str], configuration: Configuration) -> list[Problem]:
    """Return an info (`TK011`) for each setting that waits for consent, if the whole project is checked.

    Args:
        targets: The targets of the check; empty means the whole project.
        configuration: The settings of the project.
    """
    if not (configuration.builtin or configuration.env) or not means_all(targets, configuration.directory):
        return []
    from toolkit.settings.setting_consents import consents_for, waiting_accesses  # few projects have any

    consents = consents_for(configuration)
    waiting = [access.refusal for access in waiting_accesses(configuration) if not consents.is_given(access)]
    return [replace(problem, severity="info") for problem in waiting]


def means_all(targets: Sequence[str], project: Path) -> bool:
    """Return whether the targets include the whole project."""
    return not targets or any(project.resolve().is_relative_to(Path(target).resolve()) for target in targets)

"""Finds the rules that would answer a question permanently, and writes one to a policy file."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from toolkit.approvals.file_policies import FilePolicy
from toolkit.approvals.policies import DescribedCall
from toolkit.approvals.policy_keys import read_policy_table
from toolkit.approvals.rule_offers import offered_rules, write_rule
from toolkit.documents.dumping import as_yaml_line
from toolkit.documents.keys import Origin, Spot
from toolkit.errors import ConfigurationError, raise_errors
from toolkit.problems import Problem
from toolkit.settings.configuration import Configuration
from toolkit.settings.policy_settings import group_fits
from toolkit.sources.project_policies import Provenance, configured_policy

if TYPE_CHECKING:
    from toolkit_cli.reviewing.console_reviewer import Action


class Offer(NamedTuple):
    """A rule that the user can add.

    Attributes:
        action: What the rule does.
        rule: The rule, as plain data.
        line: The line to write to the policy file.
    """

    action: "Action"
    rule: dict[str, Any]
    line: str


class WrittenRule(NamedTuple):
    """A rule that was added: its location, and the configuration and the policy with it."""

    place: str
    configuration: Configuration
    policy: FilePolicy


def offers_for(
    call: DescribedCall, action: "Action", configuration: Configuration, targets: Sequence[str]
) -> list[Offer]:
    """Return rules that would decide a call like this one, narrowest first."""
    known = call._replace(risk=Provenance(configuration, targets).identified(call.risk))
    rules = offered_rules(known, action)
    return [
        Offer(action, one, f"- {as_yaml_line(one)}")
        for one in rules
        if _decides(one, action, call, configuration, targets)
    ]


def _decides(
    rule: dict[str, Any], action: "Action", call: DescribedCall, configuration: Configuration, targets: Sequence[str]
) -> bool:
    """Return whether a rule in the user's file would decide a call; a rule that asks takes precedence over it."""
    problems: list[Problem] = []
    origin = Origin(Path.cwd(), lambda _: None, problems, "user")
    own = read_policy_table({action: [rule]}, Spot((), origin), "", {}).for_all_projects()
    files = configured_policy(configuration, targets)[0].files
    policy = FilePolicy([*files, own], Provenance(configuration, targets).identified)
    return not problems and policy.judge(call).action == action


def write_offer(
    offer: Offer, file: Path, owner: Literal["user", "project"], configuration: Configuration, targets: Sequence[str]
) -> WrittenRule:
    """Add a rule to a policy file of the user or the project.

    Raises:
        ConfigurationError: If the file cannot be written, or the resulting policy is invalid.
    """
    groups = group_fits(configuration.groups, configuration.directory)
    place = write_rule(file, offer.action, offer.rule, owner, groups)
    if owner == "user":
        configuration = configuration._replace(own_policy=file)
    elif file not in configuration.policy_files:
        configuration = configuration._replace(policy_files=(file, *configuration.policy_files))
    policy, problems = configured_policy(configuration, targets)
    raise_errors(ConfigurationError, problems)
    return WrittenRule(f"{place.file}:{place.line}", configuration, policy)

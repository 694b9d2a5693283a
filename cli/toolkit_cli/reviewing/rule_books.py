"""Adds rules to policy files when the user answers a question permanently."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from toolkit.approvals.policies import DescribedCall, flow_question
from toolkit.documents.keys import Origin, Spot
from toolkit.errors import ConfigurationError, raise_errors
from toolkit.problems import Problem
from toolkit.settings.configuration import POLICY_FILE, Configuration
from toolkit.settings.configuration_search import own_policy_file

if TYPE_CHECKING:
    from toolkit.approvals.file_policies import FilePolicy

Action = Literal["allow", "deny"]


class Offer(NamedTuple):
    """A rule that the user can add.

    Attributes:
        action: What the rule does.
        rule: The rule, as plain data.
        line: The line to write to the policy file.
    """

    action: Action
    rule: dict[str, Any]
    line: str


class RuleBook:
    """The policy files of a run, to which rules can be added.

    Attributes:
        listener: Called with the new policy after a rule was added.
    """

    def __init__(self, configuration: Configuration, targets: Sequence[str]) -> None:
        """Create a rule book, without reading any files.

        Args:
            configuration: The configuration, with the policy files.
            targets: The targets on the command line.
        """
        self._configuration = configuration
        self._targets = tuple(targets)
        self.listener: Callable[[FilePolicy], object] = lambda _: None

    @property
    def own_file(self) -> Path:
        """The user's own policy file, which may not exist."""
        return self._configuration.own_policy or own_policy_file(os.environ)

    @property
    def project_file(self) -> Path:
        """The project's policy file: the nearest one, or a new one next to its configuration."""
        files = self._configuration.policy_files
        return files[0] if files else Path.cwd() / self._configuration.directory / POLICY_FILE

    def has_offers(self, call: DescribedCall, action: Action) -> bool:
        """Return whether rules would decide a call like this one; without policy files, no rule has to be read."""
        is_certain = not self._configuration.has_policy and _is_plain(call) and flow_question(call) is None
        return is_certain or bool(self.offers(call, action))

    def offers(self, call: DescribedCall, action: Action) -> list[Offer]:
        """Return rules that would decide a call like this one, narrowest first."""
        from toolkit.approvals.rule_offers import offered_rules
        from toolkit.documents.dumping import as_yaml_line  # it loads YAML
        from toolkit.sources.project_policies import Provenance

        known = call._replace(risk=Provenance(self._configuration, self._targets).identified(call.risk))
        rules = offered_rules(known, action)
        return [Offer(action, one, f"- {as_yaml_line(one)}") for one in rules if self._decides(one, action, call)]

    def write(self, offer: Offer, file: Path) -> str:
        """Add a rule to a policy file, put it into effect, and return its location.

        Raises:
            ConfigurationError: If the file cannot be written, or the resulting policy is invalid.
        """
        from toolkit.approvals.rule_offers import write_rule  # only an answer needs it
        from toolkit.settings.policy_settings import group_fits
        from toolkit.sources.project_policies import configured_policy

        configuration = self._configuration
        owner: Literal["user", "project"] = "user" if file == self.own_file else "project"
        groups = group_fits(configuration.groups, configuration.directory)
        place = write_rule(file, offer.action, offer.rule, owner, groups)
        if owner == "user":
            configuration = configuration._replace(own_policy=file)
        elif file not in configuration.policy_files:
            configuration = configuration._replace(policy_files=(file, *configuration.policy_files))
        policy, problems = configured_policy(configuration, self._targets)
        raise_errors(ConfigurationError, problems)
        self._configuration = configuration
        self.listener(policy)
        return f"{place.file}:{place.line}"

    def _decides(self, rule: dict[str, Any], action: Action, call: DescribedCall) -> bool:
        """Return whether a rule in the user's file would decide a call; a rule that asks takes precedence over it."""
        from toolkit.approvals.file_policies import FilePolicy
        from toolkit.approvals.policy_keys import read_policy_table
        from toolkit.sources.project_policies import Provenance, configured_policy

        problems: list[Problem] = []
        origin = Origin(Path.cwd(), lambda _: None, problems, "user")
        own = read_policy_table({action: [rule]}, Spot((), origin), "", {}).for_all_projects()
        files = configured_policy(self._configuration, self._targets)[0].files
        policy = FilePolicy([*files, own], Provenance(self._configuration, self._targets).identified)
        return not problems and policy.judge(call).action == action


def _is_plain(call: DescribedCall) -> bool:
    """Return whether a call is one of a tool in a Python file that is as it was, which a rule can always name."""
    risk = call.risk
    return call.kind == "call" and not risk.has_changed and (risk.source or "").endswith(".py")

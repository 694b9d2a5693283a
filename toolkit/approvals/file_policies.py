"""Policy files: rules in YAML, and the judgement of calls by all files together."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from toolkit.approvals.policies import (
    NO_QUESTION,
    ByRisk,
    DescribedCall,
    Fit,
    Risk,
    Verdict,
    after_coming_calls,
    any_fits,
    describe_readings,
    flow_question,
)
from toolkit.approvals.policy_keys import ACTIONS, PolicyFile, read_policy_table
from toolkit.approvals.rules import GroupFit, Rule, with_declared_flows
from toolkit.codes import BAD_CONFIGURATION
from toolkit.documents.document_reader import read_document
from toolkit.documents.keys import Origin, Owner, Spot
from toolkit.documents.nodes import Mapping as MappingNode, place_of, plain
from toolkit.errors import ConfigurationError, raise_errors
from toolkit.problems import Location, Problem, errors_among

_STRICTNESS = ("allow", "ask", "deny")


class FilePolicy:
    """Judges calls by policy files, and by risk where no rule matches."""

    def __init__(self, files: Sequence[PolicyFile], identify: Callable[[Risk], Risk] = lambda risk: risk) -> None:
        """Create the policy.

        Args:
            files: The content of each file, the user's own files first. The first of these that sets a default counts.
            identify: Adds to a risk the project file that provides the tool, and the names by which a rule can allow
                the tool. By default, every tool counts as chosen by the user, as in a program.
        """
        self.files = tuple(files)
        self._identify = identify
        self._by_risk = ByRisk()
        self._flows = tuple(flow for file in self.files for flow in file.flows)
        self._own_flows = tuple(flow for flow in self._flows if flow.owner == "user")
        own = [file for file in self.files if file.owner == "user"]
        self._own = FilePolicy(own, identify) if len(own) < len(self.files) else None
        self.needs_arguments = any(rule.where or rule.after for rule in self.rules)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules of all files, in the order in which they are tried."""
        return tuple(rule for action in ACTIONS for file in self.files for rule in file.rules if rule.action == action)

    def judge(self, call: DescribedCall) -> Verdict:
        """Return the verdict of the first rule that matches a call, or else the strictest default.

        The verdict is never less strict than that of the user's own files alone.
        """
        verdict = self._judge(call)
        return verdict if self._own is None else _stricter(verdict, self._own.judge(call))

    def _judge(self, call: DescribedCall) -> Verdict:
        verdict, may_be_allowed = Verdict("deny"), False
        for fit, verdict in self._candidates(call):
            if fit != "later" or verdict.action == "ask":  # a possible question counts as a certain one
                break
            may_be_allowed |= verdict.action == "allow"
        return verdict._replace(may_be_allowed=True) if may_be_allowed and verdict.action != "allow" else verdict

    def outlook(self, call: DescribedCall) -> tuple[Verdict, ...]:
        """Return every possible verdict on a call whose arguments are not all known yet."""
        found = self._outlook(call)
        if self._own is None:
            return found
        pairs = (_stricter(one, other) for one in found for other in self._own.outlook(call))
        either = {verdict.action: verdict for verdict in pairs}
        return tuple(either[action] for action in ACTIONS if action in either)

    def _outlook(self, call: DescribedCall) -> tuple[Verdict, ...]:
        verdicts = [verdict for _, verdict in self._candidates(call)]
        found = {verdict.action: verdict for verdict in reversed(verdicts)}
        if any(verdict.may_be_allowed for verdict in verdicts):
            for verdict in self._possible_defaults(call):
                found.setdefault(verdict.action, verdict)
        question = flow_question(with_declared_flows(after_coming_calls(call), self._flows))
        if question is not None and "allow" in found:
            found.setdefault("ask", question)
        return tuple(found[action] for action in ACTIONS if action in found)

    def _candidates(self, call: DescribedCall) -> Iterator[tuple[Fit, Verdict]]:
        """Yield the possible verdicts on a call in order, up to a certain one, then the default after coming calls."""
        if call.kind == "setting":
            yield "yes", self._by_risk.judge(call)
            return
        call = self._identified(call)
        own = with_declared_flows(call, self._own_flows)  # a project's declaration must not make an allow rule match
        call = with_declared_flows(call, self._flows)
        for rule in self._ask_in_order():
            fit = _fit_of_allowing(rule, own) if rule.action == "allow" else rule.fit(call)
            if not (rule.applies(fit) or fit == "later"):
                continue
            verdict = self._decide_by(rule, call, own)
            yield fit, verdict
            if rule.applies(fit):
                return
            if rule.action == "ask":  # if it is in doubt whether the value matches, a stricter default holds
                yield fit, self._or_default(verdict, call)
        yield "yes", self._explained(self._by_default(call), call)
        if call.coming:
            yield "later", self._by_default(after_coming_calls(call))

    def _ask_in_order(self) -> Iterator[Rule]:
        return (rule for rule in self.rules if rule.action != "allow" or rule.owner == "user")

    def _identified(self, call: DescribedCall) -> DescribedCall:
        """Return the call after `identify` for its tool and, if there are declared flows, for the other tools."""
        call = call._replace(risk=self._identify(call.risk))
        if not self._flows:
            return call
        earlier, coming = (tuple(map(self._identify, tools)) for tools in (call.earlier, call.coming))
        return call._replace(earlier=earlier, coming=coming)

    def _decide_by(self, rule: Rule, call: DescribedCall, own: DescribedCall) -> Verdict:
        ground, question = rule.ground, flow_question(call)
        if rule.action != "allow":
            verdict = Verdict(rule.action, _grounds(rule, call), ground, exact=bool(rule.after) or question is not None)
            return verdict if rule.excepts(own) in {"yes", "later"} else self._or_default(verdict, call)
        if question is not None and not rule.after:
            return question
        if self._by_risk.judge(call) is NO_QUESTION:
            return Verdict("allow", ground=ground)  # it would not need approval anyway, so no reason is shown
        return Verdict("allow", str(ground), ground)

    def _or_default(self, verdict: Verdict, call: DescribedCall) -> Verdict:
        """Return the stricter of a rule's verdict and the default."""
        return _stricter(verdict, self._explained(self._by_default(call), call))

    def _explained(self, verdict: Verdict, call: DescribedCall) -> Verdict:
        """Add to a verdict why the tool was not allowed: its definition has changed, or a rule lacks its source."""
        if verdict.action == "ask" and call.risk.has_changed:
            how = "; ".join(call.risk.changes)
            return verdict._replace(because=f"{verdict.because}; its definition has changed since it was locked: {how}")
        if verdict.action == "allow" or call.risk.brought_by is None:
            return verdict
        exceptions = ("allow",) if verdict.action == "ask" else ("ask", "allow")
        rules = (rule for rule in self._ask_in_order() if rule.action in exceptions and not rule.reaches(call.risk))
        named = next((rule for rule in rules if rule.fit(call) == "yes"), None)
        if named is None:
            return verdict
        where = ":".join(map(str, named.place[:2]))
        remark = f"the {named.action} rule at {where} does not name the source '{call.risk.brought_by}'"
        return verdict._replace(because=f"{verdict.because}; {remark}")

    def _by_default(self, call: DescribedCall) -> Verdict:
        """Return the strictest default, without those of projects that certainly exempt the call."""
        return _strictest(self._defaults(call))

    def _possible_defaults(self, call: DescribedCall) -> list[Verdict]:
        """Return the defaults that may apply, depending on which projects turn out to exempt the call."""
        found = list(self._defaults(call))
        certain = _strictest(one for one in found if not one.may_be_allowed)
        return [certain, *(one for one in found if one.may_be_allowed and _stricter(certain, one) is one)]

    def _defaults(self, call: DescribedCall) -> Iterator[Verdict]:
        """Yield the user's default, or the verdict by risk, then those of projects that do not exempt the call."""
        own = next((file for file in self.files if file.owner == "user" and call.chosen_by in file.defaults), None)
        yield self._default_of(own, call) if own is not None else self._by_risk.judge(call)
        for file in self.files:
            excepted = _fit_of_exceptions(file, call)
            if file.owner == "user" or call.chosen_by not in file.defaults or excepted == "yes":
                continue
            verdict = self._default_of(file, call)
            is_open = excepted == "later" and verdict is not NO_QUESTION
            yield verdict._replace(may_be_allowed=True) if is_open else verdict

    def _default_of(self, file: PolicyFile, call: DescribedCall) -> Verdict:
        default = file.defaults[call.chosen_by]
        by_risk = self._by_risk.judge(call)
        if default == "by_risk" or (default == "allow" and (by_risk.exact or call.risk.has_changed)):
            return by_risk
        ground = file.default_ground()
        if default == "allow" and by_risk is NO_QUESTION:
            return Verdict("allow", ground=ground)
        return Verdict(default, str(ground), ground)


def _fit_of_allowing(rule: Rule, call: DescribedCall) -> Fit:
    return "no" if call.risk.has_changed else rule.excepts(call)


def _stricter(one: Verdict, other: Verdict) -> Verdict:
    """Return the stricter of two verdicts, or the first if they are equally strict."""
    return max(one, other, key=lambda verdict: (_STRICTNESS.index(verdict.action), verdict.exact))


def _strictest(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the strictest of at least one verdict, the first of those that are equally strict."""
    return max(verdicts, key=lambda verdict: _STRICTNESS.index(verdict.action))


def _grounds(rule: Rule, call: DescribedCall) -> str:
    """Return the reason for a rule's verdict, with what the run has read if the rule depends on it."""
    read = describe_readings(call.earlier) if rule.after else ""
    return f"{rule.ground} (the run has read {read})" if read else str(rule.ground)


def _fit_of_exceptions(file: PolicyFile, call: DescribedCall) -> Fit:
    """Return whether an allow rule of a project's file matches a call."""
    return any_fits(rule.fit(call) for rule in file.rules if rule.action == "allow")


def load_policy(*files: str | Path) -> FilePolicy:
    """Load policy files as one policy, for `ToolContext(policy=…)` and `Gate(policy=…)`.

    The files are trusted because the caller chose them, so their rules can also allow calls. Relative paths in them
    start from the working directory.

    Raises:
        ConfigurationError: If a file cannot be read or is invalid; the error lists all problems of all files.
    """
    problems: list[Problem] = []
    found = [read_policy_file(Path(file), "user", Path.cwd(), problems) for file in files]
    raise_errors(ConfigurationError, problems)
    return FilePolicy([file for file in found if file is not None])


def read_policy_file(
    file: Path,
    owner: Owner,
    folder: Path,
    problems: list[Problem],
    *,
    name: str | None = None,
    groups: Mapping[str, GroupFit] = MappingProxyType({}),
) -> PolicyFile | None:
    """Read a policy file, or return `None` if it cannot be read.

    If there are problems, no call may run: a policy that cannot be read denies everything.

    Args:
        file: The path of the file.
        owner: Whether the file belongs to the user or to a project.
        folder: The folder that relative paths in the file start from.
        problems: Receives the problems of the file.
        name: The name of the file in problems; by default, its path.
        groups: The groups of the configuration, to which rules can refer.
    """
    called = str(file) if name is None else name
    root, broken = read_document(file, name=called)
    problems += [replace(problem, code=BAD_CONFIGURATION) for problem in broken]
    if not isinstance(root, MappingNode):
        if not errors_among(broken):
            hint = "write deny, ask and allow, each with a list of rules"
            problems.append(Problem(BAD_CONFIGURATION, "a policy file is a mapping", Location(called), hint=hint))
        return None
    origin = Origin(folder, lambda path: place_of(root, path) or root.location, problems, owner, assigns=": ")
    return read_policy_table(plain(root), Spot((), origin), called, groups)

"""Judges calls by all policy files together.

Deny rules are tried first, then ask rules, then allow rules, and then the defaults. A project's file can only make
verdicts stricter: its allow rules make exceptions only from its own default. If the default denies, an ask rule is an
exception too, so it can then apply only to the same tools as an allow rule.
"""

from collections.abc import Callable, Iterator, Sequence

from toolkit.approvals.declared_flows import with_declared_flows
from toolkit.approvals.fits import Fit, any_fits
from toolkit.approvals.flows import describe_readings
from toolkit.approvals.policies import NO_QUESTION, ByRisk, DescribedCall, Verdict, after_coming_calls, flow_question
from toolkit.approvals.policy_keys import ACTIONS, PolicyFile
from toolkit.approvals.risks import Risk
from toolkit.approvals.rules import Rule

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
            excepted = self._by_risk.judge(call)
            found.setdefault(excepted.action, excepted)
        question = flow_question(with_declared_flows(after_coming_calls(call), self._flows))
        if question is not None and "allow" in found:
            found.setdefault("ask", question)
        return tuple(found[action] for action in ACTIONS if action in found)

    def _candidates(self, call: DescribedCall) -> Iterator[tuple[Fit, Verdict]]:
        """Yield the possible verdicts on a call in order, up to the first that is certain."""
        if call.kind == "setting":
            yield "yes", self._by_risk.judge(call)
            return
        call = self._identified(call)
        own = with_declared_flows(call, self._own_flows)  # a project's declaration must not make an allow rule match
        call = with_declared_flows(call, self._flows)
        for rule in self._ask_in_order():
            fit = _fit_of_allowing(rule, own) if rule.action == "allow" else rule.fit(call)
            if rule.applies(fit) or fit == "later":
                yield fit, self._decide_by(rule, call, own)
            if rule.applies(fit):
                return
        yield "yes", self._explained(self._by_default(call), call)

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
            if rule.excepts(own) in {"yes", "later"}:
                return verdict
            return _stricter(verdict, self._explained(self._by_default(call), call))
        if question is not None and not rule.after:
            return question
        if self._by_risk.judge(call) is NO_QUESTION:
            return Verdict("allow", ground=ground)  # it would not need approval anyway, so no reason is shown
        return Verdict("allow", str(ground), ground)

    def _explained(self, verdict: Verdict, call: DescribedCall) -> Verdict:
        """Add to a verdict why the tool was not allowed: its definition has changed, or a rule lacks its source."""
        if verdict.action == "ask" and call.risk.has_changed:
            return verdict._replace(because=f"{verdict.because}; its definition has changed since it was locked")
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
        own = next((file for file in self.files if file.owner == "user" and call.chosen_by in file.defaults), None)
        strictest = self._default_of(own, call) if own is not None else self._by_risk.judge(call)
        for file in self.files:
            excepted = _fit_of_exceptions(file, call)
            if file.owner == "user" or call.chosen_by not in file.defaults or excepted == "yes":
                continue
            verdict = self._default_of(file, call)
            if excepted == "later" and verdict is not NO_QUESTION:
                verdict = verdict._replace(may_be_allowed=True)
            if _STRICTNESS.index(verdict.action) > _STRICTNESS.index(strictest.action):
                strictest = verdict
        return strictest

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


def _grounds(rule: Rule, call: DescribedCall) -> str:
    """Return the reason for a rule's verdict, with what the run has read if the rule depends on it."""
    read = describe_readings(call.earlier) if rule.after else ""
    return f"{rule.ground} (the run has read {read})" if read else str(rule.ground)


def _fit_of_exceptions(file: PolicyFile, call: DescribedCall) -> Fit:
    """Return whether an allow rule of a project's file matches a call."""
    return any_fits(rule.fit(call) for rule in file.rules if rule.action == "allow")

"""What the access token of a request allows: the tools that its scopes cover, which no other tool is listed beside."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken

from toolkit.approvals.audit_log import Audit
from toolkit.approvals.policies import ByRisk, DescribedCall, Policy, Risk, Verdict, possible_verdicts
from toolkit.mcp.serving.calls import Rules
from toolkit.tools.base import Tool
from toolkit.tools.definition.spec import risk_of

Covers = Callable[[Risk], bool]
"""Returns whether a scope covers a tool."""


class OwnToken(AccessToken):
    """The bearer token that the server was started with, which allows every tool."""


class Scopes(NamedTuple):
    """The tools that scopes allow.

    Attributes:
        covers: For each scope, which tools it covers, in the order of the configuration; empty if every token allows
            all tools.
    """

    covers: Mapping[str, Covers] = MappingProxyType({})

    def allow(self, token: AccessToken | None, risk: Risk) -> bool:
        """Return whether a token allows a tool; without any token, such as over stdio, every tool is allowed."""
        if token is None or isinstance(token, OwnToken) or not self.covers:
            return True
        return any(covers(risk) for scope, covers in self.covers.items() if scope in token.scopes)

    def needed(self, token: AccessToken, risk: Risk) -> Sequence[str]:
        """Return the scopes that a token for a tool needs: those that it has, and the first that covers the tool."""
        more = next((scope for scope, covers in self.covers.items() if covers(risk)), None)
        return [*(scope for scope in token.scopes if scope in self.covers), *([more] if more else [])]


def token_of(request: Any) -> AccessToken | None:
    """Return the access token of an HTTP request, or `None` if there is none."""
    user = request.scope.get("user") if request is not None else None
    return user.access_token if isinstance(user, AuthenticatedUser) else None


def rules_for(token: AccessToken | None, rules: Rules, scopes: Scopes, served: Collection[str]) -> Rules:
    """Return the rules for the calls of a request.

    Args:
        token: Its access token, if any.
        rules: The rules for all calls.
        scopes: The tools that scopes allow.
        served: The names of all tools that clients can call. Those that only a served agent calls need no scope.
    """
    if token is None:
        return rules
    audit = None if rules.audit is None else _CallersAudit(rules.audit, token)
    if not scopes.covers or isinstance(token, OwnToken):
        return replace(rules, audit=audit)
    policy = _ScopedPolicy(rules.policy or ByRisk(), scopes, token, served)
    return replace(rules, policy=policy, audit=audit)


def risk_in(tools: Mapping[str, Tool], name: object) -> Risk | None:
    """Return the risk of the tool with a name, or `None`."""
    tool = tools.get(name) if isinstance(name, str) else None
    return None if tool is None else risk_of(tool.spec)


class _ScopedPolicy:
    """Denies the tools that an access token does not allow; the policy of the server judges the others."""

    def __init__(self, inner: Policy, scopes: Scopes, token: AccessToken, served: Collection[str]) -> None:
        self._inner = inner
        self._scopes = scopes
        self._token = token
        self._served = served
        self.needs_arguments = inner.needs_arguments

    def judge(self, call: DescribedCall) -> Verdict:
        return self._denial(call) or self._inner.judge(call)

    def outlook(self, call: DescribedCall) -> tuple[Verdict, ...]:
        """Return every possible verdict on a call whose arguments are not all known."""
        denial = self._denial(call)
        return possible_verdicts(self._inner, call) if denial is None else (denial,)

    def _denial(self, call: DescribedCall) -> Verdict | None:
        is_chosen = call.kind == "call" and call.chosen_by == "model" and call.risk.tool in self._served
        if not is_chosen or self._scopes.allow(self._token, call.risk):
            return None
        return Verdict("deny", denial_of_token(self._scopes.needed(self._token, call.risk)))


class _CallersAudit:
    """Records who called with every decision; the token itself is not recorded."""

    def __init__(self, inner: Audit, token: AccessToken) -> None:
        self._inner = inner
        self._caller = _caller_of(token)

    def append(self, record: Mapping[str, Any]) -> None:
        self._inner.append({**record, "caller": self._caller})


def record_refusal(audit: Audit | None, token: AccessToken, risk: Risk, needed: Sequence[str]) -> None:
    """Record that a call was refused before it reached the server, because of the scopes that it needs."""
    if audit is not None:
        record = {"event": "decision", "tool": risk.tool, "source": risk.source, "chosen_by": "model"}
        _CallersAudit(audit, token).append(record | {"decision": "deny", "by": denial_of_token(needed)})


def denial_of_token(needed: Sequence[str]) -> str:
    """Return who denies a call, for messages and records."""
    return f"the access token, which would need the scope '{' '.join(needed)}'"


def _caller_of(token: AccessToken) -> dict[str, str | None]:
    if isinstance(token, OwnToken):
        return {"subject": None, "client": "the server's bearer token", "issuer": None}
    return {"subject": token.subject, "client": token.client_id, "issuer": (token.claims or {}).get("iss")}

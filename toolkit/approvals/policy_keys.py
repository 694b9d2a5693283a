"""Defines the keys of policy files, one row each, and parses a file's table to a `PolicyFile`.

A new key needs a row here, and a field of `Rule` or `Choice`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Final, NamedTuple, cast, get_args

from toolkit.approvals.matchers import Matcher, matchers_schema, read_matcher, texts_or_text
from toolkit.approvals.policies import AFTER_WORDS, FLOWS, Chooser, DescribedCall, Ground, Risk
from toolkit.approvals.rules import Action, Choice, DeclaredFlow, Default, GroupFit, Mark, Rule, covered_by
from toolkit.codes import BAD_CONFIGURATION
from toolkit.documents.keys import (
    FLAG,
    VERSION,
    Key,
    Kind,
    Schema,
    Spot,
    list_of_tables,
    one_of,
    one_or_more,
    read_table,
    schema_of,
    table,
    text,
)
from toolkit.json_texts import json_text
from toolkit.problems import Location, Problem, did_you_mean

ACTIONS: Final[tuple[Action, ...]] = get_args(Action)
"""The actions of rules, in the order in which rules are tried."""

_DEFAULTS: Final = get_args(Default)
_MARKS: Final = get_args(Mark)
_CHOOSERS: Final = get_args(Chooser)
_SELECTORS: Final = ("tool", "source", "framework", "group", "risk", "flow")
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_NOWHERE: Final = Location("")


class PolicyFile(NamedTuple):
    """The content of one policy file.

    Attributes:
        name: The name of the file for messages.
        owner: Whether the file belongs to the user or to a project.
        rules: The rules in the order in which they are tried: those that deny, ask and allow.
        flows: The data flows that the file declares for tools.
        defaults: What happens to a call that no rule matches, by who chose it; empty if not set.
        place: The location of the default in the file.
    """

    name: str
    owner: str
    rules: tuple[Rule, ...] = ()
    flows: tuple[DeclaredFlow, ...] = ()
    defaults: Mapping[Chooser, Default] = {}
    place: Location = _NOWHERE

    def for_all_projects(self) -> "PolicyFile":
        """Return the same policy as a file of the user that applies in every project."""
        return self._replace(rules=tuple(replace(rule, is_for_all_projects=True) for rule in self.rules))

    def default_ground(self) -> Ground:
        """Return the reason to show when the file's default decides."""
        return Ground("default", self.place)


def read_policy_table(written: Mapping[str, Any], spot: Spot, name: str, groups: Mapping[str, GroupFit]) -> PolicyFile:
    """Parse the table of a policy file, and report every problem in it.

    Args:
        written: The table as it is written.
        spot: The location of the table, where problems are reported.
        name: The name of the file for messages.
        groups: The groups of the configuration, to which rules can refer.
    """
    found = read_table(written, TOP, spot)
    place = spot.origin.place([*spot.path, "default"]) or Location(name)
    rules = [
        rule
        for action in ACTIONS
        for index, table in enumerate(found.get(action, ()))
        if (rule := _read_rule(action, table, spot.below(action, str(index)), groups)) is not None
    ]
    for rule, earlier in _shadowed(rules):
        message = f"this {rule.action} rule never decides: the {earlier.action} rule on line {earlier.place.line} does"
        hint = "remove one of the two, or make the first one narrower"
        spot.origin.problems.append(Problem(BAD_CONFIGURATION, message, rule.place, hint=hint))
    flows = [
        flow
        for index, table in enumerate(found.get("flows", ()))
        if (flow := _read_flow(table, spot.below("flows", str(index)))) is not None
    ]
    return PolicyFile(
        name, spot.origin.owner, rules=tuple(rules), flows=tuple(flows), defaults=found.get("default", {}), place=place
    )


def _shadowed(rules: Sequence[Rule]) -> Iterable[tuple[Rule, Rule]]:
    for index, rule in enumerate(rules):
        earlier = next((one for one in rules[:index] if covered_by(rule, one)), None)
        if earlier is not None:
            yield rule, earlier


def _read_rule(action: Action, written: Mapping[str, Any], spot: Spot, groups: Mapping[str, GroupFit]) -> Rule | None:
    found = read_table(written, RULE, spot)
    if not any(name in written for name in _SELECTORS):
        spot.report(
            f"this {action} rule does not say which tools it applies to", "write tool: NAME, or tool: '*' for all"
        )
        return None
    named = _groups_named(found.get("group", ()), spot, groups, is_single=isinstance(written.get("group"), str))
    if len(found) < len(written) or named is None:
        return None
    rule = Rule(
        action,
        Choice(
            found.get("tool", ()),
            found.get("source", ()),
            groups=named,
            marks=frozenset(found.get("risk", ())),
            frameworks=found.get("framework", ()),
            flows=frozenset(found.get("flow", ())),
        ),
        spot.origin.place(spot.path) or _NOWHERE,
        chosen_by=found.get("chosen_by"),
        after=frozenset(found.get("after", ())),
        where=found.get("where", {}),
        because=found.get("because", ""),
        expires=found.get("expires"),
        ci=found.get("ci"),
        owner=spot.origin.owner,
        folder=str(spot.origin.folder),
        written=written,
        digest=found.get("digest"),
    )
    _check_reach(rule, spot)
    _check_examples(rule, found, spot)
    return rule


def _read_flow(written: Mapping[str, Any], spot: Spot) -> DeclaredFlow | None:
    found = read_table(written, FLOW, spot)
    if len(found) < len(written) or not {"tool", "flow"} <= found.keys():
        return None
    choice = Choice(found["tool"], found.get("source", ()))
    return DeclaredFlow(choice, frozenset(found["flow"]), spot.origin.owner, str(spot.origin.folder))


def _groups_named(
    names: Sequence[str], spot: Spot, groups: Mapping[str, GroupFit], *, is_single: bool
) -> Mapping[str, GroupFit] | None:
    unknown = [index for index, name in enumerate(names) if name not in groups]
    for index in unknown:
        otherwise = f"the groups are {', '.join(groups)}" if groups else "no group is configured"
        here = spot.below("group") if is_single else spot.below("group", str(index))
        here.report(f"unknown group '{names[index]}'", did_you_mean(names[index], groups, otherwise=otherwise))
    return None if unknown else {name: groups[name] for name in names}


def _check_reach(rule: Rule, spot: Spot) -> None:
    """Report an allow rule whose reach the project decides, and a digest in a rule that must not miss changed tools."""
    if rule.action != "allow" and rule.digest is not None:
        spot.below("digest").report(f"{rule.action} rules cannot have a digest: a changed tool would escape them")
    chosen = {*rule.choice.tools, *rule.choice.sources} - {"*"}
    if rule.action == "allow" and rule.owner == "user" and rule.choice.groups and not chosen:
        hint = "name the tools or their source too"
        spot.below("group").report(
            "the project decides which tools belong to a group, so a group alone cannot allow tools", hint
        )


def _check_examples(rule: Rule, found: Mapping[str, Any], spot: Spot) -> None:
    """Run the tests of a rule: arguments that it must match, and arguments that it must not match."""
    for key, expected, words in (("match", True, "does not match"), ("no_match", False, "matches")):
        for index, arguments in enumerate(found.get(key, ())):
            fit = rule.fit_of_arguments(DescribedCall(Risk(""), arguments=arguments, base=rule.folder))
            if rule.applies(fit) != expected:
                shown = json_text(arguments, default=str)
                here = spot.below(key, str(index))
                here.report(f"this {rule.action} rule {words} {shown}, its own test", "change the rule, or its test")


def _matchers(written: Mapping[str, Any], spot: Spot) -> Mapping[str, Matcher] | None:
    found = {name: read_matcher(condition, spot.below(name)) for name, condition in written.items()}
    return None if None in found.values() else cast("Mapping[str, Matcher]", found)


def _default(written: Any, spot: Spot) -> Mapping[Chooser, Default] | None:
    if isinstance(written, str):
        return dict.fromkeys(_CHOOSERS, cast("Default", written))
    return read_table(written, DEFAULTS, spot) or None  # type: ignore[return-value]  # its keys are the choosers


# ------------------------------------------------------------------------------------------------- kinds


def _words(words: Sequence[str], *, least: int = 1) -> Kind:
    return one_or_more(one_of(*words), "word or words", example=words[0], least=least)


def _read_default(written: Any, spot: Spot) -> Any:
    return written if isinstance(written, Mapping) else _DEFAULT_WORD.read(written, spot)


def _read_day(written: Any, _: Spot) -> date | None:
    if isinstance(written, date):
        return written
    try:
        return date.fromisoformat(written) if isinstance(written, str) else None
    except ValueError:
        return None


def _default_schema() -> Schema:
    return {"anyOf": [{"enum": [*_DEFAULTS]}, schema_of(DEFAULTS)]}


def _where_schema() -> Schema:
    return {"type": "object", "additionalProperties": matchers_schema()}


def _flows_schema() -> Schema:
    return {"type": "array", "items": schema_of(FLOW)}


def _rules_schema() -> Schema:
    return {"type": "array", "items": schema_of(RULE, anyOf=[{"required": [name]} for name in _SELECTORS])}


_TABLES_SCHEMA: Final[Schema] = {"type": "array", "items": {"type": "object"}}
_EXAMPLES: Final = Kind("list of tables", "a list of arguments, each a table", list_of_tables, "", _TABLES_SCHEMA)
_RULES: Final = Kind("list of tables", "a list of rules, each a table", list_of_tables, "", _rules_schema)
_FLOWS: Final = Kind("list of tables", "a list of tables", list_of_tables, "", _flows_schema)
_NAMES: Final = texts_or_text("a name or pattern", "'file_*'")
_TEXT: Final = text(example="'why'")
_HASH: Final = text(
    "the 64 hexadecimal digits that `toolkit policy check --format json` shows",
    {"type": "string", "pattern": f"^{_DIGEST.pattern}$"},
    test=lambda written: _DIGEST.fullmatch(written) is not None,
)
_DAY: Final = Kind("day", "a day such as 2027-01-31", _read_day, "2027-01-31", {"type": "string", "format": "date"})
_WHERE: Final = Kind("table", "a table of arguments", table, "", _where_schema)
_DEFAULT_WORD: Final = one_of(*_DEFAULTS)

# ------------------------------------------------------------------------------------------------- the tables

DEFAULTS: Final = (
    Key("person", _DEFAULT_WORD, "calls that a person makes or writes as a step", "by_risk"),
    Key("model", _DEFAULT_WORD, "calls that a model chooses, including models behind an MCP client", "by_risk"),
)
RULE: Final = (
    Key("tool", _NAMES, "the names of tools; a tool of a server is also `server.tool`"),
    Key("source", _NAMES, "where the tools come from: `builtin`, `mcp://server`, or a file"),
    Key("framework", _NAMES, "the frameworks of the tools, such as `langchain`"),
    Key("group", _NAMES, "groups of the configuration to which the tools belong"),
    Key("risk", _words(_MARKS), "marks, of which the tools have at least one"),
    Key("flow", _words(FLOWS), "what the tools do with data, at least one of these"),
    Key("chosen_by", one_of(*_CHOOSERS), "who chose the call; by default, either"),
    Key("after", _words(AFTER_WORDS), "what the run has read before: `untrusted` content, `private` data, or `both`"),
    Key("where", _WHERE, "conditions on arguments, by name; `a.b` is the member b of the argument a", take=_matchers),
    Key("digest", _HASH, "the digest of the tool's definition, for allow rules; another definition needs approval"),
    Key("because", _TEXT, "the reason, shown in questions and refusals"),
    Key("expires", _DAY, "the last day on which the rule applies"),
    Key("ci", FLAG, "true: only in CI; false: only elsewhere; by default, everywhere"),
    Key("match", _EXAMPLES, "arguments that the rule must match, as tests"),
    Key("no_match", _EXAMPLES, "arguments that the rule must not match, as tests"),
)
FLOW: Final = (
    Key("tool", _NAMES, "the names of tools; a tool of a server is also `server.tool`", required=True),
    Key("source", _NAMES, "where the tools come from: `builtin`, `mcp://server`, or a file"),
    Key("flow", _words(FLOWS, least=0), "what the tools do with data; an empty list for nothing", required=True),
)
TOP: Final = (
    Key("toolkit", VERSION, "the version of the format; optional"),
    Key(
        "default",
        Kind("word or table", _DEFAULT_WORD.words, _read_default, "", _default_schema, advice=_DEFAULT_WORD.advice),
        "what happens to calls that no rule matches: `by_risk`, `ask`, `deny` or `allow`, or a table by chooser",
        "by_risk",
        take=_default,
    ),
    Key("flows", _FLOWS, "what tools do with data; a project's file can only add data flows, not remove them"),
    Key("deny", _RULES, "calls that never run"),
    Key("ask", _RULES, "calls that need approval"),
    Key("allow", _RULES, "calls that run without a question; in a project's file, exceptions to its own default"),
)


def policy_schema() -> Schema:
    """Return the JSON Schema of a policy file."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "toolkit.policy.yaml",
        "description": "Which calls run, which need approval, and which are denied.",
        **schema_of(TOP),
    }


def settings_policy_schema() -> Schema:
    """Return the JSON Schema of a policy as a table of the configuration."""
    return schema_of(tuple(key for key in TOP if key.name != "toolkit"))

"""The table of rules: every code, and the class that finds or documents it.

A rule is imported when it is asked for. An installed package adds its own through the entry point group
`toolkit.rules`: each entry point has a code for its name, and leads to a class made from `Rule`.
"""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from toolkit.errors import ConfigurationError
from toolkit.lint.rule import Rule, RuleSettings
from toolkit.problems import Problem

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "toolkit.rules"
BAD_CONFIGURATION = "TK005"

CERTAIN = ("TK00", "TK011", "TK012", "TK601")
"""The beginnings of the codes that are looked for whatever is selected: where they stand, nothing could be checked."""

OFF = frozenset({"TK105", "TK207", "TK617"})
"""The codes of this table whose rules are off by default, so that nobody has to import a rule to know that it is not wanted."""

NEEDS_IMPORT = frozenset({"TK002", "TK010", "TK307", "TK309", "TK322", "TK514"})
"""Rules that find little or nothing in Python that is only read: they need an import."""

FOUND_ELSEWHERE = ("opening.", "building.", "planning.", "agent_files.")
"""The folders of rules that check nothing themselves: they are the documentation of what is found on the way."""

TABLE: Mapping[str, str] = {
    "TK001": "opening.not_found:NotFound",
    "TK002": "opening.does_not_import:DoesNotImport",
    "TK003": "opening.not_a_tool:NotATool",
    "TK004": "opening.no_tools:NoTools",
    "TK005": "opening.bad_configuration:BadConfiguration",
    "TK006": "opening.hidden_module:HiddenModule",
    "TK007": "opening.permission_not_granted:PermissionNotGranted",
    "TK008": "opening.incomplete_group:IncompleteGroup",
    "TK010": "unused_suppression:UnusedSuppression",
    "TK011": "opening.consent_missing:ConsentMissing",
    "TK012": "opening.server_unreachable:ServerUnreachable",
    "TK101": "invalid_tool_name:InvalidToolName",
    "TK102": "long_tool_name:LongToolName",
    "TK103": "duplicate_tool_name:DuplicateToolName",
    "TK104": "reserved_name:ReservedName",
    "TK105": "inconsistent_naming:InconsistentNaming",
    "TK106": "vague_tool_name:VagueToolName",
    "TK107": "invalid_parameter_name:InvalidParameterName",
    "TK201": "missing_description:MissingDescription",
    "TK202": "short_description:ShortDescription",
    "TK203": "long_description:LongDescription",
    "TK204": "missing_parameter_description:MissingParameterDescription",
    "TK205": "docstring_parameter_mismatch:DocstringParameterMismatch",
    "TK206": "ambiguous_siblings:AmbiguousSiblings",
    "TK207": "no_return_description:NoReturnDescription",
    "TK208": "placeholder_text:PlaceholderText",
    "TK209": "non_portable_text:NonPortableText",
    "TK301": "untyped_parameter:UntypedParameter",
    "TK302": "root_not_object:RootNotObject",
    "TK303": "required_unknown:RequiredUnknown",
    "TK304": "unsupported_keyword:UnsupportedKeyword",
    "TK305": "strict_optional:StrictOptional",
    "TK306": "strict_budget:StrictBudget",
    "TK307": "recursive_schema:RecursiveSchema",
    "TK308": "too_many_parameters:TooManyParameters",
    "TK309": "deep_nesting:DeepNesting",
    "TK310": "huge_enum:HugeEnum",
    "TK311": "bool_trap:BoolTrap",
    "TK312": "magic_string:MagicString",
    "TK313": "default_mismatch:DefaultMismatch",
    "TK314": "bad_example:BadExample",
    "TK315": "boolean_subschema:BooleanSubschema",
    "TK316": "nested_pattern:NestedPattern",
    "TK317": "open_object:OpenObject",
    "TK318": "token_cost:TokenCost",
    "TK319": "too_many_tools:TooManyTools",
    "TK320": "x_mcp_header:XMcpHeader",
    "TK321": "unfit_parameter:UnfitParameter",
    "TK322": "building.unreadable_annotation:UnreadableAnnotation",
    "TK323": "bad_option:BadOption",
    "TK401": "unused_parameter:UnusedParameter",
    "TK402": "unserialisable_return:UnserialisableReturn",
    "TK403": "missing_return_type:MissingReturnType",
    "TK404": "blocking_in_async:BlockingInAsync",
    "TK405": "unawaited:Unawaited",
    "TK406": "side_effect_on_import:SideEffectOnImport",
    "TK407": "prints_to_stdout:PrintsToStdout",
    "TK408": "swallowed_error:SwallowedError",
    "TK409": "global_state:GlobalState",
    "TK410": "no_timeout:NoTimeout",
    "TK501": "hidden_unicode:HiddenUnicode",
    "TK502": "instruction_in_description:InstructionInDescription",
    "TK503": "sensitive_reference:SensitiveReference",
    "TK504": "exfil_shape:ExfilShape",
    "TK505": "cross_tool_shadowing:CrossToolShadowing",
    "TK506": "destructive_without_approval:DestructiveWithoutApproval",
    "TK507": "contradictory_hints:ContradictoryHints",
    "TK508": "missing_annotations:MissingAnnotations",
    "TK509": "unrestricted_path:UnrestrictedPath",
    "TK510": "unrestricted_url:UnrestrictedUrl",
    "TK511": "shell_string:ShellString",
    "TK512": "secret_in_definition:SecretInDefinition",
    "TK513": "lethal_trifecta:LethalTrifecta",
    "TK514": "definition_drift:DefinitionDrift",
    "TK601": "planning.broken_document:BrokenDocument",
    "TK602": "planning.unknown_key:UnknownKey",
    "TK603": "planning.duplicate_key:DuplicateKey",
    "TK604": "planning.unknown_tool:UnknownTool",
    "TK605": "planning.unknown_reference:UnknownReference",
    "TK606": "planning.bad_expression:BadExpression",
    "TK607": "planning.type_mismatch:TypeMismatch",
    "TK608": "planning.missing_argument:MissingArgument",
    "TK609": "planning.unknown_argument:UnknownArgument",
    "TK610": "planning.ambiguous_pipe:AmbiguousPipe",
    "TK611": "planning.unreachable_step:UnreachableStep",
    "TK612": "planning.unused_input:UnusedInput",
    "TK613": "optional_result_read:OptionalResultRead",
    "TK614": "planning.destructive_step_without_approve:DestructiveStepWithoutApprove",
    "TK615": "retry_non_idempotent:RetryNonIdempotent",
    "TK617": "step_no_timeout:StepNoTimeout",
    "TK618": "planning.yaml_1_1_trap:Yaml11Trap",
    "TK619": "untrusted_into_shell:UntrustedIntoShell",
    "TK620": "secret_in_yaml:SecretInYaml",
    "TK621": "planning.concurrent_question:ConcurrentQuestion",
    "TK622": "planning.circle_of_pipelines:CircleOfPipelines",
    "TK631": "agent_files.unknown_state:UnknownState",
    "TK632": "agent_files.unreachable_state:UnreachableState",
    "TK633": "agent_files.closed_for_ever:ClosedForEver",
    "TK634": "agent_files.in_no_state:InNoState",
}


def codes() -> tuple[str, ...]:
    """Return the codes of all rules, those of installed packages too, in order."""
    return tuple(sorted({*TABLE, *_installed()}))


def rule_of(code: str) -> type[Rule]:
    """Return the rule that has a code.

    Raises:
        KeyError: If none has.
    """
    if code in TABLE:
        return _load(code)
    return _installed()[code]


def is_default(code: str) -> bool:
    """Whether a rule is looked for where nobody has asked for it by its code or its name."""
    return code not in OFF if code in TABLE else rule_of(code).default


def has_checks(code: str) -> bool:
    """Whether a rule looks at anything itself, and not only documents what reading, building or planning finds."""
    return not TABLE.get(code, "").startswith(FOUND_ELSEWHERE)


def make_rules(codes: Iterable[str], settings: RuleSettings) -> list[Rule]:
    """Return the rules of these codes that check something, and matter to the providers that are asked for."""
    kinds = map(rule_of, sorted(filter(has_checks, codes)))
    return [kind(settings) for kind in kinds if not kind.providers or set(kind.providers) & set(settings.providers)]


def all_rules() -> Iterator[type[Rule]]:
    """Yield every rule in the order of the codes."""
    return map(rule_of, codes())


@cache
def _load(code: str) -> type[Rule]:
    module, _, name = TABLE[code].partition(":")
    rule: type[Rule] = getattr(import_module(f"{__name__}.{module}"), name)
    return rule


@cache
def _installed() -> Mapping[str, type[Rule]]:
    """Return the rules of installed packages by code; a code of ours stays ours."""
    if not any(map(_mentions_rules, sys.path)):
        return {}
    from importlib.metadata import entry_points  # noqa: PLC0415 - it is as slow as all of lint's own modules

    points = sorted((point for point in entry_points(group=ENTRY_POINTS)), key=lambda point: point.name)
    return {point.name: _loaded(point) for point in points if point.name not in TABLE}


def _loaded(point: "EntryPoint") -> type[Rule]:
    """Return the rule that an entry point leads to.

    Raises:
        ConfigurationError: If it leads to none.
    """
    whose = f" of '{point.dist.name}'" if point.dist else ""
    hint = f"mend or uninstall the package; its entry point in '{ENTRY_POINTS}' is {point.value!r}"
    try:
        rule = point.load()
    except Exception as error:
        message = f"the rule {point.name!r}{whose} cannot be loaded: {type(error).__name__}: {error}"
        raise ConfigurationError(problems=[Problem(BAD_CONFIGURATION, message, hint=hint)]) from error
    if not (isinstance(rule, type) and issubclass(rule, Rule)):
        message = f"the rule {point.name!r}{whose} is no class made from Rule"
        raise ConfigurationError(problems=[Problem(BAD_CONFIGURATION, message, hint=hint)])
    return rule


def _mentions_rules(folder: str) -> bool:
    """Whether some package that is installed in a folder adds rules, told from the text of its metadata."""
    try:
        entries = [entry.path for entry in os.scandir(folder) if entry.name.endswith((".dist-info", ".egg-info"))]
    except OSError:
        return os.path.isfile(folder)  # noqa: PTH113 - an archive; what is in it is not looked at here
    return any(_mentions(os.path.join(entry, "entry_points.txt")) for entry in entries)  # noqa: PTH118 - see above


def _mentions(file: str) -> bool:
    try:
        with open(file, "rb") as stream:  # noqa: PTH123 - see above
            return f"[{ENTRY_POINTS}]".encode() in stream.read()
    except OSError:
        return False

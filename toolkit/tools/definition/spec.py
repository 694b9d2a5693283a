"""The specification of a tool, as pure data and as JSON without loss, and what it says the tool does with data."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from functools import lru_cache
from itertools import zip_longest
from typing import Any, Final

from toolkit.approvals.policies import Flow, Risk, endpoint_of, server_of
from toolkit.codes import BAD_OPTION, INVALID_TOOL_NAME, ROOT_NOT_OBJECT
from toolkit.errors import InvalidTools
from toolkit.freezing import NO_VALUES, FrozenList, freeze_plain
from toolkit.problems import Location, Problem
from toolkit.redactors.redactor import Redactor
from toolkit.tools.calls.foreign_values import short_repr
from toolkit.tools.definition.names import words_of
from toolkit.tools.definition.spec_fields import OPTIONS, ReturnBehavior, option_problems, plain_fields
from toolkit.tools.secret_arguments import secrets_of_schema

MCP_HINTS: Final[Mapping[str, str]] = {
    "readOnlyHint": "read_only",
    "destructiveHint": "destructive",
    "idempotentHint": "idempotent",
    "openWorldHint": "open_world",
}
"""The fields that the Model Context Protocol has as hints, by the names of the hints."""

TEXT_INPUT: Final = "input"
TEXT_PARAMETERS: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {TEXT_INPUT: {"type": "string", "description": "The input to pass to the tool"}},
    "required": [TEXT_INPUT],
}
"""The parameters of tools that take one text."""

_ALWAYS = ("name", "description", "parameters")
_OBJECTS = ("parameters", "output_schema")


def record_of(spec: "ToolSpec") -> dict[str, Any]:
    """Return a whole specification as plain data; defaults are omitted."""
    pairs = [(field, getattr(spec, field.name)) for field in fields(spec)]
    record = {field.name: value for field, value in pairs if field.name in _ALWAYS or value != _usual(field)}
    if spec.location:
        record["location"] = {key: value for key, value in spec.location._asdict().items() if value is not None}
    return record


def read_record(record: Mapping[str, Any]) -> "ToolSpec":
    """Return the specification of a record, parsed from JSON, that `record_of` made in another of our processes.

    It was validated when the specification was created, and is not validated again.
    """
    spec = object.__new__(ToolSpec)
    for name, usual in {**_USUAL, "metadata": NO_VALUES}.items():
        value = usual if name not in record else freeze_plain(record[name])
        object.__setattr__(spec, name, tuple(value) if type(value) is FrozenList else value)
    if spec.location:
        object.__setattr__(spec, "location", Location(**record["location"]))
    return spec


def _usual(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def json_of(spec: "ToolSpec") -> str:
    return json.dumps(record_of(spec), ensure_ascii=False, allow_nan=False, default=_as_object)


def fields_from(data: str | bytes | Mapping[str, Any], known: Iterable[str]) -> dict[str, Any]:
    """Parse the fields of a specification.

    A member that is null counts as missing. Unknown members are ignored, since they may come from a later version.

    Args:
        data: JSON text or plain data.
        known: The names of the fields.

    Raises:
        InvalidTools: If a member is not valid; `problems` lists everything that is wrong.
    """
    record = _load(data) if isinstance(data, str | bytes) else data
    if not isinstance(record, Mapping):
        raise InvalidTools(
            problems=[Problem(BAD_OPTION, f"a specification must be a JSON object, not {short_repr(record)}")]
        )
    given = {key: value for key, value in record.items() if value is not None}
    problems = [
        *([] if "name" in given else [Problem(INVALID_TOOL_NAME, "the specification has no 'name'")]),
        *option_problems({key: value for key, value in given.items() if key in OPTIONS}, None),
        *(_not_object(key, given[key]) for key in _OBJECTS if not isinstance(given.get(key, {}), Mapping)),
    ]
    if not isinstance(given.get("source", ""), str):
        problems.append(Problem(BAD_OPTION, f"source must be text, not {short_repr(given['source'])}"))
    location = _location(given.get("location"), problems)
    if problems:
        raise InvalidTools(problems=problems)
    return {name: given[name] for name in known if name in given} | {"location": location}


def _location(value: Any, problems: list[Problem]) -> Location | None:
    if value is None:
        return None
    numbers = [value.get(key) for key in Location._fields[1:]] if isinstance(value, Mapping) else [""]
    good = all(number is None or (isinstance(number, int) and not isinstance(number, bool)) for number in numbers)
    if good and isinstance(value.get("file"), str):
        return Location(value["file"], *numbers)
    problems.append(Problem(BAD_OPTION, f"location must be an object with 'file' and 'line', not {short_repr(value)}"))
    return None


def _load(text: str | bytes) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidTools(problems=[Problem(BAD_OPTION, f"the specification is not JSON: {error}")]) from error


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number in JSON")


def _not_object(key: str, value: Any) -> Problem:
    return Problem(ROOT_NOT_OBJECT, f"{key} must be a JSON object, not {short_repr(value)}")


def _as_object(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not serializable")


def _no_parameters() -> dict[str, Any]:
    return {"type": "object", "properties": {}}


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """The specification of a tool: everything except the function behind it. It is immutable.

    Attributes:
        name: The name of the tool.
        description: What the tool does and when to use it.
        parameters: A JSON Schema (2020-12) of type `object` for the arguments.
        output_schema: A JSON Schema of the returned data, if known.
        return_behavior: Whether a result goes to the model (`to_model`), or ends the loop and goes to the caller.
        result_tokens: Maximum number of tokens of a result for a model, as an estimate; a longer one is refused.
        category: The category of the tool, if tools are disclosed by category.
        requires_approval: Whether every call requires approval.
        read_only: Whether the tool changes nothing; `None` means not set, here and below.
        destructive: Whether the tool may destroy or overwrite something.
        idempotent: Whether repeating a call with the same arguments has no further effect.
        open_world: Whether the tool accesses things outside this machine.
        flow: What the tool does with data, any of `reads_untrusted`, `reads_private`, `writes` and `sends`; if `None`,
            this is derived from the other marks and the name.
        strict: Whether to use a provider's strict mode; if `None`, the caller decides.
        metadata: Settings for providers: a JSON object for each provider's name.
        examples: Example arguments, each a JSON object.
        source: Where the tool comes from, such as `builtin` or a file.
        framework: The framework of the tool; `None` for a tool of this library.
        names: Earlier names of the tool, if it was renamed, starting with the original one.
        origin: The original source of the tool, if a file or module of a project has given it another source.
        location: The location of the definition.
    """

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=_no_parameters)
    output_schema: Mapping[str, Any] | None = field(default=None, kw_only=True)
    return_behavior: ReturnBehavior = field(default="to_model", kw_only=True)
    result_tokens: int | None = field(default=None, kw_only=True)
    category: str | None = field(default=None, kw_only=True)
    requires_approval: bool = field(default=False, kw_only=True)
    read_only: bool | None = field(default=None, kw_only=True)
    destructive: bool | None = field(default=None, kw_only=True)
    idempotent: bool | None = field(default=None, kw_only=True)
    open_world: bool | None = field(default=None, kw_only=True)
    flow: tuple[Flow, ...] | None = field(default=None, kw_only=True)
    strict: bool | None = field(default=None, kw_only=True)
    metadata: Mapping[str, Any] = field(default_factory=dict, kw_only=True)
    examples: tuple[Mapping[str, Any], ...] = field(default=(), kw_only=True)
    source: str | None = field(default=None, kw_only=True)
    framework: str | None = field(default=None, kw_only=True, compare=False)
    names: tuple[str, ...] = field(default=(), kw_only=True, compare=False)
    origin: str | None = field(default=None, kw_only=True, compare=False)
    location: Location | None = field(default=None, kw_only=True, compare=False)

    def __post_init__(self) -> None:
        """Validate the fields and copy them as immutable plain data.

        Raises:
            InvalidTools: If a field is not valid, such as a blank name, parameters that are not a JSON object, or data
                without a JSON form; `problems` lists everything that is wrong.
        """
        given = {name: value for name, usual in _USUAL.items() if (value := getattr(self, name)) is not usual}
        place, misplaced = plain_fields({"location": given.pop("location", None)}, None)
        plain, unfit = plain_fields(given, place.get("location"))
        problems = [*misplaced, *unfit]
        if "parameters" in plain and plain["parameters"].get("type") != "object":
            message = f"the parameters of {short_repr(self.name)} must be a JSON Schema of type 'object'"
            problems.append(Problem(ROOT_NOT_OBJECT, message, place.get("location")))
        if problems:
            raise InvalidTools(problems=problems)
        for name, value in plain.items():
            object.__setattr__(self, name, freeze_plain(value))

    @classmethod
    def from_class(cls, tools: type) -> "list[ToolSpec]":
        """Return the specifications of a class's marked methods, without creating an object of the class.

        Raises:
            InvalidTools: If a method is not a valid tool, or `tools` is not a class; `problems` lists everything.
        """
        from toolkit.tools.definition.function_readings import read_methods

        return [cls(**reading.fields) for reading in read_methods(tools)]

    @classmethod
    def from_json(cls, data: str | bytes | Mapping[str, Any]) -> "ToolSpec":
        """Return the specification that `to_json` has written, from JSON text or plain data.

        Members that are missing or null get their default; unknown members are ignored.

        Raises:
            InvalidTools: If a member is not valid; `problems` lists everything that is wrong.
        """
        return cls(**fields_from(data, _USUAL))

    def to_json(self) -> str:
        """Return the whole specification as JSON text, which `from_json` can read."""
        return json_of(self)

    @property
    def definition(self) -> dict[str, Any]:
        """The part that a model receives: name, description if there is one, and parameters."""
        described = {"description": self.description} if self.description else {}
        return {"name": self.name, **described, "parameters": self.parameters}

    @property
    def properties(self) -> Mapping[str, Any]:
        """The schema of each parameter, by name."""
        properties: Mapping[str, Any] = self.parameters.get("properties", {})
        return properties

    @property
    def required(self) -> tuple[str, ...]:
        """The names of the required parameters."""
        return tuple(self.parameters.get("required", ()))

    @property
    def promised_output(self) -> Mapping[str, Any] | None:
        """The schema that results keep to; that of an API's document only describes them, and APIs deviate from it."""
        return None if endpoint_of(self.names) is not None else self.output_schema

    @property
    def risk(self) -> Risk:
        """The marks of the tool, as evaluated by the gate."""
        return Risk(
            self.name,
            source=self.source or (self.location.file if self.location is not None else None),
            requires_approval=self.requires_approval,
            read_only=self.read_only,
            destructive=self.destructive,
            open_world=self.open_world,
            framework=self.framework,
            names=self.names,
            origin=self.origin,
            definition=self.definition,
        )


_USUAL = {each.name: each.default for each in fields(ToolSpec)}
"""The default values of all fields, which need no validation and no copy."""


def redacted_spec(spec: ToolSpec, redactor: Redactor) -> ToolSpec:
    """Return a specification with its secrets redacted, as a model receives it."""
    redactor.learn(*secrets_of_schema(spec.parameters))
    texts = redactor.data([spec.description, spec.parameters, spec.output_schema, list(spec.examples)])
    description, parameters, output_schema, examples = texts
    return replace(
        spec, description=description, parameters=parameters, output_schema=output_schema, examples=tuple(examples)
    )


_READING = frozenset(
    {"get", "list", "read", "find", "search", "lookup", "fetch", "query", "view", "browse", "load", "export", "scrape"}
)
_SENDING = frozenset({"send", "post", "publish", "upload", "forward", "submit", "reply", "transmit", "broadcast"})
_MAIL = frozenset({"email", "emails", "mail", "mails", "inbox"})
_PRIVATE = _MAIL | {
    "contacts", "customer", "customers", "patient", "patients", "employee", "employees", "salary", "payroll",
    "credentials", "secret", "secrets", "password", "passwords", "calendar", "file", "files", "document", "documents",
}  # fmt: skip
_OPEN = _MAIL | {"web", "webpage", "website", "url", "internet"}
_ABOUT = frozenset(
    {"template", "templates", "setting", "settings", "configuration", "config", "domain", "domains", "server",
     "servers", "provider", "providers", "schema", "schemas", "type", "types", "format", "formats", "policy",
     "policies", "customization", "customizations", "default", "preference", "preferences", "theme", "themes"}
)  # fmt: skip
"""Words after which a name is about configuration and not about data, such as in `list_email_templates`."""

READINGS: Final[frozenset[Flow]] = frozenset({"reads_untrusted", "reads_private"})
"""The flows that are about reading."""


def flow_of(spec: ToolSpec) -> frozenset[Flow]:
    """Return what a tool does with data; a tool without marks may write and send."""
    if spec.flow is not None:
        return frozenset(spec.flow)
    found: dict[Flow, bool] = {
        "reads_untrusted": is_from_outside(spec) or brings_in_texts(spec),
        "reads_private": reads_private(spec),
        "writes": not spec.read_only,
        "sends": is_way_out(spec) if spec.read_only else spec.open_world is not False,
    }
    return frozenset(flow for flow, is_so in found.items() if is_so)


def risk_of(spec: ToolSpec) -> Risk:
    """Return the risk of a tool, including what it does with data."""
    return replace(spec.risk, flow=flow_of(spec))


def is_from_outside(spec: ToolSpec) -> bool:
    """Return whether a tool returns data from outside; as in MCP, this is the default for tools of a server."""
    if spec.flow is not None:
        return "reads_untrusted" in spec.flow
    is_remote = server_of(spec.source) is not None
    return not spec.destructive and (spec.open_world is True or (is_remote and spec.open_world is None))


def reads_private(spec: ToolSpec) -> bool:
    """Return whether a tool reads the user's private data, according to its marks or name."""
    if spec.flow is not None:
        return "reads_private" in spec.flow
    words = _words_in(spec.name)
    return _reads(words) and _names(words, _PRIVATE)


def brings_in_texts(spec: ToolSpec) -> bool:
    """Return whether a tool reads untrusted text, according to its marks or name."""
    if spec.flow is not None:
        return "reads_untrusted" in spec.flow
    words = _words_in(spec.name)
    return spec.open_world is not False and _reads(words) and (spec.open_world is True or _names(words, _OPEN))


def sends(spec: ToolSpec) -> bool:
    """Return whether the purpose of a tool is to send data, according to its marks or name."""
    if spec.flow is not None:
        return "sends" in spec.flow
    words = _words_in(spec.name)
    return spec.open_world is not False and not spec.read_only and bool(words) and words[0] in _SENDING


def is_way_out(spec: ToolSpec) -> bool:
    """Return whether a read-only tool sends its arguments to another machine.

    A GET request does so: its URL, including the query parameters, reaches the server.
    """
    if not spec.read_only or not spec.properties or spec.open_world is False:
        return False
    if spec.flow is not None:
        return "sends" in spec.flow
    return spec.open_world is True or not _OPEN.isdisjoint(words_of(spec.name))


@lru_cache(maxsize=4096)  # each of these functions is called for every tool
def _words_in(name: str) -> tuple[str, ...]:
    return tuple(words_of(name))


def _names(words: Sequence[str], things: frozenset[str]) -> bool:
    """Return whether a name is about certain things, and not about their configuration."""
    return any(word in things and after not in _ABOUT for word, after in zip_longest(words, words[1:]))


def _reads(words: Sequence[str]) -> bool:
    return bool(words) and (words[0] in _READING or words[-1] in _READING)

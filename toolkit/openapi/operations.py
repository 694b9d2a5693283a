"""What an OpenAPI document says about an operation, as plain values: what to send where, and what comes back.

Everything is resolved: a reference to another part or file has been followed, what a path item or the document says for
all its operations is part of each, and 3.0's forms are those of 3.1. Source of the rules: the OpenAPI Specification,
3.0.4, 3.1.1 and 3.2.0.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

DEFINITIONS: Final = "#/$defs/"
"""What a reference to a definition begins with."""

Place = Literal["path", "query", "header", "cookie"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an operation outside of its body.

    Attributes:
        argument: The name in the tool's schema; differs from `name` where that does not fit providers or another
            place has it too.
        name: The name on the wire.
        place: Where it is sent.
        schema: The JSON Schema of its value, with its description.
        is_required: Whether it must be sent.
        style: How arrays and objects are written: `simple`, `label`, `matrix`, `form`, `spaceDelimited`,
            `pipeDelimited`, `deepObject`, or `cookie`.
        explode: Whether each item or member is written on its own.
        allows_reserved: Whether the reserved characters of RFC 3986 are sent as they are (query only).
        media_type: The media type in which the value is written instead of a style (`content`), else `None`.
    """

    argument: str
    name: str
    place: Place
    schema: Mapping[str, Any]
    is_required: bool
    style: str
    explode: bool
    allows_reserved: bool = False
    media_type: str | None = None


@dataclass(frozen=True, slots=True)
class Encoding:
    """How one member of a form or a multipart body is written; `None` is the default of its schema."""

    media_type: str | None = None
    style: str = "form"
    explode: bool = True
    allows_reserved: bool = False


@dataclass(frozen=True, slots=True)
class Body:
    """The body of a request.

    Attributes:
        media_type: The one media type that is sent: JSON before forms, before others.
        schema: The JSON Schema of the whole body.
        is_required: Whether a body must be sent.
        argument: The argument that is the whole body, or `None` if each member is an argument of its own.
        members: The member that each argument fills, by argument; empty if `argument` is set.
        encodings: How members are written, by member.
    """

    media_type: str
    schema: Mapping[str, Any]
    is_required: bool
    argument: str | None = None
    members: Mapping[str, str] = field(default_factory=dict)
    encodings: Mapping[str, Encoding] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """One declared response: its schema by media type, and what it is for."""

    description: str
    schemas: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class SecurityScheme:
    """One way to sign in, by the name that the document gives it.

    Attributes:
        name: Its name in the document.
        kind: `apiKey`, `http`, `oauth2`, `openIdConnect` or `mutualTLS`.
        scheme: Of `http`: `bearer`, `basic` or another one, in lower case.
        parameter: Of `apiKey`: the name of the header, cookie or query parameter.
        place: Of `apiKey`: where it is sent.
        token_url: Of `oauth2`: the address of the client credentials flow, if it has one.
    """

    name: str
    kind: str
    scheme: str = ""
    parameter: str = ""
    place: str = ""
    token_url: str | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of a document.

    Attributes:
        id: Its `operationId`, or `METHOD /path` if it has none.
        name: The name of its tool.
        method: In upper case.
        path: The template, such as `/pets/{petId}`.
        servers: The addresses of its servers, with the defaults of their variables filled in; relative ones too.
        summary: Its summary, or an empty text.
        description: Its description, or an empty text.
        tags: Its tags, in order.
        parameters: Its parameters, each place and name once.
        body: Its body, or `None`.
        answers: What it declares to answer, by status (`200`, `4XX`, `default`).
        security: The ways to sign in, of which one suffices: each is the scopes by scheme; an empty one is anonymous.
        is_deprecated: Whether it is deprecated.
        extensions: Its keys that begin with `x-`.
        definitions: The schemas that those of parameters and of the body refer to as `#/$defs/NAME`. Those of answers
            have their own.
    """

    id: str
    name: str
    method: str
    path: str
    servers: tuple[str, ...]
    summary: str
    description: str
    tags: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    body: Body | None
    answers: Mapping[str, Answer]
    security: tuple[Mapping[str, tuple[str, ...]], ...]
    is_deprecated: bool
    extensions: Mapping[str, Any]
    definitions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def endpoint(self) -> str:
        """The method and the path, such as `GET /pets/{petId}`."""
        return f"{self.method} {self.path}"

    @property
    def successes(self) -> list[Answer]:
        """What it answers when it succeeds."""
        return [self.answers[status] for status in successes_among(self.answers)]


def defined(schema: Any, definitions: Mapping[str, Any]) -> Any:
    """Return the definition that a schema refers to, or the schema itself if it does not."""
    reference = schema.get("$ref") if isinstance(schema, Mapping) else None
    return definitions.get(str(reference).removeprefix(DEFINITIONS), schema)


def successes_among(statuses: Iterable[str]) -> list[str]:
    """Return which of the declared statuses mean success: `2..`, or else `default`."""
    declared = [*statuses]
    return [status for status in declared if status.startswith("2")] or [one for one in declared if one == "default"]

"""Specifications: what a tool is, as pure data."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from toolkit.approvals.risks import Flow, Risk
from toolkit.codes import ROOT_NOT_OBJECT
from toolkit.errors import InvalidTools
from toolkit.freezing import freeze_plain
from toolkit.problems import Location, Problem
from toolkit.tools.foreign_values import shown
from toolkit.tools.spec_fields import ReturnBehavior, plain_fields
from toolkit.tools.spec_json import fields_from, json_of


def _no_parameters() -> dict[str, Any]:
    return {"type": "object", "properties": {}}


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """The specification of a tool: everything except the function behind it. Nothing in it ever changes.

    Attributes:
        name: What a model calls it by.
        description: What it does and when to use it.
        parameters: A JSON Schema (2020-12) of type `object`: what a call must carry.
        output_schema: A JSON Schema of what it returns, if that is known.
        return_behavior: Whether a result goes to the model (`to_model`) or ends the loop and goes to the caller.
        category: The group it belongs to, where tools are disclosed by category.
        requires_approval: Somebody is asked before every call.
        read_only: It changes nothing; `None` means not set, here and below.
        destructive: It may destroy or overwrite something.
        idempotent: Calling it again with the same arguments changes nothing more.
        open_world: It reaches things outside this machine.
        flow: What it does with data, any of `reads_untrusted`, `reads_private`, `writes` and `sends`; `None` leaves it
            to the other marks and the name.
        strict: Whether a provider's strict mode is wanted; `None` leaves it to the caller.
        metadata: Settings for providers: a JSON object for each provider's name.
        examples: Arguments that make sense, each a JSON object.
        source: Where it comes from, such as `builtin` or a file.
        framework: The framework that it was written for; `None` for a tool of ours.
        names: Other names that it goes by, where it was given another one: the first is the one that it had first.
        origin: Where it came from first, where a project's file or module gives it another source.
        location: The place of its definition.
    """

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=_no_parameters)
    output_schema: Mapping[str, Any] | None = field(default=None, kw_only=True)
    return_behavior: ReturnBehavior = field(default="to_model", kw_only=True)
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
        """Copy what it is made of into plain data, and refuse what no tool can be.

        Raises:
            InvalidTools: With every problem at once: a blank name, parameters that are not one JSON object, data that
                JSON cannot hold.
        """
        given = {name: value for name, usual in _USUAL.items() if (value := getattr(self, name)) is not usual}
        place, misplaced = plain_fields({"location": given.pop("location", None)}, None)
        plain, unfit = plain_fields(given, place.get("location"))
        problems = [*misplaced, *unfit]
        if "parameters" in plain and plain["parameters"].get("type") != "object":
            message = f"the parameters of {shown(self.name)} must be a JSON Schema of type 'object'"
            problems.append(Problem(ROOT_NOT_OBJECT, message, place.get("location")))
        if problems:
            raise InvalidTools(problems=problems)
        for name, value in plain.items():
            object.__setattr__(self, name, freeze_plain(value))

    @classmethod
    def from_class(cls, tools: type) -> "list[ToolSpec]":
        """Return the specifications of a class's marked methods; no object of the class is made.

        Raises:
            InvalidTools: With every problem at once.
        """
        from toolkit.tools.method_readings import read_methods  # noqa: PLC0415 - a specification alone needs none

        return [cls(**reading.fields) for reading in read_methods(tools)]

    @classmethod
    def from_json(cls, data: str | bytes | Mapping[str, Any]) -> "ToolSpec":
        """Return the specification that `to_json` wrote: JSON text, or the same as plain data.

        What is missing or null is left out; members of other names are passed over.

        Raises:
            InvalidTools: With every member that is wrong.
        """
        return cls(**fields_from(data, _USUAL))

    def to_json(self) -> str:
        """Return the whole specification as JSON text, from which `from_json` makes the same again."""
        return json_of(self)

    @property
    def definition(self) -> dict[str, Any]:
        """What a model receives: name, description and parameters."""
        return {"name": self.name, "description": self.description, "parameters": self.parameters}

    @property
    def properties(self) -> Mapping[str, Any]:
        """The schema of each parameter, by its name."""
        properties: Mapping[str, Any] = self.parameters.get("properties", {})
        return properties

    @property
    def required(self) -> tuple[str, ...]:
        """The names of the parameters that a call must carry."""
        return tuple(self.parameters.get("required", ()))

    @property
    def risk(self) -> Risk:
        """Its marks, as the gate judges them."""
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
"""The value of a field that is not set; it needs neither a check nor a copy."""

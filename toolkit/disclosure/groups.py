"""Groups: named sets of tools, so that code can request `web` tools and configuration decides which these are."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal, get_args

from toolkit.codes import BAD_CONFIGURATION, PERMISSION_NOT_GRANTED
from toolkit.disclosure.facades import UnfoldingTool, built_for_models
from toolkit.documents.keys import Spot
from toolkit.errors import InvalidTools, raise_errors
from toolkit.problems import Location, Problem, did_you_mean
from toolkit.tools.base import Tool
from toolkit.tools.definition.names import name_problem
from toolkit.tools.kinds.resolution import collisions, missing_tools

Permission = Literal["internet_access", "host_access"]
PERMISSIONS: tuple[Permission, ...] = get_args(Permission)
"""Permissions that a group may need: access to the internet, or to files and programs on this machine."""


@dataclass(frozen=True, slots=True)
class ToolGroup:
    """A named set of tools; iterating over it yields the tools.

    Attributes:
        name: The name by which code requests the group.
        tools: The tools.
        description: The purpose of the tools.
        provider: The name of the service or package that provides the tools.
        permissions: Permissions that the tools need; the group is offered only if they are granted.
        required: Names of tools that the group cannot do without.
        location: Where the group is defined.
    """

    name: str
    tools: tuple[Tool, ...]
    description: str = ""
    provider: str = ""
    permissions: frozenset[str] = frozenset()
    required: tuple[str, ...] = ()
    location: Location | None = None

    @classmethod
    def of(
        cls,
        name: str,
        tools: Iterable[Any],
        *,
        description: str = "",
        provider: str = "",
        permissions: Iterable[Permission] = (),
        required: Sequence[str] = (),
    ) -> "ToolGroup":
        """Return a group of anything that can be a tool.

        Raises:
            InvalidTools: With every problem: an invalid name, candidates that are not tools, unknown permissions.
        """
        built, problems = built_for_models(tools)
        problems += [*filter(None, [name_problem(name)]), *collisions(built)]
        needed = frozenset(permissions)
        problems += [unknown_permission(one) for one in sorted(needed.difference(PERMISSIONS))]
        raise_errors(InvalidTools, problems)
        return cls(
            name, tuple(built), description=description, provider=provider, permissions=needed, required=tuple(required)
        )

    def __iter__(self) -> Iterator[Tool]:
        """Iterate over the tools."""
        return iter(self.tools)

    def problems(self, granted: Collection[str]) -> list[Problem]:
        """Return why the group cannot be offered: missing permissions and missing tools."""
        names = [tool.name for tool in self.tools]
        return [
            *ungranted(self.name, self.permissions, granted, self.location),
            *missing_tools(f"group '{self.name}'", self.required, names, self.location),
        ]

    def offered(self, granted: Collection[str] = ()) -> dict[str, Tool]:
        """Return the tools by name, provided that the permissions they need are granted.

        Args:
            granted: The granted permissions.

        Raises:
            InvalidTools: If a permission was not granted, or a required tool is missing.
        """
        raise_errors(InvalidTools, self.problems(granted))
        return {tool.name: tool for tool in self.tools}

    def choose(self, wanted: Sequence[str], *, exclude: Sequence[str] = ()) -> "ToolGroup":
        """Return a copy of the group with only the chosen tools; see `chosen`."""
        kept = tuple(chosen(self.tools, wanted, exclude=exclude))
        return ToolGroup(
            self.name,
            kept,
            description=self.description,
            provider=self.provider,
            permissions=self.permissions,
            required=self.required,
            location=self.location,
        )

    def facade(self, *, usage_notes: str | None = None, exclusive: bool = False) -> UnfoldingTool:
        """Return one tool that reveals the tools of the group."""
        return UnfoldingTool.of(self.name, self.description, self.tools, usage_notes=usage_notes, exclusive=exclusive)


def chosen(tools: Iterable[Tool], wanted: Sequence[str], *, exclude: Sequence[str] = ()) -> list[Tool]:
    """Return the tools that match a selection, in their original order.

    Args:
        tools: The tools to choose from.
        wanted: What to include: names (`fetch`), patterns with `*` or `?` (so `brave_*` is a prefix), and regular
            expressions between slashes, which are searched for in the name (`/query|search/`).
        exclude: What to leave out, in the same notation; it takes precedence.
    """
    return [
        tool
        for tool in tools
        if any(matches(tool.name, one) for one in wanted) and not any(matches(tool.name, one) for one in exclude)
    ]


def matches(name: str, wanted: str) -> bool:
    """Return whether a name, a pattern, or a regular expression between slashes matches a tool's name.

    Raises:
        ValueError: If the regular expression is invalid.
    """
    if is_expression(wanted):
        try:
            return re.search(wanted[1:-1], name) is not None
        except re.error as error:
            raise ValueError(f"the regular expression {wanted} is invalid: {error}") from error
    return fnmatchcase(name, wanted)


def is_expression(wanted: str) -> bool:
    """Return whether a choice is a regular expression between slashes."""
    return len(wanted) > 1 and wanted.startswith("/") and wanted.endswith("/")


def is_plain(wanted: str) -> bool:
    """Return whether a choice is a plain name rather than a pattern."""
    return not is_expression(wanted) and not any(sign in wanted for sign in "*?[")


def ungranted(
    group: str, permissions: Iterable[str], granted: Collection[str], location: Location | None = None
) -> list[Problem]:
    """Return a problem for each permission that a group needs and that was not granted."""
    return [
        Problem(
            PERMISSION_NOT_GRANTED,
            f"group '{group}' needs '{permission}', which was not granted",
            location,
            hint=f"to grant it, pass --grant {permission} or set TOOLKIT_GRANT={permission}",
        )
        for permission in sorted(permissions)
        if permission not in granted
    ]


def unknown_permission(name: str) -> Problem:
    """Return the problem for a permission that does not exist."""
    known = f"permissions are {' and '.join(PERMISSIONS)}"
    hint = did_you_mean(name, PERMISSIONS, otherwise=known)
    return Problem(BAD_CONFIGURATION, f"there is no permission '{name}'", hint=hint)


def read_choices(wanted: tuple[str, ...], spot: Spot) -> tuple[str, ...]:
    """Return names, patterns and regular expressions that select tools; report each invalid one."""
    for choice in wanted:
        try:
            matches("", choice)
        except ValueError as error:
            spot.report(str(error))
    return wanted

"""Decides whether the header of a skill meets the specification of Agent Skills."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolkit.documents.nodes import Scalar
from toolkit.problems import Location
from toolkit.skills.skill_files import Skill

LONGEST_NAME = 64
LONGEST_DESCRIPTION = 1024
_NAME = re.compile(r"[^\W_A-Z]+(?:-[^\W_A-Z]+)*")


class HeaderFault(NamedTuple):
    """What is wrong with the name or the description of a skill.

    Attributes:
        message: What is wrong.
        location: Where it is.
        hint: How to fix it.
        is_usable: Whether clients can use the skill nevertheless.
    """

    message: str
    location: Location
    hint: str | None = None
    is_usable: bool = False


def faults_of(skill: Skill) -> Iterator[HeaderFault]:
    """Yield what is wrong with the name and the description of a skill."""
    yield from _faults_of_name(skill)
    description = skill.description
    if description is None or not description.text.strip():
        yield _missing(skill, "description", "description: what it does, and when to use it")
    elif len(description.text) > LONGEST_DESCRIPTION:
        yield wrong_length("description", description, LONGEST_DESCRIPTION)


def wrong_length(key: str, value: Scalar, most: int) -> HeaderFault:
    """Return the fault of a value that is empty, or has more than `most` characters."""
    length = len(value.text)
    place = value.locate(most, max(length - most, 1)) if length else value.location
    return HeaderFault(f"the {key} has {length:,} characters; 1 to {most:,} are possible", place)


def _faults_of_name(skill: Skill) -> Iterator[HeaderFault]:
    name, folder = skill.name, skill.folder.name
    if name is None or not name.text.strip():
        yield _missing(skill, "name", f"name: {folder}")
    elif len(name.text) > LONGEST_NAME:
        yield wrong_length("name", name, LONGEST_NAME)
    elif not _NAME.fullmatch(name.text):
        hint = "use lowercase letters, digits, and single hyphens between them"
        message = f"the name {name.text!r} is not valid for a skill"
        is_usable = _NAME.fullmatch(name.text.replace("_", "-")) is not None
        yield HeaderFault(message, name.location, hint, is_usable=is_usable)
    elif name.text != folder and not (skill.folder / ".git").exists():  # anybody names a checkout
        message = f"the skill is named {name.text!r}, but its folder {folder!r}"
        yield HeaderFault(message, name.location, "give both the same name", is_usable=True)


def _missing(skill: Skill, key: str, line: str) -> HeaderFault:
    value = skill.header.get(key) if skill.header else None
    place = Location(skill.file, 1, 1) if value is None else value.location
    if isinstance(value, Scalar) and value.value is not None and not isinstance(value.value, str):
        return HeaderFault(f"the {key} of the skill is not a text", place, "put quotes around it")
    return HeaderFault(f"the skill has no {key}", place, f"write '{line}'")

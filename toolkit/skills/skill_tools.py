"""The tool with which a model loads skills, as clients offer it."""

from collections.abc import Sequence
from html import escape
from typing import Final

from toolkit.skills.skill_files import Skill
from toolkit.tools.base import Tool

LOADING: Final = "activate_skill"
_PURPOSE: Final = (
    "Load the instructions for a kind of task. If the task at hand matches the description of one of these skills, "
    "call this tool with its name before anything else."
)


def skill_tool(skills: Sequence[Skill]) -> Tool:
    """Return a tool that describes skills, and returns the instructions of the one that is named.

    Its name, its parameter and the list in its description are those that the guide for clients recommends:
    https://agentskills.io/client-implementation/adding-skills-support

    Args:
        skills: The skills; each must have a name and a description.
    """
    bodies = {skill.name.text: skill.body for skill in skills if skill.name is not None}
    listed = "\n".join(map(_entry, skills))
    name = {"type": "string", "enum": list(bodies), "description": "The name of the skill."}
    return Tool.create(
        LOADING,
        f"{_PURPOSE}\n\n<available_skills>\n{listed}\n</available_skills>",
        {"type": "object", "properties": {"name": name}, "required": ["name"]},
        lambda name: bodies[name],
        read_only=True,
    )


def _entry(skill: Skill) -> str:
    name, description = (
        escape("" if one is None else one.text, quote=False) for one in (skill.name, skill.description)
    )
    return f"  <skill>\n    <name>{name}</name>\n    <description>{description}</description>\n  </skill>"

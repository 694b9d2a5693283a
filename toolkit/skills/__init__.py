"""Reads agent skills: folders with a `SKILL.md`, which tell a model how to do something."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.skills.skill_files import (
        Skill as Skill,
        parse_skill as parse_skill,
        read_skill as read_skill,
    )
    from toolkit.skills.skill_folders import (
        files_of_skill as files_of_skill,
        find_skills as find_skills,
        project_skills as project_skills,
    )
    from toolkit.skills.skill_tools import skill_tool as skill_tool
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "skill_files": "Skill parse_skill read_skill",
            "skill_folders": "files_of_skill find_skills project_skills",
            "skill_tools": "skill_tool",
        },
    )

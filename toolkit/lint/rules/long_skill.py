"""TK642: a skill with long instructions."""

from collections.abc import Iterator

from toolkit.amounts import tokens_in
from toolkit.codes import LONG_SKILL
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.skills.skill_files import Skill


class LongSkill(Rule):
    """The instructions of a skill are longer than the specification recommends.

    ## Why

    A client puts all of `SKILL.md` into the context as soon as the model uses the skill, whichever part of it the task
    needs. The specification recommends at most 500 lines and 5,000 tokens; move the rest to files that `SKILL.md`
    names, which the model reads when it needs them. The number of tokens is an estimate.

    ## Example

    ```text
    # A SKILL.md with 800 lines.
    ```

    ## Instead

    ```text
    # A SKILL.md with 100 lines, and a link to references/details.md.
    ```

    ## Source

    - Agent Skills, [Specification](https://agentskills.io/specification): progressive disclosure (checked 2026-11-26)
    """

    code = LONG_SKILL
    severity = "info"
    limits = {"max-skill-lines": 500, "max-skill-tokens": 5_000}

    def check_skill(self, skill: Skill) -> Iterator[Problem]:
        lines = len(skill.body.splitlines())
        tokens = tokens_in(skill.body)
        most_lines, most_tokens = self.limit("max-skill-lines"), self.limit("max-skill-tokens")
        if lines > most_lines or tokens > most_tokens:
            end = skill.body.find("\n")
            place = skill.locate(0, end if end > 0 else len(skill.body))
            message = f"the instructions have {lines:,} lines and about {tokens:,} tokens"
            hint = (
                f"at most {most_lines:,} lines and {most_tokens:,} tokens are recommended: move parts to 'references/'"
            )
            yield self.problem(message, place, hint=hint)

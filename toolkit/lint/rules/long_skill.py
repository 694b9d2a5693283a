"""TK642: a skill with long instructions."""

from collections.abc import Iterator

from toolkit.amounts import tokens_in
from toolkit.codes import LONG_SKILL
from toolkit.lint.rule import Rule
from toolkit.problems import Problem, Severity
from toolkit.skills.skill_files import SKILL_FILE, Skill

_MUCH = 1.5
_SLIGHTLY = 1.25


class LongSkill(Rule):
    """The instructions of a skill are longer than the specification recommends.

    ## Why

    A client puts all of `SKILL.md` into the context as soon as the model uses the skill, whichever part of it the task
    needs. The specification recommends at most 5,000 tokens; move the rest to files that `SKILL.md`
    names, which the model reads when it needs them. The number of tokens is an estimate. It is an `info` up to a quarter
    more than that, and up to one and a half times that many if the skill has other files already.

    Lines are not counted, since short ones cost little. A skill with a licence file of its own is not reported: it was
    published to be copied as it is.

    ## Example

    ```text
    # A SKILL.md with 8,000 tokens.
    ```

    ## Instead

    ```text
    # A SKILL.md with 1,000 tokens, and a link to references/details.md.
    ```

    ## Source

    - Agent Skills, [Specification](https://agentskills.io/specification): progressive disclosure (checked 2026-11-26)
    """

    code = LONG_SKILL
    limits = {"max-skill-tokens": 5_000}

    def check_skill(self, skill: Skill) -> Iterator[Problem]:
        tokens, most = tokens_in(skill.body), self.limit("max-skill-tokens")
        if tokens <= most or any(one.is_file() for one in skill.folder.glob("LICEN[CS]E*")):
            return
        end = skill.body.find("\n")
        place = skill.locate(0, end if end > 0 else len(skill.body))
        hint = f"at most {most:,} tokens are recommended: move parts to 'references/'"
        is_divided = any(one.name != SKILL_FILE for one in skill.folder.iterdir())
        enough = (_MUCH if is_divided else _SLIGHTLY) * most
        severity: Severity = "info" if tokens <= enough else self.severity
        yield self.problem(f"the instructions have about {tokens:,} tokens", place, hint=hint, severity=severity)

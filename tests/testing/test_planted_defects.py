"""`toolkit test` finds what was planted in tools of seven frameworks, and nothing in their sound twins.

Of the 54 planted defects, 42 are in the frameworks that are installed wherever the tests run, and all are found.
"""

import pytest

from tests.testing.corpus import CASES, ELSEWHERE, HERE, KINDS, command, found_in, missed

SOUND = {"toolkit": 20, "mcp_sdk": 8, "pydantic_ai": 4, "anthropic_sdk": 3, "langchain": 4, "crewai": 3, "fastmcp": 4}
PLANTED = {
    "toolkit": 24,
    "mcp_sdk": 10,
    "pydantic_ai": 5,
    "anthropic_sdk": 3,
    "langchain": 5,
    "crewai": 3,
    "fastmcp": 4,
}


@pytest.mark.proof
@pytest.mark.parametrize("framework", HERE)
def test_planted_defects_are_found(framework, corpus, program):
    corpus(framework)
    finished = program(*command(framework, "defects"))
    found = found_in(finished.stdout)
    assert (len(found), missed(found), finished.returncode) == (PLANTED[framework], [], 1)


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("framework", HERE)
def test_sound_twins_have_no_findings(framework, corpus, program, project):
    corpus(framework)
    finished = program(*command(framework, "sound"))
    found = found_in(finished.stdout)
    assert {name: kinds for name, kinds in found.items() if kinds} == {}
    assert (len(found), finished.returncode) == (SOUND[framework], 0)
    assert not (project / "deleted.txt").exists()


@pytest.mark.proof
@pytest.mark.parametrize("framework", ELSEWHERE)
def test_planted_defects_of_other_frameworks_are_found(framework, corpus, environment, project):
    corpus(framework)
    python = environment(ELSEWHERE[framework])
    finished = python.run("-m", "toolkit_cli", *command(framework, "defects"), cwd=project)
    found = found_in(finished.stdout)
    assert (len(found), missed(found)) == (PLANTED[framework], [])


@pytest.mark.proof
@pytest.mark.parametrize("framework", ELSEWHERE)
def test_sound_twins_of_other_frameworks_have_no_findings(framework, corpus, environment, project):
    corpus(framework)
    python = environment(ELSEWHERE[framework])
    finished = python.run("-m", "toolkit_cli", *command(framework, "sound"), cwd=project)
    found = found_in(finished.stdout)
    assert {name: kinds for name, kinds in found.items() if kinds} == {}
    assert len(found) == SOUND[framework]


def test_every_kind_of_finding_is_planted():
    planted = "\n".join(file.read_text("utf-8") for file in CASES.glob("*/defects.py"))
    assert [word for word in KINDS if f"def {word}_" not in planted] == []
    assert sum(PLANTED[framework] for framework in HERE) >= 40
    assert sum(SOUND.values()) >= 40

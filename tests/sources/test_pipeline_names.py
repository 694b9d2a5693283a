"""What the names in a pipeline mean, and pipelines as sources of tools."""

import pytest

from toolkit import InvalidPipeline, Pipeline, load_pipeline, load_tools

TWO = '''
from toolkit import tool


@tool
def shout(text: str) -> str:
    """Says it loudly."""
    return text.upper()


@tool
def whisper(text: str) -> str:
    """Says it softly."""
    return text.lower()
'''


@pytest.fixture
def house(project):
    project.write("house/tools.py", TWO)
    return project


def run(pipeline, text="Hello"):
    result = pipeline.run({"input": text})
    assert result.error is None
    return result.output


def test_pipelines_own_sources_are_relative_to_its_file(house):
    house.write("house/p.yaml", "tools: [./tools.py]\nsteps: [shout]\n")
    pipeline = load_pipeline("house/p.yaml")
    assert isinstance(pipeline, Pipeline)
    assert run(pipeline) == "HELLO"


def test_step_may_name_a_file_and_a_tool_in_it(house):
    house.write("house/p.yaml", "steps:\n  - use: tools.py:shout\n  - use: tools.py:whisper\n")
    assert run(load_pipeline("house/p.yaml")) == "hello"


def test_ready_tools_are_known_to_every_pipeline(project):
    project.write("p.yaml", "steps: [calculator]\n")
    assert run(load_pipeline("p.yaml"), "2 ^ 10") == "1024"


def test_pipelines_own_tool_comes_before_a_ready_one(project):
    project.tool("tools.py", "calculator")
    project.write("p.yaml", "tools: [tools.py]\nsteps: [calculator]\n")
    assert run(load_pipeline("p.yaml"), "2 ^ 10") == "2 ^ 10"


def test_configured_tools_and_pipelines_are_known_by_name(house):
    house.write("toolkit.toml", "sources = ['house']\n")
    house.write("house/loud.yaml", "name: loud_words\nsteps: [shout]\n")
    house.write("house/both.yaml", "steps: [loud_words, whisper]\n")
    house.write("p.yaml", "steps: [shout, whisper, both]\n")
    assert run(load_pipeline("p.yaml")) == "hello"
    assert list(load_tools()) == ["shout", "whisper", "both", "loud_words"]
    assert list(load_tools("loud_words")) == ["loud_words"]


def test_configured_pipelines_that_name_each_other_are_a_circle(project):
    project.write("toolkit.toml", "sources = ['.']\n")
    project.write("a.yaml", "steps: [b]\n")
    project.write("b.yaml", "steps: [a]\n")
    with pytest.raises(InvalidPipeline) as raised:
        load_pipeline("a.yaml")
    assert [str(problem) for problem in raised.value.problems] == [
        f"b.yaml:1:9: error[TK622]: the file '{project.folder}/a.yaml' uses itself: a.yaml → b.yaml → a.yaml"
    ]


def test_folder_among_the_sources_gives_its_python_and_no_pipelines(house):
    house.write("house/p.yaml", "tools: [.]\nsteps: [shout]\n")
    house.write("house/q.yaml", "tools: ['*']\nsteps: [whisper]\n")
    assert run(load_pipeline("house/p.yaml")) == "HELLO"


def problems_of(path):
    with pytest.raises(InvalidPipeline) as raised:
        load_pipeline(path)
    return [str(problem) for problem in raised.value.problems]


def test_unknown_tool_names_the_nearest_of_all_that_are_known(house):
    house.write("house/p.yaml", "tools: [tools.py]\nsteps: [shot, calculatr, file_red, 'tools.py:wisper']\n")
    assert problems_of("house/p.yaml") == [
        "house/p.yaml:2:9: error[TK604]: unknown tool 'shot' (did you mean 'shout'?)",
        "house/p.yaml:2:15: error[TK604]: unknown tool 'calculatr' (did you mean 'calculator'?)",
        "house/p.yaml:2:26: error[TK604]: unknown tool 'file_red' (did you mean 'file_read' or 'file_write'?)",
        "house/p.yaml:2:36: error[TK604]: nothing is named 'wisper' in 'house/tools.py' (did you mean 'whisper'?)",
    ]


def test_missing_and_broken_sources_are_told_together(house):
    house.tool("house/bad.py", "never", before="import jsno")
    house.write("house/p.yaml", "tools: [bad.py, tols.py, tools.py]\nsteps: [shout]\n")
    assert problems_of("house/p.yaml") == [
        (
            "house/bad.py:1:1: error[TK002]: 'bad.py' cannot be imported: ModuleNotFoundError: No module named 'jsno' "
            "(did you mean 'json', or is it not installed?)"
        ),
        "house/p.yaml:1:17: error[TK604]: there is no file 'tols.py' (did you mean 'tools.py'?)",
    ]


def test_two_sources_with_a_tool_of_one_name_are_a_problem(house):
    house.tool("house/more.py", "shout")
    house.write("house/p.yaml", "tools: [tools.py, more.py]\nsteps: [shout]\n")
    assert [line.partition(" (")[0] for line in problems_of("house/p.yaml")] == [
        "house/more.py:5:5: error[TK103]: duplicate tool name 'shout'"
    ]


def test_file_with_several_tools_is_not_one_step(house):
    house.write("house/p.yaml", "steps:\n  - use: tools.py\n")
    assert problems_of("house/p.yaml") == [
        (
            "house/p.yaml:2:10: error[TK604]: 'tools.py' has 2 tools, and a step calls one "
            "(name it, as in 'tools.py:shout')"
        )
    ]


def test_missing_pipeline_is_not_found(project):
    project.write("report.yaml", "steps: [calculator]\n")
    assert project.problems("reprt.yaml") == [
        "error[TK001]: there is no file 'reprt.yaml' (did you mean 'report.yaml'?)"
    ]


def test_file_and_pipeline_in_a_folder_are_opened_together(house):
    house.write("house/p.yaml", "name: loud\ntools: [tools.py]\nsteps: [shout]\n")
    opened = house.open("house")
    assert [str(problem) for problem in opened.problems] == []
    assert list(opened.tools) == ["loud", "shout", "whisper"]
    assert list(house.open("house/p.yaml:loud").tools) == ["loud"]


def test_expressions_read_only_the_listed_variables(project, monkeypatch):
    monkeypatch.setenv("REPORT_DIR", "out")
    monkeypatch.setenv("SECRET", "hunter2")
    monkeypatch.setenv("TOOLKIT_CONSENT", "env")
    project.write("toolkit.toml", "env = ['REPORT_DIR']\n")
    project.write("p.yaml", "steps:\n  - set: ${{ env.REPORT_DIR }}\n")
    assert run(load_pipeline("p.yaml")) == "out"
    project.write("q.yaml", "inputs: {}\nsteps:\n  - set: ${{ env.SECRET }}\n")
    assert problems_of("q.yaml") == [
        "q.yaml:3:14: error[TK605]: the configuration does not list the variable 'SECRET' (list it under 'env' in the configuration)"
    ]


def test_wrong_settings_are_told_with_the_pipelines_problems(project):
    project.write("toolkit.toml", "envs = []\n")
    project.write("p.yaml", "steps: [calculatr]\n")
    assert problems_of("p.yaml") == [
        "toolkit.toml:1:1: error[TK005]: unknown key 'envs' (did you mean 'env'?)",
        "p.yaml:1:9: error[TK604]: unknown tool 'calculatr' (did you mean 'calculator'?)",
    ]

"""Tools that only agents have a use for: they are targets like others, and belong to no `builtin`."""

import pytest

from toolkit import load_tools
from toolkit.settings import Configuration
from toolkit.sources import SourceOpener, open_targets
from toolkit.sources.ready import FOR_AGENTS  # private


@pytest.mark.parametrize("name", FOR_AGENTS)
def test_a_tool_for_agents_is_found_by_its_name(name):
    opened = open_targets([name], Configuration())
    assert (list(opened.tools), opened.problems) == ([name], [])
    assert opened.tools[name].spec.read_only


def test_a_tool_behind_one_of_them_is_found_too():
    [found] = open_targets(["agent_process.process_budget"], Configuration()).tools.values()
    assert found.name == "process_budget"
    [problem] = open_targets(["blackboard.blackboard_lost"], Configuration()).problems
    assert problem.message == "nothing is named 'blackboard_lost' in 'blackboard'"


def test_tools_for_agents_are_no_ready_tools():
    assert set(FOR_AGENTS).isdisjoint(load_tools("builtin"))


def test_a_group_or_a_tool_of_the_project_comes_first(tmp_path, monkeypatch):
    (tmp_path / "tools.py").write_text(
        'from toolkit import tool\n\n\n@tool\ndef progress(step: int) -> int:\n    """Step on."""\n    return step\n',
        "utf-8",
    )
    monkeypatch.chdir(tmp_path)
    opened = open_targets(["progress"], Configuration(sources=("tools.py",), directory=tmp_path))
    assert list(opened.tools["progress"].spec.properties) == ["step"]


def test_names_of_tools_for_agents_are_suggested():
    assert set(FOR_AGENTS) <= set(SourceOpener(Configuration()).known_names())
    [problem] = open_targets(["blackbord"], Configuration()).problems
    assert "did you mean 'blackboard'" in (problem.hint or "")

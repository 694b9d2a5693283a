"""Tools of ours for agents of other frameworks."""

import sys

import pytest

from tests.installers import INSTALL
from toolkit import from_function
from toolkit.errors import ConfigurationError
from toolkit.frameworks import to_langchain, to_openai_agents


def missing(package):
    return f"'{package}', which is not installed: {INSTALL} '{package}'"


def forecast(city: str) -> str:
    """Tell the weather."""
    return f"{city}: sunny"


@pytest.mark.parametrize(("export", "package"), [(to_langchain, "langchain-core"), (to_openai_agents, "openai-agents")])
def test_framework_that_is_not_installed_is_named(export, package):
    with pytest.raises(ConfigurationError) as raised:
        export(from_function(forecast))
    assert str(raised.value) == f"{export.__name__} needs {missing(package)}"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder that imports look into first."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "agents", raising=False)
    yield tmp_path
    sys.modules.pop("agents", None)


def test_a_folder_of_the_same_name_is_not_taken_for_the_framework(folder):
    (folder / "agents").mkdir()
    with pytest.raises(ConfigurationError) as raised:
        to_openai_agents(from_function(forecast))
    assert str(raised.value) == f"to_openai_agents needs {missing('openai-agents')}"


def test_a_module_of_the_same_name_is_not_taken_for_the_framework(folder):
    (folder / "agents.py").write_text("", "utf-8")
    with pytest.raises(ConfigurationError) as raised:
        to_openai_agents(from_function(forecast))
    assert str(raised.value) == (
        f"to_openai_agents needs 'openai-agents', but 'agents' is {folder / 'agents.py'}: rename that file"
    )

"""Tools of ours for agents of other frameworks."""

import pytest

from toolkit import from_function
from toolkit.errors import ConfigurationError
from toolkit.frameworks import to_langchain, to_openai_agents


def forecast(city: str) -> str:
    """Tell the weather."""
    return f"{city}: sunny"


@pytest.mark.parametrize(("export", "package"), [(to_langchain, "langchain-core"), (to_openai_agents, "openai-agents")])
def test_framework_that_is_not_installed_is_named(export, package):
    with pytest.raises(ConfigurationError) as raised:
        export(from_function(forecast))
    assert str(raised.value) == f"{export.__name__} needs '{package}': pip install {package}"

"""The public face: what it has, that it is documented, and that it is cheap."""

import doctest
import inspect
import re
from importlib import import_module
from importlib.metadata import version

import pytest

import toolkit

PUBLIC = {
    "ConfigurationError",
    "Continue",
    "Edit",
    "ErrorStrategy",
    "ExitEarly",
    "ExitEarlyError",
    "InvalidPipeline",
    "InvalidTools",
    "MemoryId",
    "Pipeline",
    "Problem",
    "Reject",
    "ReviewRequest",
    "Reviewer",
    "Tool",
    "ToolArgumentsError",
    "ToolCall",
    "ToolContext",
    "ToolExecutionError",
    "ToolResult",
    "ToolSpec",
    "ToolkitError",
    "TypedTool",
    "WrappedTool",
    "from_function",
    "from_object",
    "load_pipeline",
    "load_tools",
    "resolve_tools",
    "tool",
    "toolbox",
}


def test_public_names_are_exactly_these():
    assert set(toolkit.__all__) == PUBLIC


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_every_public_name_is_importable_and_documented(name):
    documentation = inspect.getdoc(getattr(toolkit, name))
    assert documentation
    assert re.match(r"[A-Z@`].*[.:]", documentation, re.DOTALL), "a docstring is made of sentences"


@pytest.mark.parametrize("home", ["toolkit", "toolkit.pipelines.builder", "toolkit.tools.text", *toolkit._HOMES])
def test_what_docstrings_show_is_so(home):
    assert doctest.testmod(import_module(home)).failed == 0


def test_public_names_are_listed_by_dir():
    assert set(dir(toolkit)) >= PUBLIC


def test_unknown_name_is_an_attribute_error_that_names_it():
    with pytest.raises(AttributeError, match="nothing_of_this_name"):
        toolkit.nothing_of_this_name  # noqa: B018


def test_version_is_that_of_the_installed_distribution():
    assert toolkit.__version__ in {version("toolkit-cli"), "0+unbuilt"}

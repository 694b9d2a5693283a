"""What a name in a module means: the tool that is listed, and never a function around its approval."""

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

from tests.volumes import examples
from toolkit import InvalidTools, from_function
from toolkit.tools.definition.names import name_problem  # private

HEAD = '''
from functools import partial

from toolkit import Tool, from_function, tool
from toolkit.wrappers import ConfirmedTool

S = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def wipe(name: str) -> str:
    """Wipe."""
    return "wiped"


alias = wipe
'''
GATED = HEAD + "gated = Tool.create('wipe', 'Gated.', S, wipe, requires_approval=True)\n"


def meant(project, code, name, source="shop.py"):
    """Return the descriptions of the tools that a name means, or the problems."""
    project.write(source, code)
    opened = project.open(f"{source}:{name}")
    return [(each.name, each.description) for each in opened.tools.values()] or [str(each) for each in opened.problems]


@pytest.mark.parametrize("name", ["wipe", "alias", "gated"])
def test_a_function_means_the_tool_that_was_made_from_it(project, name):
    assert meant(project, GATED, name) == [("wipe", "Gated.")]


@pytest.mark.parametrize("name", ["wipe", "alias"])
def test_a_function_of_several_tools_means_none_of_them_and_names_them(project, name):
    code = GATED.replace("'wipe'", "'first'") + "second = Tool.create('second', 'Free.', S, wipe)\n"
    message = f"'{name}' is the function from which the tools 'first' and 'second' were made, so it only runs as a tool"
    hint = "name 'shop.py:first' or 'shop.py:second', or mark it with @tool"
    assert meant(project, code, name) == [f"shop.py:9:5: error[TK003]: {message} ({hint})"]


def test_the_tool_with_the_name_of_the_function_is_meant_among_several(project):
    code = GATED + "second = Tool.create('second', 'Free.', S, wipe)\n"
    assert meant(project, code, "wipe") == [("wipe", "Gated.")]


@pytest.mark.parametrize("made", ["partial(wipe)", "lambda name: wipe(name)"])
def test_a_function_inside_that_of_a_tool_is_not_run_without_it(project, made):
    code = HEAD + f"gated = Tool.create('clear', 'Gated.', S, {made}, requires_approval=True)\n"
    message = "'wipe' is the function from which the tool 'clear' was made, so it only runs as a tool"
    hint = "name 'shop.py:clear', or mark it with @tool"
    assert meant(project, code, "wipe") == [f"shop.py:9:5: error[TK003]: {message} ({hint})"]


def test_a_function_of_a_tool_that_is_not_valid_does_not_run_without_it(project):
    code = HEAD + "gated = Tool.create('clear', 'Gated.', {'type': 'array'}, wipe, requires_approval=True)\n"
    assert meant(project, code, "wipe") == [
        "shop.py:9:5: error[TK302]: the parameters of 'clear' must be a JSON Schema of type 'object'",
        "shop.py:9:5: error[TK302]: the function requires 'name', but the schema does not",
    ]


def test_a_function_from_which_another_module_makes_a_tool_names_that_module(project):
    project.write("plain_work.py", HEAD)
    code = "from plain_work import S, Tool, wipe\ngated = Tool.create('clear', 'Gated.', S, wipe, requires_approval=True)\n"
    project.write("made_work.py", code)
    opened = project.open("made_work.py", "plain_work.py:wipe")
    assert [each.message for each in opened.problems] == [
        "'wipe' is the function from which the tool 'clear' was made, so it only runs as a tool"
    ]
    assert [each.hint for each in opened.problems] == ["name 'made_work:clear', or mark it with @tool"]


@pytest.mark.parametrize("name", ["wipe", "careful", "plain"])
def test_a_wrapper_replaces_the_tool_that_it_wraps(project, name):
    code = HEAD + "plain = from_function(wipe)\ncareful = ConfirmedTool(plain, 'Really?')\n"
    project.write("shop.py", code)
    opened = project.open(f"shop.py:{name}")
    assert (opened.problems, [each.demands for each in opened.tools.values()]) == ([], [True])
    assert project.open("shop.py").tools["wipe"].demands


def test_a_tool_replaces_the_marked_function_that_it_was_made_from(project):
    code = HEAD.replace("def wipe", "@tool\ndef wipe") + "careful = ConfirmedTool(from_function(wipe), 'Really?')\n"
    project.write("shop.py", code)
    for target in ("shop.py", "shop.py:wipe", "shop.py:alias", "shop.py:careful"):
        opened = project.open(target)
        assert (opened.problems, [each.demands for each in opened.tools.values()]) == ([], [True])


def test_a_less_careful_tool_does_not_replace_the_marked_function(project):
    code = HEAD.replace("def wipe", "@tool(requires_approval=True)\ndef wipe")
    code += "free = Tool.create('wipe', 'Free.', S, wipe)\n"
    project.write("shop.py", code)
    for target in ("shop.py", "shop.py:wipe"):
        opened = project.open(target)
        assert [each.spec.requires_approval for each in opened.tools.values()] == [True]
        assert [each.code for each in opened.problems] == ["TK103"]


@pytest.mark.parametrize("name", ["gated.work", "gated.function", "gated.perform", "gated.call"])
def test_nothing_inside_a_tool_can_be_named(project, name):
    [problem] = meant(project, GATED, name)
    assert problem.startswith(f"error[TK001]: nothing is named '{name}' in 'shop.py'")


def test_naming_a_tool_creates_no_other(project):
    code = HEAD + (
        "@tool\ndef other(name: str) -> str:\n    'Other.'\n    return name\n\n\nclass Costly:\n    def __init__(self) -> None:\n"
        "        raise SystemExit\n\n    @tool\n    def costly(self) -> str:\n        'Costly.'\n        return ''\n"
    )
    assert meant(project, code, "other") == [("other", "Other.")]


@given(st.from_regex(r"[A-Za-z0-9_-]{1,12}", fullmatch=True))
@settings(max_examples=examples(500), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@example("9lives")
@example("-rf")
@example("--help")
@example("7")
@example("-")
def test_every_valid_name_is_a_target_and_no_option(project, name):
    if name_problem(name) is not None:
        assert name.startswith("-")
        with pytest.raises(InvalidTools, match="cannot begin with a hyphen"):
            from_function(len, name=name)
        return
    module = f"names_{abs(hash(name))}.py"
    project.write(module, HEAD + f"listed = [from_function(wipe, name={name!r})]\n")
    for target in (f"{module}:{name}", module):
        assert list(project.open(target).tools) == [name]


def test_a_marked_function_does_not_run_without_the_invalid_tool_around_it(project):
    code = (
        HEAD.replace("def wipe", "@tool\ndef wipe") + "careful = ConfirmedTool(from_function(wipe, name='a b'), '?')\n"
    )
    project.write("shop.py", code)
    opened = project.open("shop.py:wipe")
    assert [each.message for each in opened.problems if each.severity == "error"] == [
        "invalid tool name 'a b': only letters, digits, underscores and hyphens are allowed"
    ]

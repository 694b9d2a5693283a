"""What a target means, and what is said where it means nothing."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st

from tests.volumes import examples
from toolkit import InvalidTools, Problem, Tool, load_tools
from toolkit.builtin import ready_tools
from toolkit.sources.targets import FilesTarget, NameTarget, parse_target  # private


def names(opened):
    assert [str(problem) for problem in opened.problems] == []
    return list(opened.tools)


def test_file_gives_its_tools(project):
    project.tool("tools.py", "forecast")
    opened = project.open("tools.py")
    assert names(opened) == ["forecast"]
    assert opened.tools["forecast"].spec.source == "tools.py"
    assert opened.tools["forecast"].run({"text": "rain"}).output == "rain"


def test_name_after_a_file_picks_one_tool(project):
    project.write(
        "tools.py",
        '''
        from toolkit import tool

        @tool
        def one(a: int) -> int:
            """One."""
            return a

        @tool(name="renamed")
        def two(a: int) -> int:
            """Two."""
            return a
        ''',
    )
    assert names(project.open("tools.py:one")) == ["one"]
    assert names(project.open("tools.py:two")) == ["renamed"]
    assert names(project.open("tools.py:renamed")) == ["renamed"]


def test_unknown_name_in_a_file_names_the_nearest(project):
    project.tool("tools.py", "forecast")
    assert project.problems("tools.py:forcast") == [
        "error[TK001]: nothing is named 'forcast' in 'tools.py' (did you mean 'forecast'?)"
    ]


def test_unknown_name_like_no_other_lists_the_tools_or_the_first_of_many(project):
    project.tool("tools.py", "forecast")
    text = "from toolkit import tool\n" + "".join(
        f'@tool\ndef job{n:02}() -> None:\n    """Do it."""\n' for n in range(14)
    )
    project.write("many.py", text)
    project.write("none.py", "x = 1\n")
    assert [project.problems(f"{file}.py:qqq") for file in ("tools", "many", "none")] == [
        ["error[TK001]: nothing is named 'qqq' in 'tools.py' (it has forecast)"],
        [
            (
                "error[TK001]: nothing is named 'qqq' in 'many.py' (it has job00, job01, job02, job03, job04, job05, "
                "job06, job07, job08, job09, job10, job11 and 2 more)"
            )
        ],
        ["error[TK001]: nothing is named 'qqq' in 'none.py'"],
    ]


def test_unknown_file_names_the_nearest(project):
    project.tool("tools.py", "forecast")
    assert project.problems("tols.py") == ["error[TK001]: there is no file 'tols.py' (did you mean 'tools.py'?)"]


def test_unknown_file_with_nothing_near_says_where_it_was_looked_for(project):
    assert project.problems("tools.py") == [
        f"error[TK001]: there is no file 'tools.py' (looked for in '{project.folder}')"
    ]
    assert project.problems("nowhere/tools.py:f") == [
        "error[TK001]: there is no file 'nowhere/tools.py' (there is no folder 'nowhere' either)"
    ]


def test_file_of_another_kind_is_no_source(project):
    project.write("notes.txt", "hello")
    assert project.problems("notes.txt") == [
        (
            "error[TK003]: 'notes.txt' is neither a Python file nor a pipeline "
            "(name a file that ends in .py, .yaml or .yml)"
        )
    ]


def test_folder_gives_the_tools_below_it_in_order(project):
    project.tool("tools/b.py", "bravo")
    project.tool("tools/a.py", "alpha")
    project.tool("tools/deep/c.py", "charlie")
    project.write("tools/helper.py", "VALUE = 1\n")
    assert names(project.open("tools")) == ["alpha", "bravo", "charlie"]
    assert names(project.open("tools:bravo")) == ["bravo"]


def test_glob_gives_what_it_matches(project):
    project.tool("a_tools.py", "alpha")
    project.tool("b_tools.py", "bravo")
    project.tool("other.py", "charlie")
    assert names(project.open("*_tools.py")) == ["alpha", "bravo"]
    assert names(project.open("**/other.py")) == ["charlie"]
    project.tool("deep/.hidden/d.py", "delta")
    project.tool("deep/er/e_tools.py", "echo")
    assert names(project.open("deep/**/*.py")) == ["echo"]
    assert names(project.open("deep/.hidden/*.py")) == ["delta"]
    assert names(project.open(f"{project.folder}/*_tools.py")) == ["alpha", "bravo"]
    assert names(project.open("d*/e?/../er/e_*.py")) == ["echo"]
    for stars in ("***", "****.py", "deep/***", "***/er", "***/***/e***"):  # only two stars are special
        single = re.sub(r"\*+", "*", stars)
        assert list(project.open(stars).tools) == list(project.open(single).tools) != []
    assert project.problems("x*.py") == [f"error[TK001]: no file matches 'x*.py' (looked for in '{project.folder}')"]


def test_file_without_tools_says_how_to_make_one(project):
    project.write("tools.py", "VALUE = 1\n")
    assert project.problems("tools.py") == [
        "tools.py: error[TK004]: no tools were found in 'tools.py' (mark a function with `@tool`)"
    ]


def test_empty_folder_has_no_tools(project):
    (project.folder / "tools").mkdir()
    assert project.problems("tools") == [
        "error[TK004]: no tools were found in 'tools' (it contains no Python files, pipelines or agents)"
    ]


def test_ready_tool_is_known_by_its_name(project):
    assert names(project.open("calculator")) == ["calculator"]
    assert project.open("calculator").tools["calculator"].run({"input": "2^3^2"}).output == "512"


def test_builtin_means_all_ready_tools(project):
    opened = project.open("builtin")
    left_out = [problem.message.split("'")[1] for problem in opened.problems if problem.severity == "info"]
    assert sorted([*opened.tools, *left_out]) == sorted(ready_tools())
    assert "calculator" in opened.tools


def test_ready_file_tools_work_in_the_working_directory(project):
    project.write("notes.txt", "hello")
    result = project.open("file_read").tools["file_read"].run({"path": "notes.txt"})
    assert result.output == "hello"


def test_unknown_word_names_the_nearest_ready_tool(project):
    assert project.problems("calcultor") == ["error[TK001]: nothing is named 'calcultor' (did you mean 'calculator'?)"]
    assert project.problems("qqqqq") == [
        "error[TK001]: nothing is named 'qqqqq' (name a file, a folder, a tool or a module)"
    ]
    assert project.problems("") == [
        "error[TK001]: an empty name is not a target (name a file, a folder, a tool or a module)"
    ]
    assert project.problems("what is this") == ["error[TK001]: nothing is named 'what is this'"]


def test_module_is_found_from_the_working_directory(project):
    project.write("shop/__init__.py")
    project.tool("shop/prices.py", "price")
    assert names(project.open("shop.prices")) == ["price"]
    assert names(project.open("shop.prices:price")) == ["price"]
    assert project.open("shop.prices").tools["price"].spec.source == "shop.prices"
    assert project.problems("shop.prces:price") == [
        "error[TK001]: there is no module 'shop.prces' (name a file, a folder, a tool or a module)"
    ]
    assert project.problems("zzz.py:price") == [
        "error[TK001]: there is no file 'zzz.py' (name a file, a folder, a tool or a module)"
    ]


def test_a_colon_after_what_is_not_a_module_is_answered_with_what_to_write(project):
    project.write("toolkit.toml", "[mcp.zoo]\ncommand = 'zoo-server'\n")
    configuration = project.configured()
    targets = ("builtin:calculator", "calculator:add", "zoo:feed", "zoo.feed:animal")
    assert project.problems(*targets, configuration=configuration) == [
        "error[TK001]: 'builtin' is not a module, so ':calculator' cannot follow it (write 'calculator')",
        "error[TK001]: 'calculator' is not a module, so ':add' cannot follow it (write 'calculator')",
        "error[TK001]: 'zoo' is not a module, so ':feed' cannot follow it (write 'zoo.feed')",
        "error[TK001]: 'zoo.feed' is not a module, so ':animal' cannot follow it (write 'zoo.feed')",
    ]


def test_existing_path_comes_before_a_ready_tool(project):
    project.tool("calculator/own.py", "own")
    assert names(project.open("calculator")) == ["own"]


def test_broken_source_hides_no_other(project):
    project.write("bad.py", "import jsno\n")
    project.tool("good.py", "forecast")
    opened = project.open("bad.py", "missing.py", "good.py", "calculator")
    assert list(opened.tools) == ["forecast", "calculator"]
    assert [problem.code for problem in opened.problems] == ["TK002", "TK001"]


def test_broken_tool_hides_no_other_in_its_file(project):
    project.write(
        "tools.py",
        '''
        from toolkit import tool

        @tool
        def bad(*numbers: int) -> int:
            """Adds."""
            return sum(numbers)

        @tool
        def good(a: int) -> int:
            """Keeps."""
            return a
        ''',
    )
    opened = project.open("tools.py")
    assert list(opened.tools) == ["good"]
    assert [str(problem).partition(": parameter")[0] for problem in opened.problems] == ["tools.py:4:10: error[TK321]"]


def test_two_tools_of_one_name_are_reported_with_both_places(project):
    project.tool("a.py", "forecast")
    project.tool("b.py", "forecast", before="import os")
    opened = project.open("a.py", "b.py")
    assert list(opened.tools) == ["forecast"]
    (problem,) = opened.problems
    assert str(problem).startswith("b.py:6:5: error[TK103]: duplicate tool name 'forecast' (rename one: ")
    assert [(str(place), what) for place, what in problem.related] == [("a.py:5:5", "first defined here")]


def test_tool_reached_in_two_ways_is_one_tool(project):
    project.tool("a.py", "forecast")
    project.write("b.py", "from a import forecast\n")
    assert names(project.open(".")) == ["forecast"]
    assert names(project.open("a.py", "b.py", "a.py:forecast")) == ["forecast"]


def test_load_tools_returns_tools_by_name(project):
    project.tool("tools.py", "forecast")
    tools = load_tools("tools.py", "calculator")
    assert list(tools) == ["forecast", "calculator"]
    assert all(isinstance(tool, Tool) for tool in tools.values())


def test_load_tools_raises_every_problem(project):
    project.write("bad.py", "import jsno\n")
    with pytest.raises(InvalidTools) as raised:
        load_tools("bad.py", "tols.py")
    assert [str(problem) for problem in raised.value.problems] == [
        (
            "bad.py:1:1: error[TK002]: 'bad.py' cannot be imported: ModuleNotFoundError: No module named 'jsno' "
            "(did you mean 'json', or is it not installed?)"
        ),
        f"error[TK001]: there is no file 'tols.py' (looked for in '{project.folder}')",
    ]


def test_python_file_is_opened_without_yaml_and_pipelines(project):
    project.tool("tools.py", "forecast")
    program = (
        "import sys; from toolkit.sources.opening import open_targets; "
        "from toolkit.settings.configuration import Configuration; "
        "assert open_targets(['tools.py:forecast'], Configuration()).tools; "
        "print([name for name in ('yaml', 'toolkit.pipelines.loading', 'toolkit.builtin.calculator', 'anyio', 'rich', "
        "'toolkit.sources.import_failures', 'difflib', 'tomllib') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_ready_tool_is_opened_alone(project):
    program = (
        "import sys; from toolkit.sources.opening import open_targets; "
        "from toolkit.settings.configuration import Configuration; "
        "assert open_targets(['calculator'], Configuration()).tools; "
        "print([name for name in ('yaml', 'toolkit.builtin.file_read', 'toolkit.builtin.date_time', "
        "'toolkit.sources.module_tools', 'toolkit.sources.modules') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(max_size=30) | st.text("ab./:*?[]~\\ \0", max_size=12) | st.text("a.*", max_size=6) | st.just("x" * 5000)
)
def test_no_text_makes_a_target_crash(project, text):
    assume("*" not in text or not text.startswith(("/", "~", "..")))  # a pattern for all files of this machine
    target = parse_target(text, Path())
    assert isinstance(target, FilesTarget | NameTarget | Problem)
    if isinstance(target, Problem):
        assert target.code in {"TK001", "TK003"}


@pytest.mark.parametrize(
    "text", ["\ud800.py", "a\0b.py", "x" * 5000 + ".py", "~nobody_at_all/x.py", "a:b:c.py:d", ":", "a:", ":b"]
)
def test_odd_target_is_told_what_it_is(project, text):
    opened = project.open(text)
    assert (opened.tools, [problem.code for problem in opened.problems]) == ({}, ["TK001"])

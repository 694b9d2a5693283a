"""The settings of a project: where they come from, and what is said of wrong ones."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.volumes import examples
from toolkit.regular_files import Boundary  # private
from toolkit.settings import Configuration, find_configuration


def found(project, folder=".", **variables):
    configuration, problems = find_configuration(project.folder / folder, variables)
    assert [str(problem) for problem in problems] == []
    return configuration


def problems(project, **variables):
    return [
        str(problem).removeprefix(f"{project.folder}/") for problem in find_configuration(project.folder, variables)[1]
    ]


WHOLE = """
sources = ["tools.py", "pipelines/"]
env = ["REPORT_DIR"]

[{prefix}defaults]
timeout = "30s"
approval_timeout = "5m"

[{prefix}context]
tenant = "acme"
limits = {{ most = 3 }}
"""


def test_own_file_says_everything(project):
    file = project.write("toolkit.toml", WHOLE.format(prefix=""))
    assert found(project) == Configuration(
        directory=project.folder,
        file=file,
        sources=("tools.py", "pipelines/"),
        timeout=30.0,
        approval_timeout=300.0,
        env=("REPORT_DIR",),
        context={"tenant": "acme", "limits": {"most": 3}},
    )


def test_project_file_says_the_same_in_its_table(project):
    file = project.write(
        "pyproject.toml", "[project]\nname = 'x'\n\n[tool.toolkit]" + WHOLE.format(prefix="tool.toolkit.")
    )
    configuration = found(project)
    assert (configuration.file, configuration.timeout, configuration.sources) == (
        file,
        30.0,
        ("tools.py", "pipelines/"),
    )


def test_without_settings_there_are_the_defaults(project):
    assert found(project) == Configuration(directory=project.folder)


def test_nearest_file_upwards_holds(project):
    project.write("toolkit.toml", "env = ['FAR']\n")
    project.write("near/pyproject.toml", "[tool.toolkit]\nenv = ['NEAR']\n")
    project.write("near/other/pyproject.toml", "[tool.other]\nabout = 'toolkit'\n")
    assert found(project, "near/other").env == ("NEAR",)
    assert found(project, ".").env == ("FAR",)


@pytest.mark.parametrize("repository", ["folder", "file"])
def test_search_ends_at_the_root_of_the_repository(project, repository):
    project.write("toolkit.toml", "env = ['OUTSIDE']\n")
    if repository == "folder":
        (project.folder / "clone/.git").mkdir(parents=True)
    else:
        project.write("clone/.git", "gitdir: elsewhere\n")
    (project.folder / "clone/deep").mkdir()
    assert found(project, "clone/deep") == Configuration(directory=project.folder / "clone/deep")
    project.write("clone/toolkit.toml", "env = ['INSIDE']\n")
    assert found(project, "clone/deep").env == ("INSIDE",)


def test_search_ends_at_the_file_system():
    assert list(Boundary(Path("/proc/self/fd").resolve()).folders())[-1] == Path("/proc")


@pytest.mark.skipif(os.getuid() != 0, reason="only the administrator can give files away")
def test_files_and_folders_of_other_users_above_say_nothing(project):
    stranger = 65534
    os.chown(project.write("toolkit.toml", "env = ['PLANTED']\n"), stranger, stranger)
    (project.folder / "own").mkdir()
    assert found(project, "own") == Configuration(directory=project.folder / "own")
    assert found(project).env == ()
    os.chown(project.folder / "toolkit.toml", 0, 0)
    assert found(project, "own").env == ("PLANTED",)
    os.chown(project.folder, stranger, stranger)
    assert found(project, "own") == Configuration(directory=project.folder / "own")


@pytest.mark.skipif(os.getuid() != 0, reason="only the administrator can give files away")
def test_settings_of_the_folder_that_somebody_stands_in_hold_whoever_owns_it(project):
    stranger = 65534
    os.chown(project.write("toolkit.toml", "env = ['OWN']\n"), stranger, stranger)
    os.chown(project.folder, stranger, stranger)
    assert found(project).env == ("OWN",)


def test_own_file_comes_before_the_project_file(project):
    project.write("toolkit.toml", "env = ['OWN']\n")
    project.write("pyproject.toml", "[tool.toolkit]\nenv = ['PROJECT']\n")
    assert found(project).env == ("OWN",)


def test_broken_project_file_that_is_not_about_us_is_none_of_ours(project):
    project.write("pyproject.toml", "name = 'toolkit'\nbroken = \n")
    assert found(project) == Configuration(directory=project.folder)


def test_everything_wrong_is_told_at_once_with_its_line(project):
    project.write(
        "toolkit.toml",
        """
        source = ["tools.py"]
        sources = "tools.py"
        env = ["A-B"]
        context = 3
        xyzzy = {}

        [defaults]
        timeout = 30
        approval_timeout = "soon"
        timout = "1s"
        """,
    )
    assert problems(project) == [
        "toolkit.toml:1:1: error[TK005]: unknown key 'source' (did you mean 'sources'?)",
        "toolkit.toml:2:1: error[TK005]: 'sources' must be a list of strings (write sources = ['tools.py'])",
        "toolkit.toml:3:1: error[TK005]: 'env' must be a list of names of environment variables",
        "toolkit.toml:4:1: error[TK005]: 'context' must be a table (write context = { tenant = 'acme' })",
        (
            "toolkit.toml:5:1: error[TK005]: unknown key 'xyzzy' "
            "(the keys are sources, skills, env, secrets, defaults, context, builtin, groups, mcp, openapi, serve, prices, "
            "limits, audit, keep_runs, webhook, policy, lint)"
        ),
        (
            "toolkit.toml:8:1: error[TK005]: 'defaults.timeout' must be a duration such as '500ms', '30s' or '5m', above zero "
            "and at most 720h (write '30s' for seconds)"
        ),
        (
            "toolkit.toml:9:1: error[TK005]: 'defaults.approval_timeout' must be a duration such as '500ms', '30s' or '5m', "
            "above zero and at most 720h"
        ),
        "toolkit.toml:10:1: error[TK005]: unknown key 'defaults.timout' (did you mean 'timeout' or 'model_timeout'?)",
    ]


def test_places_are_found_in_the_project_file(project):
    project.write(
        "pyproject.toml",
        """
        [project]
        sources = 1

        [tool . toolkit]
        sorces = 1
        "defaults".timout = 1
        context = []

        [tool.toolkit.xyzzy]
        x = 1
        """,
    )
    assert [problem.partition(": error")[0] for problem in problems(project)] == [
        "pyproject.toml:5:1",
        "pyproject.toml:6:1",
        "pyproject.toml:7:1",
        "pyproject.toml:9:2",
    ]


def test_key_of_an_inline_table_has_a_place_of_its_own(project):
    project.write("toolkit.toml", "env = []\ndefaults = { timout = '1s' }\n")
    assert problems(project) == [
        "toolkit.toml:2:14: error[TK005]: unknown key 'defaults.timout' (did you mean 'timeout' or 'model_timeout'?)"
    ]


def test_what_looks_like_a_key_inside_a_text_is_none(project):
    project.write("toolkit.toml", "context.note = '''\n[defaults]\ntimeout = 1\n'''\n\n[defaults]\ntimeout = 2\n")
    assert [problem.partition(": error")[0] for problem in problems(project)] == ["toolkit.toml:7:1"]


def test_what_is_right_holds_beside_what_is_wrong(project):
    project.write("toolkit.toml", "env = ['HOME']\nsource = 1\n")
    configuration, wrong = find_configuration(project.folder, {})
    assert (configuration.env, len(wrong)) == (("HOME",), 1)


def test_broken_toml_is_one_problem_with_its_place(project):
    project.write("toolkit.toml", "env = []\nsources = [\n  'a'\n  'b'\n]\n")
    assert problems(project) == ["toolkit.toml:4:3: error[TK005]: the TOML is broken: unclosed array"]
    project.write("toolkit.toml", "env = [\n")
    assert problems(project) == ["toolkit.toml:1: error[TK005]: the TOML is broken: invalid value"]
    project.folder.joinpath("toolkit.toml").write_bytes(b"env = ['\xff']\n")
    assert problems(project) == ["toolkit.toml: error[TK005]: the configuration is not UTF-8 text"]


def test_broken_table_of_ours_in_the_project_file_is_a_problem(project):
    project.write("pyproject.toml", "[tool.toolkit]\nenv = \n")
    assert problems(project) == ["pyproject.toml:2:7: error[TK005]: the TOML is broken: invalid value"]


def test_variables_override_the_file(project):
    project.write(
        "toolkit.toml", "sources = ['a.py']\nenv = ['A']\n[defaults]\ntimeout = '1s'\napproval_timeout = '2s'\n"
    )
    sources = os.pathsep.join(["b.py", "pipelines/", ""])
    configuration = found(
        project, TOOLKIT_SOURCES=sources, TOOLKIT_TIMEOUT="500ms", TOOLKIT_ENV="B, C", TOOLKIT_COLOUR="x"
    )
    assert (configuration.sources, configuration.env) == (("b.py", "pipelines/"), ("B", "C"))
    assert (configuration.timeout, configuration.approval_timeout) == (0.5, 2.0)


def test_name_after_a_python_file_stays_with_it_in_the_variable(project):
    assert found(project, TOOLKIT_SOURCES="a.py:one:pipelines:b.py").sources == ("a.py:one", "pipelines", "b.py")


def test_wrong_variable_is_named(project):
    assert problems(project, TOOLKIT_TIMEOUT="soon", TOOLKIT_APPROVAL_TIMEOUT="1 year") == [
        (
            "error[TK005]: the variable 'TOOLKIT_TIMEOUT' must be a duration such as '500ms', '30s' or '5m', above zero and "
            "at most 720h"
        ),
        (
            "error[TK005]: the variable 'TOOLKIT_APPROVAL_TIMEOUT' must be a duration such as '500ms', '30s' or '5m', above "
            "zero and at most 720h"
        ),
    ]


def test_project_without_settings_imports_no_reader(project):
    project.write("pyproject.toml", "[project]\nname = 'x'\n")
    program = (
        "import sys; from toolkit.settings.configuration_search import find_configuration; find_configuration(); "
        "print([name for name in ('tomllib', 'pydantic', 'toolkit.documents.node_keys') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# ------------------------------------------------------------------------------------------- configured sources at work


def test_configured_tools_are_known_by_name_from_every_folder(project):
    project.write("toolkit.toml", "sources = ['tools', 'stalls.prices']\n")
    project.tool("tools/weather.py", "forecast")
    project.write("stalls/__init__.py")
    project.tool("stalls/prices.py", "price")
    configuration = project.configured()
    (project.folder / "deep").mkdir()
    os.chdir("deep")
    assert list(project.open("forecast", "price", configuration=configuration).tools) == ["forecast", "price"]
    assert list(project.open(configuration=configuration).tools) == ["forecast", "price"]
    assert project.problems("forcast", configuration=configuration) == [
        "error[TK001]: nothing is named 'forcast' (did you mean 'forecast'?)"
    ]


def test_configured_tool_comes_before_a_ready_one(project):
    project.write("toolkit.toml", "sources = ['tools.py']\n")
    project.tool("tools.py", "calculator")
    opened = project.open("calculator", configuration=project.configured())
    assert opened.tools["calculator"].spec.source == f"{project.folder}/tools.py"


def test_broken_configured_source_only_warns_who_wants_something_else(project):
    project.write("toolkit.toml", "sources = ['bad.py', 'tools.py', 'missing.py']\n")
    project.tool("bad.py", "never", before="raise RuntimeError")
    project.write(
        "tools.py",
        """
        from toolkit import from_function


        def rain(city: str) -> str:
            \"\"\"Tells the weather.\"\"\"
            return city


        made = from_function(rain, name="fore" + "cast")
        """,
    )
    opened = project.open("forecast", configuration=project.configured())
    assert list(opened.tools) == ["forecast"]
    assert [(problem.code, problem.severity, str(problem.location)) for problem in opened.problems] == [
        ("TK002", "warning", "bad.py:1:1"),
        ("TK005", "warning", "toolkit.toml:1:1"),
    ]
    assert [problem.severity for problem in project.open(configuration=project.configured()).problems] == ["error"] * 2


def test_configured_source_that_does_not_have_the_name_is_left_closed(project):
    project.write("toolkit.toml", "sources = ['other.py', 'tools.py']\n")
    project.tool("other.py", "never", before="raise RuntimeError")
    project.tool("tools.py", "forecast")
    configuration = project.configured()
    for name in ("forecast", "calculator"):
        opened = project.open(name, configuration=configuration)
        assert (list(opened.tools), opened.problems) == ([name], [])


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.sampled_from("[]={}'\"#,.\n =envsourcetlkx1"), max_size=60))
def test_no_text_in_the_file_makes_it_crash(project, text):
    project.write("toolkit.toml", text)
    configuration, wrong = find_configuration(project.folder, {})
    assert isinstance(configuration, Configuration)
    assert {problem.code for problem in wrong} <= {"TK005"}


def test_models_are_said_with_their_prices_and_their_silence_and_variables_say_another(project):
    project.write(
        "toolkit.toml",
        '[defaults]\nmodel = "chat:qwen3"\nmodel_timeout = "2m"\n[prices."chat:qwen3"]\ninput = 0.5\noutput = 1\n',
    )
    said = found(project)
    assert (said.model, said.model_url, said.model_timeout, said.prices) == (
        "chat:qwen3",
        None,
        120.0,
        {"chat:qwen3": (0.5, 1.0)},
    )
    url = "http://127.0.0.1:1/v1"
    said = found(project, TOOLKIT_MODEL="chat:other", TOOLKIT_MODEL_URL=url, TOOLKIT_MODEL_TIMEOUT="1s")
    assert (said.model, said.model_url, said.model_timeout) == ("chat:other", url, 1.0)


def test_wrong_words_on_models_are_told_and_no_file_says_where_a_key_is_sent(project):
    project.write(
        "toolkit.toml",
        '[defaults]\nmodel = "qwen3"\nmodel_url = "http://elsewhere/v1"\n[prices]\n"chat:a" = { input = -1, inputs = 1 }\n',
    )
    assert problems(project) == [
        (
            "toolkit.toml:2:1: error[TK005]: 'defaults.model' must be the name of a model "
            "(write model = 'openai-chat:gpt-6-luna', or 'chat:NAME')"
        ),
        "toolkit.toml:3:1: error[TK005]: unknown key 'defaults.model_url' (did you mean 'model' or 'model_timeout'?)",
        "toolkit.toml:5:14: error[TK005]: 'prices.chat:a.input' must be US dollars per million tokens, such as 0.15",
        "toolkit.toml:5:26: error[TK005]: unknown key 'prices.chat:a.inputs' (did you mean 'input'?)",
    ]


OF_ANOTHER_PROGRAM = """
[toolkit]
name = "shop"
tools = "./shop/__init__.py:TOOLS"

[[mcp_servers]]
name = "orders"
"""


def test_own_file_of_another_program_is_passed_over_with_a_warning(project):
    file = project.write("toolkit.toml", OF_ANOTHER_PROGRAM)
    project.write("pyproject.toml", "[tool.toolkit]\nenv = ['REPORT_DIR']\n")
    configuration, [problem] = find_configuration(project.folder, {})
    assert (configuration.file, configuration.env) == (project.folder / "pyproject.toml", ("REPORT_DIR",))
    message = "this toolkit.toml is not read: no key in it is a setting of toolkit, so it is that of another program"
    assert (problem.severity, problem.message, problem.location.file) == ("warning", message, str(file))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("env = []\n\n[mcp_servers]\n", ["mcp_servers"]),
        ("[[polcy.deny]]\ntool = '*'\n", ["polcy"]),
        ("[policies]\n", ["policies"]),
        ("[[tool.toolkit.policy.deny]]\ntool = '*'\n", ["tool"]),
        ("[[toolkit.policy.deny]]\ntool = '*'\n", ["toolkit"]),
    ],
)
def test_own_file_whose_keys_may_be_misspelled_settings_is_wrong(text, named, project):
    project.write("toolkit.toml", text)
    found = find_configuration(project.folder, {})[1]
    assert [(one.severity, one.message) for one in found] == [("error", f"unknown key '{name}'") for name in named]


def test_commands_say_that_the_file_of_another_program_is_not_read(project):
    project.write("toolkit.toml", OF_ANOTHER_PROGRAM)
    project.tool("tools.py", "find")
    for command in ("list", "lint"):
        whole = [sys.executable, "-m", "toolkit_cli", command, "--static", "tools.py"]
        result = subprocess.run(whole, capture_output=True, text=True, check=False)
        assert (result.returncode, "find" in result.stdout or "(1 tool" in result.stdout) == (0, True)
        assert result.stderr.count("toolkit.toml: warning[TK005]: this toolkit.toml is not read") == 1

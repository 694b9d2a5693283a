"""Groups in the configuration: which tools they hold, what they need, and where they can be named."""

import pytest

from toolkit import InvalidTools, load_tools
from toolkit.settings import find_configuration
from toolkit.sources import open_targets

WEB = '''
from toolkit import tool
from toolkit.disclosure import UnfoldingTool
from toolkit.disclosure import ToolGroup


@tool
def fetch(url: str) -> str:
    """Fetch a page."""
    return url


@tool
def search_web(query: str) -> str:
    """Search the web."""
    return query


@tool
def search_news(query: str) -> str:
    """Search the news."""
    return query


def delete(page: str) -> str:
    """Delete a page."""
    return page


pages = UnfoldingTool.of("pages", "Work with pages.", [fetch])
own = ToolGroup.of("own", [fetch], permissions=["host_access"])
needy = ToolGroup.of("needy", [fetch], required=["feth"])
'''


def opened(project, *targets, grant=""):
    configuration, problems = find_configuration(project.folder, {"TOOLKIT_GRANT": grant} if grant else {})
    assert problems == []
    return open_targets(targets, configuration)


def reported(result):
    return [(problem.code, problem.severity, problem.message, problem.hint) for problem in result.problems]


def configured(project, text):
    project.write("web.py", WEB)
    return project.write("toolkit.toml", text)


@pytest.mark.parametrize(
    ("chosen", "names"),
    [
        ('tools = ["fetch"]', ["fetch"]),
        ('tools = ["search_*"]', ["search_web", "search_news"]),
        ('tools = ["/_web|^fet/"]', ["fetch", "search_web"]),
        ('tools = ["search_*"]\nexclude = ["*news"]', ["search_web"]),
        ('tools = ["search_news", "fetch", "search_*"]', ["search_news", "fetch", "search_web"]),
        ('tools = ["pages.fetch"]', ["fetch"]),
        ('tools = ["calculator"]', ["calculator"]),
        ('tools = ["calc*", "fetch"]', ["calculator", "fetch"]),
        ('sources = ["web.py"]', ["fetch", "search_web", "search_news", "pages"]),
        ('sources = ["web.py:search_news"]', ["search_news"]),
        ('sources = ["web.py"]\ntools = ["search_*"]', ["search_web", "search_news"]),
    ],
)
def test_a_group_holds_what_it_chooses(project, chosen, names):
    configured(project, f'sources = ["web.py"]\n[groups.web]\n{chosen}\n')
    result = opened(project, "web")
    assert (list(result.tools), result.problems) == (names, [])


def test_a_group_needs_no_configured_sources(project):
    configured(project, '[groups.web]\nsources = ["web.py"]\n')
    assert list(opened(project, "web.fetch").tools) == ["fetch"]


def test_a_group_whose_permission_was_not_granted_is_not_offered(project):
    configured(project, '[groups.web]\npermissions = ["internet_access", "host_access"]\nsources = ["web.py"]\n')
    hint = "to grant it, pass --grant {0} or set TOOLKIT_GRANT={0}"
    refused = {
        name: ("TK007", "error", f"group 'web' needs '{name}', which was not granted", hint.format(name))
        for name in ("host_access", "internet_access")
    }
    for target in ("web", "web.fetch"):
        result = opened(project, target)
        assert (result.tools, reported(result)) == ({}, list(refused.values()))
    assert reported(opened(project, "web", grant="internet_access")) == [refused["host_access"]]
    assert list(opened(project, "web.fetch", grant="host_access, internet_access").tools) == ["fetch"]


def test_refusal_stands_where_the_group_is_made(project):
    configured(project, '[groups.web]\npermissions = ["host_access"]\nsources = ["web.py"]\n')
    [problem] = opened(project, "web").problems
    assert str(problem.location) == "toolkit.toml:1:2"


def test_a_projects_file_cannot_grant(project):
    project.write("toolkit.toml", 'sources = []\ngranted = ["host_access"]\n')
    [problem] = find_configuration(project.folder, {})[1]
    assert problem.message == "unknown key 'granted'"


def test_permissions_that_there_are_not_are_told(project):
    _, problems = find_configuration(project.folder, {"TOOLKIT_GRANT": "internet_acces, all"})
    assert [(problem.code, problem.message, problem.hint) for problem in problems] == [
        ("TK005", "there is no permission 'internet_acces'", "did you mean 'internet_access'?"),
        ("TK005", "there is no permission 'all'", "permissions are internet_access and host_access"),
    ]


def test_a_group_without_a_required_tool_is_not_offered(project):
    configured(project, '[groups.web]\nsources = ["web.py"]\ntools = ["fetch"]\nrequired = ["search_web", "fetc"]\n')
    result = opened(project, "web")
    assert (result.tools, reported(result)) == (
        {},
        [
            ("TK008", "error", "group 'web' lacks its required tool 'search_web'", "it has fetch"),
            ("TK008", "error", "group 'web' lacks its required tool 'fetc'", "did you mean 'fetch'?"),
        ],
    )


def test_a_choice_that_finds_nothing_is_a_warning(project):
    configured(project, '[groups.web]\nsources = ["web.py"]\ntools = ["fetch", "feth", "x_*"]\n')
    result = opened(project, "web")
    assert list(result.tools) == ["fetch"]
    assert reported(result) == [
        ("TK001", "warning", "no tool that group 'web' can choose is named 'feth'", "did you mean 'fetch'?"),
        ("TK001", "warning", "no tool that group 'web' can choose is named 'x_*'", None),
    ]


def test_a_group_of_nothing_is_an_error(project):
    configured(project, '[groups.web]\nsources = ["web.py"]\nexclude = ["*"]\n')
    assert reported(opened(project, "web")) == [("TK004", "error", "the group 'web' has no tools", None)]


def test_a_name_that_a_group_does_not_hold_is_told_with_the_nearest(project):
    configured(project, '[groups.web]\nsources = ["web.py"]\n')
    assert reported(opened(project, "web.search_wep")) == [
        (
            "TK001",
            "error",
            "nothing is named 'search_wep' in group 'web'",
            "did you mean 'search_web' or 'search_news'?",
        )
    ]


def test_groups_may_hold_groups_but_not_themselves(project):
    configured(
        project,
        """
        [groups.inner]
        sources = ["web.py"]
        tools = ["search_*"]

        [groups.outer]
        tools = ["inner", "calculator"]

        [groups.one]
        sources = ["two"]

        [groups.two]
        sources = ["one"]
        """,
    )
    assert list(opened(project, "outer").tools) == ["search_web", "search_news", "calculator"]
    result = opened(project, "one")
    assert result.tools == {}
    assert result.problems[0].message == "the group 'one' contains itself: one → two → one"


def test_a_group_in_a_group_needs_its_own_permission(project):
    configured(
        project,
        """
        [groups.inner]
        permissions = ["internet_access"]
        sources = ["web.py"]

        [groups.outer]
        tools = ["inner.fetch", "calculator"]
        """,
    )
    assert [problem.code for problem in opened(project, "outer").problems][:1] == ["TK007"]
    assert opened(project, "outer").tools == {}
    assert list(opened(project, "outer", grant="internet_access").tools) == ["fetch", "calculator"]


def test_tools_of_one_name_in_a_group_clash(project):
    project.tool("more.py", "fetch")
    configured(project, '[groups.web]\nsources = ["web.py", "more.py"]\n')
    result = opened(project, "web")
    assert [problem.code for problem in result.problems] == ["TK103"]


def test_steps_of_a_pipeline_name_tools_of_groups(project):
    configured(project, '[groups.web]\npermissions = ["internet_access"]\nsources = ["web.py"]\n')
    project.write("one.yaml", "name: one\ndescription: One.\nsteps:\n  - {use: web.fetch, with: {url: a}}\n")
    project.write("two.yaml", "name: two\ndescription: Two.\ntools: [web]\nsteps:\n  - {use: fetch, with: {url: b}}\n")
    for target, output in (("one.yaml", "a"), ("two.yaml", "b")):
        [pipeline] = opened(project, target, grant="internet_access").tools.values()
        assert pipeline.run({}).output == output
        refused = opened(project, target)
        assert refused.tools == {}
        assert "TK007" in [problem.code for problem in refused.problems]


def test_a_step_cannot_call_a_whole_group(project):
    configured(project, '[groups.web]\nsources = ["web.py"]\n')
    project.write("one.yaml", "name: one\ndescription: One.\nsteps:\n  - {use: web, with: {url: a}}\n")
    messages = [problem.message for problem in opened(project, "one.yaml").problems]
    assert messages == ["'web' has 4 tools, and a step calls one"]


def test_groups_made_in_python_are_named_like_anything_else(project):
    configured(project, "")
    assert [problem.code for problem in opened(project, "web.py:own").problems] == ["TK007"]
    assert list(opened(project, "web.py:own", grant="host_access").tools) == ["fetch"]
    assert [problem.code for problem in opened(project, "web.py:needy").problems] == ["TK008"]


def test_load_tools_takes_groups(project, monkeypatch):
    configured(project, '[groups.web]\npermissions = ["internet_access"]\nsources = ["web.py"]\n')
    with pytest.raises(InvalidTools, match="needs 'internet_access', which was not granted"):
        load_tools("web")
    monkeypatch.setenv("TOOLKIT_GRANT", "internet_access")
    assert list(load_tools("web", "builtin"))[:2] == ["fetch", "search_web"]


def test_everything_wrong_with_groups_is_told_with_its_line(project):
    project.write(
        "toolkit.toml",
        """
        [groups.web]
        tool = ["fetch"]
        permissions = ["internet"]

        [groups."a b"]
        tools = ["/(/"]
        provider = 3
        """,
    )
    _, problems = find_configuration(project.folder, {})
    assert [(str(one.location.line), one.message, one.hint) for one in problems] == [
        ("5", "'a b' is not a valid name for a group", "a name is made of letters, digits and underscores"),
        ("2", "unknown key 'groups.web.tool'", "did you mean 'tools'?"),
        ("3", "there is no permission 'internet'", "did you mean 'internet_access'?"),
        ("1", "group 'web' chooses no tools", "write tools = ['name', 'prefix_*'], or sources = ['tools.py']"),
        ("7", "'groups.a b.provider' must be a string", "put quotes around it"),
        ("5", "the regular expression /(/ is invalid: missing ), unterminated subpattern at position 0", None),
    ]


@pytest.mark.parametrize("text", ["groups = 3", "groups = { web = 3 }"])
def test_groups_are_tables(project, text):
    project.write("toolkit.toml", f"{text}\n")
    [problem] = find_configuration(project.folder, {})[1]
    assert problem.message == "'groups' must be a table of tables"


@pytest.mark.parametrize("chosen", ['tools = ["fetch", "calculator"]', 'tools = ["fetch", "calc*"]'])
def test_a_group_may_be_a_source_beside_those_that_it_chooses_among(project, chosen):
    configured(project, f'sources = ["web", "web.py:fetch"]\n[groups.web]\n{chosen}\n')
    assert (list(opened(project).tools), opened(project).problems) == (["fetch", "calculator"], [])
    assert list(opened(project, "calculator").tools) == ["calculator"]


def test_a_source_that_is_a_group_gives_its_tools_their_names(project):
    configured(project, 'sources = ["web"]\n[groups.web]\npermissions = ["host_access"]\nsources = ["web.py"]\n')
    assert list(opened(project, "search_web", grant="host_access").tools) == ["search_web"]
    assert [problem.code for problem in opened(project, "search_web").problems] == ["TK001"]
    assert [problem.code for problem in opened(project).problems] == ["TK007"]


def test_a_group_that_chooses_what_there_is_not_is_no_circle(project):
    configured(project, 'sources = ["web.py", "web"]\n[groups.web]\ntools = ["fetch", "nothing_here"]\n')
    result = opened(project)
    assert [problem.message for problem in result.problems] == [
        "no tool that group 'web' can choose is named 'nothing_here'"
    ]

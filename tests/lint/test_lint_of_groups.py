"""Lint looks at pipelines that name tools of groups; what a group needs is no matter while nothing is called."""

from textwrap import dedent

from toolkit.lint import check
from toolkit.problems import errors_among
from toolkit.settings import find_configuration

TOOLS = '''
from toolkit import tool


@tool(read_only=True)
def fetch(url: str) -> str:
    """Fetch a page from the address that is given."""
    return url
'''


def checked(folder, monkeypatch, step):
    monkeypatch.chdir(folder)
    (folder / "web.py").write_text(TOOLS, "utf-8")
    (folder / "toolkit.toml").write_text(
        '[groups.web]\npermissions = ["internet_access"]\nsources = ["web.py"]\nrequired = ["fetch"]\n', "utf-8"
    )
    pipeline = f"""
    name: page
    description: Fetch a page.
    inputs: {{}}
    steps:
      - {step}
    """
    (folder / "page.yaml").write_text(dedent(pipeline), "utf-8")
    configuration, problems = find_configuration(folder, {})
    assert problems == []
    found = errors_among(check(["page.yaml"], configuration))
    return [(problem.code, problem.message, problem.hint) for problem in found]


def test_tools_of_groups_are_known(tmp_path, monkeypatch):
    assert checked(tmp_path, monkeypatch, "{use: web.fetch, with: {url: a}}") == []


def test_a_tool_that_a_group_does_not_hold_is_told(tmp_path, monkeypatch):
    [problem] = checked(tmp_path, monkeypatch, "{use: web.fetsh, with: {url: a}}")
    assert problem == ("TK604", "nothing is named 'fetsh' in group 'web'", "did you mean 'fetch'?")

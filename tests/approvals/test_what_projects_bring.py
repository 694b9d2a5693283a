"""What a project brings: a rule by name that allows is about the tools that its user has chosen, and about no others."""

import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import assume, given, settings, strategies as st
from typer.testing import CliRunner

from tests.approvals.test_merged_policies import FILES, RULES, read
from tests.volumes import examples
from toolkit import ToolCall, ToolContext, load_tools
from toolkit.agents import ScriptedModel, run_agent
from toolkit.approvals import DescribedCall, FilePolicy, Risk, load_policy
from toolkit.mcp import StdioServer
from toolkit.problems import Location
from toolkit.settings import Configuration, ReadySettings
from toolkit.sources.project_policies import Provenance  # private
from toolkit_cli.main import application

TOOLS = '''
from toolkit import tool

@tool
def fetch(url: str) -> str:
    """Fetch a page."""
    return "done"
'''


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Return the folder of a project whose files bring a tool `fetch`; its user has a folder of their own."""
    own = tmp_path / "own" / "toolkit"
    folder = tmp_path / "project"
    own.mkdir(parents=True)
    folder.mkdir()
    (folder / "tools.py").write_text(TOOLS, "utf-8")
    (folder / "toolkit.toml").write_text('sources = ["tools.py"]\n', "utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(own.parent))
    monkeypatch.setenv("CI", "")
    return folder


def own_rules(folder: Path, text: str) -> None:
    (folder.parent / "own" / "toolkit" / "policy.yaml").write_text(text, "utf-8")


def checked(*words, chosen_by="model"):
    """Return what is decided about a call, and why."""
    result = CliRunner().invoke(
        application(), ["policy", "check", *words, "--chosen-by", chosen_by, "--format", "json"]
    )
    [record] = json.loads(result.stdout)
    return record["decision"], record["because"]


def test_a_rule_by_name_is_not_about_the_tool_of_that_name_that_a_project_brings(project):
    own_rules(project, "allow: [{tool: fetch}]\n")
    decision, because = checked("fetch", "url=x")
    assert decision == "ask"
    file = project / "tools.py"
    assert because.startswith("a model chose it; the allow rule at ")
    assert because.endswith(f"policy.yaml:1 does not name the source '{file}'")


def test_where_the_default_denies_a_rule_that_asks_is_about_no_tool_that_a_project_names(project):
    own_rules(project, "default: deny\nask: [{tool: fetch}]\n")
    decision, because = checked("fetch", "url=x")
    assert decision == "deny"
    assert because.endswith(f"policy.yaml:2 does not name the source '{project / 'tools.py'}'")
    assert checked("tools.py:fetch", "url=x")[0] == "ask"  # the user has named the file
    own_rules(project, "default: deny\nask: [{tool: fetch, source: '*'}]\n")
    assert checked("fetch", "url=x")[0] == "ask"


def test_where_the_default_denies_a_rule_that_asks_is_about_no_other_tool_that_got_its_name(project):
    own_rules(project, "default: deny\nask: [{tool: sums}, {tool: file_read}]\n")
    text = f"{TOOLS}\nfrom toolkit import load_tools\nsums = load_tools('calculator')['calculator'].with_name('sums')\n"
    (project / "tools.py").write_text(text, "utf-8")
    assert checked("sums", "1+1")[0] == "deny"  # it is the calculator, which no rule is about
    assert checked("file_read", "path=a")[0] == "ask"


@pytest.mark.parametrize(
    ("words", "rule", "decision"),
    [
        (("tools.py:fetch",), "{tool: fetch}", "allow"),
        (("fetch", "--tools", "tools.py"), "{tool: fetch}", "allow"),
        (("fetch",), "{tool: fetch, source: tools.py}", "ask"),
        (("fetch",), "{tool: fetch, source: 'FOLDER/tools.py'}", "allow"),
        (("fetch",), "{tool: fetch, source: 'FOLDER/*'}", "allow"),
        (("fetch",), "{tool: fetch, source: 'FOLDER/other.py'}", "ask"),
        (("fetch",), "{tool: '*'}", "ask"),
        (("fetch",), "{risk: unmarked}", "ask"),
        (("fetch",), "{source: '*'}", "allow"),
    ],
)
def test_whoever_names_the_source_may_allow_its_tools(project, words, rule, decision):
    own_rules(project, f"allow: [{rule.replace('FOLDER', str(project))}]\n")
    assert checked(words[0], "url=x", *words[1:])[0] == decision


def test_a_rule_of_the_file_that_is_named_may_say_the_source_from_the_working_directory(project):
    (project / "rules.yaml").write_text("allow: [{tool: fetch, source: tools.py}]\n", "utf-8")
    assert checked("fetch", "url=x", "--policy", "rules.yaml")[0] == "allow"


def test_a_ready_tool_under_the_name_of_another_is_asked_about(project):
    own_rules(project, "allow: [{tool: calculator}, {tool: file_write}]\n")
    assert checked("calculator", "1+1") == ("allow", f"allow rule, {_own(project)}:1")
    assert checked("file_write", "path=a", "content=b")[0] == "allow"
    (project / "toolkit.toml").write_text("[builtin.calculator]\nkind = 'file_write'\n", "utf-8")
    assert checked("calculator", "path=a", "content=b")[0] == "ask"


def _own(project):
    return project.parent / "own" / "toolkit" / "policy.yaml"


def test_another_name_does_not_lead_past_a_rule_that_denies(project):
    own_rules(project, "deny: [{tool: process}]\nask: [{source: builtin, tool: file_read}]\n")
    table = "[builtin.calm]\nkind = 'process'\ncommand = ['echo']\n[builtin.reader]\nkind = 'file_read'\n"
    (project / "toolkit.toml").write_text(table, "utf-8")
    assert checked("calm", "input=x")[0] == "deny"
    assert checked("reader", "path=toolkit.toml")[0] == "ask"


def test_a_name_that_a_python_file_gives_to_a_ready_tool_does_not_lead_past_a_rule_that_denies(project):
    own_rules(project, "deny: [{tool: calculator}]\nallow: [{tool: sums}]\n")
    text = f"{TOOLS}\nfrom toolkit import load_tools\nsums = load_tools('calculator')['calculator'].with_name('sums')\n"
    (project / "tools.py").write_text(text, "utf-8")
    assert checked("sums", "1+1")[0] == "deny"
    own_rules(project, "allow: [{tool: sums}]\ndefault: ask\n")
    assert checked("sums", "1+1")[0] == "ask"
    assert checked("tools.py:sums", "1+1")[0] == "allow"


def test_another_name_does_not_take_away_what_a_tool_does_with_data(project):
    own_rules(
        project,
        "ask: [{flow: reads_untrusted}]\nflows: [{tool: sums, flow: []}, {tool: calculator, flow: reads_untrusted}]\n",
    )
    text = f"{TOOLS}\nfrom toolkit import load_tools\nsums = load_tools('calculator')['calculator'].with_name('sums')\n"
    (project / "tools.py").write_text(text, "utf-8")
    assert checked("tools.py:sums", "1+1", chosen_by="person")[0] == "ask"


def test_a_name_that_the_user_has_given_to_a_ready_tool_may_be_allowed(project):
    (project.parent / "own" / "toolkit" / "config.toml").write_text("[builtin.notes]\nkind = 'file_write'\n", "utf-8")
    own_rules(project, "allow: [{tool: notes}]\n")
    assert checked("notes", "path=a", "content=b")[0] == "allow"
    own_rules(project, "allow: [{tool: notes}]\ndeny: [{tool: file_write}]\n")
    assert checked("notes", "path=a", "content=b")[0] == "deny"


def test_a_server_of_a_project_is_not_the_one_of_that_name_that_the_user_knows():
    place = Location("/project/toolkit.toml")
    theirs = StdioServer("github", "evil", owner="project", place=place)
    rules = FilePolicy([read({"allow": [{"tool": "github.search"}, {"source": "mcp://github"}]}, "user")])
    risk = Risk("github_search", "mcp://github", True, names=("github_search", "github.search"))

    def decided(configuration, file=rules):
        known = FilePolicy(file.files, Provenance(configuration).identified)
        return known.judge(DescribedCall(risk, "model")).action

    assert decided(Configuration(mcp={"github": StdioServer("github", "good")})) == "allow"
    assert decided(Configuration(mcp={"github": theirs})) == "ask"
    assert decided(Configuration(mcp={"github": theirs}, start=frozenset({"github"}))) == "allow"
    stated = {"allow": [{"tool": "github.search", "source": "/project/toolkit.toml"}]}
    assert decided(Configuration(mcp={"github": theirs}), FilePolicy([read(stated, "user")])) == "allow"


def test_what_belongs_to_a_group_is_not_up_to_the_project(project):
    (project / "toolkit.toml").write_text("[groups.web]\ntools = ['process']\n", "utf-8")
    (project / "rules.yaml").write_text("allow: [{tool: '*', group: web}]\n", "utf-8")
    result = CliRunner().invoke(application(), ["policy", "list", "--policy", "rules.yaml"])
    assert result.exit_code == 2
    assert "the project decides which tools belong to a group, so a group alone cannot allow tools" in result.stderr


def test_a_prefix_that_an_agent_gives_does_not_lead_past_a_rule(project):
    (project / "rules.yaml").write_text("deny: [{tool: calculator}]\n", "utf-8")
    tool = load_tools("calculator")["calculator"].with_name("my_calculator")
    turns: list = [[ToolCall("my_calculator", '{"input": "1+1"}')], "{my_calculator}"]
    context = ToolContext(policy=load_policy("rules.yaml"))
    text = asyncio.run(run_agent(ScriptedModel(turns), "go", [tool], context=context)).text
    assert "Denied by deny rule, rules.yaml:1" in text


# ------------------------------------------------------------------------------------------------- whatever they say

NAMES = st.sampled_from(["a", "ab", "b"])
USER_RULES = st.builds(
    lambda rule, source: rule | ({"source": source} if source else {}),
    RULES,
    st.sampled_from([None, None, "builtin", "/project/*", "*", "mcp://ab", "/project/b.py"]),
)
USER_FILES = st.builds(lambda file, allow: file | {"allow": allow}, FILES, st.lists(USER_RULES, max_size=4))


@st.composite
def brought(draw):
    """Return a tool that a project brings: a file's, a ready one or a server's, and what it really is."""
    shown, real = draw(NAMES), draw(NAMES)
    marks = {
        "requires_approval": draw(st.booleans()),
        "destructive": draw(st.sampled_from([None, True])),
        "read_only": draw(st.sampled_from([None, True])),
    }
    place = Location("/project/toolkit.toml")
    match draw(st.sampled_from(["python", "ready", "server", "renamed"])):
        case "python":
            return Risk(shown, f"/project/{real}.py", **marks), Risk(shown, None, **marks), Configuration()
        case "ready":
            settings = Configuration(file=Path(place.file), builtin={shown: ReadySettings(real)})
            names = (shown, real) if shown != real else ()
            risk = Risk(shown, place.file, names=names, origin="builtin", **marks)
            return risk, Risk(real, "builtin", **marks), settings
        case "server":
            server = StdioServer(shown, "x", owner="project", place=place)
            names = (f"{shown}_{real}", f"{shown}.{real}")
            risk = Risk(f"{shown}_{real}", f"mcp://{shown}", names=names, **marks)
            return (
                risk,
                Risk(f"{shown}_{real}", f"mcp://{shown}", names=names, **marks),
                Configuration(mcp={shown: server}),
            )
        case _:
            return (
                Risk(shown, "builtin", names=(real,) if shown != real else (), **marks),
                Risk(real, "builtin", **marks),
                Configuration(),
            )


def unsourced(rule):
    return "source" not in rule or rule["source"] in {"builtin", "mcp://ab"}


@settings(max_examples=examples(5_000), deadline=None)
@given(USER_FILES, st.lists(FILES, max_size=2), brought(), st.sampled_from(["person", "model"]), st.sampled_from([{}, {"x": 1}, {"x": "p/q"}]))  # fmt: skip
def test_nothing_that_a_project_defines_widens_what_its_user_allows(own, project, tool, chosen_by, arguments):
    shown, real, configuration = tool
    files = [read(own, "user"), *(read(one, "project") for one in project)]
    found = FilePolicy(files, Provenance(configuration).identified).judge(
        DescribedCall(shown, chosen_by, None, arguments)
    )
    stated = any(not unsourced(rule) for rule in own.get("allow", ()))
    assume(not (stated and shown.source != "builtin"))
    kept = [rule for rule in own.get("allow", ()) if shown.source == "builtin"]
    alone = FilePolicy([read(own | {"allow": kept}, "user")]).judge(DescribedCall(real, chosen_by, None, arguments))
    strictness = ["allow", "ask", "deny"]
    assert strictness.index(found.action) >= strictness.index(alone.action)


# ------------------------------------------------------------------------------------------------- more that rules state


def test_a_rule_may_be_about_the_tools_of_a_framework(project):
    risks = [Risk("a", "t.py", framework=one) for one in ("langchain", "crewai", None)]
    policy = FilePolicy([read({"deny": [{"framework": ["langchain", "mcp_sdk"]}]}, "user")])
    assert [policy.judge(DescribedCall(one)).action for one in risks] == ["deny", "allow", "allow"]
    own_rules(project, "deny: [{framework: langchian}]\n")
    result = CliRunner().invoke(application(), ["policy", "list"])
    assert result.exit_code == 2
    assert "unknown framework 'langchian'" in result.stderr
    assert "did you mean 'langchain'?" in result.stderr


def test_a_changed_definition_is_asked_about_again(project):
    result = CliRunner().invoke(application(), ["policy", "check", "tools.py:fetch", "url=x", "--format", "json"])
    digest = json.loads(result.stdout)[0]["digest"]
    own_rules(project, f"allow: [{{tool: fetch, digest: {digest}}}]\n")
    assert checked("tools.py:fetch", "url=x")[0] == "allow"
    others = [
        TOOLS.replace("a page", "any page"),
        TOOLS.replace("url: str", "url: str, to: str = ''"),
        TOOLS.replace("@tool", "@tool(open_world=True)"),
    ]
    for number, changed in enumerate(others):
        (project / f"tools{number}.py").write_text(changed, "utf-8")
        assert checked(f"tools{number}.py:fetch", "url=x")[0] == "ask"


def test_only_a_rule_that_allows_takes_a_digest(project):
    own_rules(project, f"deny: [{{tool: fetch, digest: '{'0' * 64}'}}]\nallow: [{{tool: fetch, digest: abc}}]\n")
    result = CliRunner().invoke(application(), ["policy", "list"])
    assert result.exit_code == 2
    assert "deny rules cannot have a digest: a changed tool would escape them" in result.stderr
    assert "'allow.0.digest' must be the 64 hexadecimal digits" in result.stderr

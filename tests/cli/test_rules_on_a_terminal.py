"""At a question a person writes a rule, so that they are not asked again: what is shown is what is written."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings, strategies as st

from tests.terminals import MENU_END, PROMPT, Terminal
from tests.volumes import examples
from toolkit.approvals.policies import DescribedCall, Risk  # private
from toolkit.settings.configuration import Configuration  # private
from toolkit_cli.reviewing.console_reviewer import RuleBook  # private

TOOLS = '''
from toolkit import tool

@tool(destructive=True)
def note(path: str, text: str) -> str:
    """Write a note."""
    return f"wrote {path}"
'''
LINE = """\
name: line
description: Writes two notes.
tools: [./tools.py]
steps:
  - use: note
    with: {path: out/a.md, text: hi}
  - use: note
    with: {path: out/b.md, text: hi}
"""
END = "b back"


@pytest.fixture
def own(project, monkeypatch):
    """Return the folder of the user's own files; the project has a pipeline that asks twice."""
    (project / "tools.py").write_text(TOOLS, "utf-8")
    (project / "line.yaml").write_text(LINE, "utf-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(project / "own"))
    return project / "own" / "toolkit"


def chosen(run, number):
    run.expect(END)
    run.expect(PROMPT)
    run.child.send(f"{number}\r")


def test_the_line_that_is_shown_is_written_and_holds_in_this_run_and_the_next(project, own):
    run = Terminal(project, "run", "line.yaml", "--quiet")
    run.answer("a")
    chosen(run, 2)
    assert run.end() == 0
    place = f"{{path: {{inside: {project}/out}}}}"
    text = (own / "policy.yaml").read_text("utf-8")
    head, _, digest = text.partition(" digest: ")
    assert head == f"allow:\n  - {{tool: note, source: {project}/tools.py, chosen_by: person, where: {place},"
    assert len(digest.rstrip("}\n").strip("'")) == 64
    shown = "".join(part.strip() for part in run.seen.splitlines())
    assert "".join(text.partition("- ")[2].split()) in "".join(shown.split())
    again = Terminal(project, "run", "line.yaml", "--quiet")
    assert again.end() == 0
    assert MENU_END not in again.seen


def test_the_narrowest_rule_is_about_this_call_alone(project, own):
    run = Terminal(project, "run", "line.yaml", "--quiet")
    run.answer("a")
    chosen(run, 1)
    run.answer("o")
    assert run.end() == 0
    place = f"{{equals: out/a.md, at: {project}/out/a.md}}"
    assert f"{{path: {place}, text: hi}}" in (own / "policy.yaml").read_text("utf-8")


def test_never_denies_from_now_on_and_other_rules_stay(project, own):
    own.mkdir(parents=True)
    (own / "policy.yaml").write_text("# mine\nask: [{tool: other}] # here\n", "utf-8")
    run = Terminal(project, "run", "line.yaml", "--quiet")
    run.answer("d")
    chosen(run, 3)
    assert run.end() == 3
    assert "Rejected by reviewer: denied by a new rule, " in run.seen.replace("\r\n", "")
    assert (own / "policy.yaml").read_text("utf-8") == "# mine\nask: [{tool: other}] # here\ndeny:\n  - {tool: note}\n"
    again = Terminal(project, "run", "line.yaml", "--quiet")
    assert again.end() == 3


@pytest.mark.proof
def test_the_file_of_the_project_is_written_only_where_somebody_says_so(project, own):
    run = Terminal(project, "run", "line.yaml", "--quiet")
    run.answer("d")
    chosen(run, "p")
    chosen(run, 2)
    assert run.end() == 3
    assert not (own / "policy.yaml").exists()
    text = (project / "toolkit.policy.yaml").read_text("utf-8")
    assert text == f"deny:\n  - {{tool: note, where: {{path: {{inside: {project}/out}}}}}}\n"


@pytest.mark.proof
def test_nothing_is_written_by_enter_by_other_words_or_by_going_back(project, own):
    run = Terminal(project, "run", "line.yaml", "--quiet")
    run.answer("a")
    chosen(run, "")
    chosen(run, "4")
    chosen(run, "p")
    chosen(run, "b")
    run.answer("a")
    run.expect(END)
    run.expect(PROMPT)
    run.child.send("\x03")
    run.answer("q")
    assert run.end() == 3
    assert not own.exists()


@pytest.mark.proof
def test_a_rule_that_would_change_nothing_is_not_offered(project, own):
    own.mkdir(parents=True)
    (own / "policy.yaml").write_text("ask: [{tool: note}]\n", "utf-8")
    run = Terminal(project, "run", "line.yaml", "--quiet")
    run.expect(MENU_END)
    assert "always (choose a rule)" in run.seen
    assert "a always" not in run.seen
    run.expect(PROMPT)
    run.child.send("q\r")
    assert run.end() == 3


@pytest.mark.proof
def test_a_tool_that_is_named_from_the_working_directory_is_not_asked_about_again(project, own):
    words = ("run", "tools.py:note", "path=a", "text=b", "--quiet")
    run = Terminal(project, *words)
    run.answer("a")
    chosen(run, 3)
    assert run.end() == 0
    assert f"source: {project}/tools.py" in (own / "policy.yaml").read_text("utf-8")
    again = Terminal(project, *words)
    assert again.end() == 0
    assert MENU_END not in again.seen


def test_an_edit_that_a_rule_denies_is_refused_while_it_is_typed(project, own):
    (project / "toolkit.policy.yaml").write_text(
        "deny: [{tool: note, where: {text: no}, because: Not that.}]\n", "utf-8"
    )
    run = Terminal(project, "run", "tools.py:note", "path=a", "text=hi", "--quiet")
    run.answer("e")
    run.expect("edit which")
    run.child.send("text\r")
    run.expect("text =")
    run.child.send("\x15no\r")
    run.expect("it is denied by deny rule, toolkit.policy.yaml:1: Not that.")
    run.expect("text =")
    run.child.send("\x15yes\r")
    run.answer("o")
    assert run.end() == 0
    assert run.stdout == "wrote a\n"


@pytest.mark.parametrize(("before", "after"), [("0", "false"), ("1", "true"), ("1", "1.0")])
def test_an_edit_that_only_changes_the_type_is_an_edit(project, before, after):
    source = (
        "from typing import Any\nfrom toolkit import tool\n\n@tool(destructive=True)\ndef keep(value: Any) -> str:\n"
    )
    (project / "tools.py").write_text(f"{source}    'Keep.'\n    return repr(value)\n", "utf-8")
    run = Terminal(project, "run", "tools.py:keep", f"value:={before}", "--quiet")
    run.answer("e")
    run.expect("value (JSON) =")
    run.child.send(f"\x15{after}\r")
    run.answer("o")
    assert run.end() == 0
    assert run.stdout == f"{after.capitalize()}\n"


WORDS = st.sampled_from(
    ["tools.py", "builtin", "mcp://far", "package.module", "wipe*", "a[b]", "", "out/a.md", "https://a.b/c"]
)
FLOWS = st.frozensets(st.sampled_from(["reads_private", "reads_untrusted", "sends"]))
RISKS = st.builds(
    Risk,
    tool=st.sampled_from(["wipe", "far.wipe", "w*", "a[b]"]),
    source=st.none() | WORDS,
    destructive=st.none() | st.booleans(),
    requires_approval=st.booleans(),
    names=st.sampled_from([(), ("wipe", "other")]),
    framework=st.sampled_from([None, "langchain"]),
    flow=FLOWS,
    changes=st.sampled_from([(), ("the title was x, and is y",)]),
)
CALLS = st.builds(
    DescribedCall,
    risk=RISKS,
    chosen_by=st.sampled_from(["person", "model"]),
    arguments=st.dictionaries(st.sampled_from(["path", "url", "text"]), WORDS | st.integers(), max_size=3),
    earlier=st.lists(RISKS, max_size=2).map(tuple),
    kind=st.sampled_from(["call", "setting"]),
    unknown=st.sampled_from([(), ("text",), None]),
    defaults=st.just({}),
    demanded_by=st.none(),
    base=st.none(),
    coming=st.just(()),
)


@settings(max_examples=examples(200), deadline=None)
@given(CALLS, st.sampled_from(["allow", "deny"]), st.sampled_from([(), ("tools.py",)]))
def test_without_policy_files_rules_are_offered_exactly_where_one_would_decide(call, action, targets):
    with TemporaryDirectory() as folder:
        book = RuleBook(Configuration(directory=Path(folder)), targets)
        assert book.has_offers(call, action) == bool(book.offers(call, action))

"""Rules and flags that are offered for one call, and allow another one."""

import json
import os
import shlex
import string
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from typer.testing import CliRunner

from tests.terminals import PROMPT, Terminal
from tests.volumes import examples
from toolkit import Reject, ToolContext, load_tools
from toolkit.approvals import Allowance, DescribedCall, Risk, ScriptedReviewer, load_policy
from toolkit.approvals.rule_offers import (
    exact_arguments,  # private
    offered_rules,  # private
    write_rule,  # private
)
from toolkit.redactors import MASK
from toolkit.schemas.validation import same_data  # private
from toolkit_cli.main import application
from toolkit_cli.running.approval_flags import flag_for  # private
from toolkit_cli.serving.served_tools import _why_not  # private

ODD = ["", " ", "a ", " a", "\t", "a\tb", "a\nb", "\r\n", "\x00", "\x1b[2J", "\x85", "\u202e", "\u200b", "é", "𝛂", "a,b=c",
       "a, b=c", "x, y:=1", "*", "?", "[a]", "[!a]", "a*", "\\", "'", '"', '"a"', "$(x)", "`x`", "1", "1.0", "true", "null",
       "NaN", "[1]", "{}", '{"a":1}', "..", "../a", "a/%2e%2e/b", "%" * 9, "https://a.example/?q=*", "https://a?b", "a)b", "(",
       ")", "=", ":=", "a:=1", "#", "~", "-", "--yes", "yes", "0o7", "1e3", "1_000", "<b>", "<created for each call>", MASK, "y" * 99]  # fmt: skip
TEXT = st.sampled_from(ODD) | st.text(max_size=8) | st.text(string.punctuation + " \t\n", max_size=6)
SCALAR = TEXT | st.booleans() | st.none() | st.integers(-3, 3) | st.sampled_from([0.0, 1.0, 0.1, 1e300, 2**70, -0.0])
VALUE = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=2), max_leaves=4
)
TYPES: dict[str, Any] = {
    "string": TEXT,
    "integer": st.integers(-(2**70), 2**70),
    "number": st.floats(allow_nan=False, allow_infinity=False),
    "boolean": st.booleans(),
    "": VALUE,
}
NAMES = ["a", "b", "b_c", "path", "url", "x1"]


@st.composite
def calls(draw):
    """Return a call, and another one of the same tool that differs in at least one argument."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    types = {name: draw(st.sampled_from(list(TYPES))) for name in names}
    schemas = {name: {"type": type_} if type_ else {} for name, type_ in types.items()}
    definition = {"name": "t", "parameters": {"type": "object", "properties": schemas}}
    values = {name: draw(TYPES[types[name]]) for name in names}
    given_ones = draw(st.sets(st.sampled_from(names)))
    call = DescribedCall(
        Risk("t", "builtin", destructive=True, definition=definition),
        arguments={name: value for name, value in values.items() if name in given_ones},
        defaults={name: value for name, value in values.items() if name not in given_ones},
    )
    others = {name: draw(other_values(values[name]) if not types[name] else TYPES[types[name]]) for name in names}
    changed = draw(st.sets(st.sampled_from(names), min_size=1))
    other = {name: others[name] if name in changed else value for name, value in values.items()}
    return call, call._replace(arguments=other, defaults={})


def other_values(value):
    """Return values that are written like another one."""
    text = value if isinstance(value, str) else json.dumps(value)
    near = [
        text,
        f"{text} ",
        f" {text}",
        f"{text}x",
        f"{text}\n",
        f"{text},b=c",
        [value],
        {"a": value},
        text.strip(),
        "x" * len(text),
    ]
    with suppress(ValueError):
        near.append(json.loads(text))
    return st.sampled_from(near) | VALUE


@settings(max_examples=examples(600), deadline=None)
@given(calls())
def test_a_flag_that_is_not_said_to_be_wider_allows_one_call(case):
    call, other = case
    flag = flag_for(call)
    assert flag is not None
    rule = Allowance.parse(flag.text)
    assert rule.covers(call)
    assert rule.may_cover(call)
    assert flag.text.isprintable()
    if not flag.open and not same_data(call.whole_arguments, other.whole_arguments):
        assert not rule.covers(other)


@settings(max_examples=examples(300), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(calls())
def test_the_narrowest_rule_with_all_arguments_allows_one_call(tmp_path, case):
    call, other = case
    narrowest, whole = offered_rules(call, "allow")[0], call.whole_arguments
    if not exact_arguments(call).are_all:
        assert all(one.keys() <= {"inside", "host"} for one in narrowest.get("where", {}).values())
        return
    assert narrowest["where"].keys() == whole.keys()
    file = tmp_path / "policy.yaml"
    file.unlink(missing_ok=True)
    write_rule(file, "allow", narrowest, "user", {})
    policy = load_policy(file)
    is_plain = all(isinstance(value, bool | int | None) for value in whole.values())
    assert not is_plain or policy.judge(call).action == "allow"  # a text can be in doubt; then the rule is not offered
    if not same_data(whole, other.whole_arguments):
        assert policy.judge(other).action == "ask"


# ------------------------------------------------------------------------------------------- through the command line

TOOLS = """
from pathlib import Path
from typing import Any
from pydantic import SecretStr
from toolkit import tool

def ran(*values: object) -> str:
    with open("ran", "a") as file:
        file.write(f"{values!r}\\n")
    return "done"

@tool(destructive=True)
def drop(x: str, force: bool = False) -> str:
    "Drop."
    return ran(x, force)

@tool(destructive=True)
def keep(x: Any) -> str:
    "Keep."
    return ran(x)

@tool(destructive=True)
def deploy(target: str = "staging", wipe: bool = False) -> str:
    "Deploy."
    return ran(target, wipe)

@tool(destructive=True)
def empty(folder: str) -> str:
    "Empty a folder."
    return ran(folder)

@tool(destructive=True)
def enter(name: str, password: SecretStr) -> str:
    "Enter."
    return ran(name)
"""


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder with tools, and the user's own folder."""
    for name in [name for name in os.environ if name.startswith("TOOLKIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))
    monkeypatch.setenv("COLUMNS", "9999")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools.py").write_text(TOOLS, "utf-8")
    return tmp_path


def run(*words):
    return CliRunner().invoke(application(), ["run", *words])


@pytest.mark.proof(everyday=8)
@pytest.mark.parametrize("value", [*ODD, 1, True, None, 1.5, [1, "a"], {"a": ["b"]}], ids=repr)
def test_the_flag_of_a_refusal_allows_the_refused_call_alone(value, desk, attacks):
    tool = "drop" if isinstance(value, str) else "keep"
    call = json.dumps({"x": value})
    refused = run(f"tools.py:{tool}", "--args", call)
    assert refused.exit_code == 3
    hint = refused.stderr.partition("hint: ")[2].splitlines()[0]
    said_to_be_wider = hint.startswith("--approve")
    flag = shlex.split(hint)[shlex.split(hint).index("--approve") + 1]
    assert run(f"tools.py:{tool}", "--args", call, "--approve", flag).exit_code == 0
    (desk / "ran").unlink()
    for other in (f"{value} ", f" {value}", f"{value}x", "", str(value), [value], value == 1, f"{value},b=c", "z"):
        if (tool == "drop" and not isinstance(other, str)) or same_data(other, value):
            continue
        run(f"tools.py:{tool}", "--args", json.dumps({"x": other}), "--approve", flag)
        attacks.count(f"--approve {flag} ran {other!r}", held=said_to_be_wider or not (desk / "ran").exists())
    if tool == "drop":
        run("tools.py:drop", "--args", json.dumps({"x": value, "force": True}), "--approve", flag)
        attacks.count(f"--approve {flag} ran with force", held=said_to_be_wider or not (desk / "ran").exists())


def test_the_hint_says_what_else_it_allows(desk):
    def hint(*words):
        return run(*words).stderr.partition("hint: ")[2].strip()

    assert hint("tools.py:deploy") == "allow it with --approve 'deploy(target=staging, wipe=false)'"
    assert hint("tools.py:keep", "x=1") == "allow it with --approve 'keep(x:=\"1\")'"
    assert hint("tools.py:keep", "x:=1") == "allow it with --approve 'keep(x:=1)'"
    assert hint("tools.py:drop", "x=a\tb") == "--approve 'drop(force=false)' allows it, whatever 'x' is"
    assert hint("tools.py:drop", "x=C:\\new") == "allow it with --approve 'drop(x=C:[\\]new, force=false)'"
    long = hint("tools.py:drop", f"x={'y' * 99}")
    assert long == "--approve 'drop(force=false)' allows it, whatever 'x' is"
    hidden = hint("tools.py:enter", "name=a", "password=correct horse")
    assert hidden == "--approve 'enter(name=a)' allows it, whatever 'password' is"
    (desk / "items.jsonl").write_text('{"x": 1}\n', "utf-8")
    assert hint("tools.py:keep", "--each", "items.jsonl") == "--approve keep allows every call of 'keep'"


def test_a_secret_is_in_no_flag_and_no_mask_is_a_pattern(desk, monkeypatch, attacks):
    monkeypatch.setenv("API_TOKEN", "correct-horse-battery")
    for value in ("correct-horse-battery", "Bearer correct-horse-battery", "ghp_" + "a1B2" * 9, MASK):
        refused = run("tools.py:drop", f"x={value}")
        attacks.count(refused.stderr, held="'drop(force=false)' allows it, whatever 'x' is" in refused.stderr)


def test_a_client_of_a_server_cannot_widen_the_flag_that_it_is_told(desk, attacks):
    for value in ("a", "a\tb", "a,force=true", "*", " a", "\\n", "y" * 99):
        asked = ScriptedReviewer([Reject()])
        load_tools("tools.py")["drop"].run({"x": value}, ToolContext(reviewer=asked))
        told = _why_not(asked.requests[0])
        flag = shlex.split(told[told.index("--approve") :])[1]
        for other in ("b", f"{value}x", value.strip(), "z"):
            call = DescribedCall(Risk("drop"), arguments={"x": other}, defaults={"force": False})
            if other != value:
                is_wider = Allowance.parse(flag).covers(call)
                attacks.count(f"{told} allows {other!r}", held=not is_wider or "allows it, whatever 'x' is" in told)


def always(desk, number, *words):
    """Answer a question with `a` and a number, and return the rules that were offered."""
    asked = Terminal(desk, "run", *words, "--quiet")
    asked.answer("a")
    asked.expect("b back")
    offered = asked.seen
    asked.expect(PROMPT)
    asked.child.send(f"{number}\r")
    if number == "b":
        asked.answer("q")
    asked.end()
    (desk / "ran").unlink(missing_ok=True)
    return offered.partition("policy.yaml:")[2]


def test_always_this_call_is_this_call(desk, attacks):
    always(desk, 1, "tools.py:deploy")
    for words, held in (
        ([], True),
        (["target=staging"], True),
        (["wipe=false", "target=staging"], True),
        (["target=production"], False),
        (["wipe=true"], False),
        (["target=production", "wipe=true"], False),
    ):
        ended = run("tools.py:deploy", *words)
        attacks.count(f"deploy {words}: {ended.exit_code}", held=(ended.exit_code == 0) == held)


def test_always_this_folder_is_this_folder_alone(desk, attacks, monkeypatch):
    for folder in ("out", "out/sub", "elsewhere"):
        (desk / folder).mkdir()
    (desk / "link").symlink_to(desk / "out")
    always(desk, 1, "tools.py:empty", "folder=out")
    assert run("tools.py:empty", "folder=out").exit_code == 0
    for folder in ("out/sub", "./out", "out/", "link", "out/../elsewhere", ".", ""):
        attacks.count(folder, held=run("tools.py:empty", f"folder={folder}").exit_code == 3)
    (desk / "elsewhere" / "out").mkdir()
    monkeypatch.chdir(desk / "elsewhere")
    attacks.count("from elsewhere", held=run(f"{desk}/tools.py:empty", "folder=out").exit_code == 3)
    monkeypatch.chdir(desk)
    (desk / "out" / "sub").rmdir()
    (desk / "out").rmdir()
    (desk / "out").symlink_to(desk / "elsewhere")
    attacks.count("a link in its place", held=run("tools.py:empty", "folder=out").exit_code == 3)


def test_no_exact_rule_is_offered_for_a_call_with_a_secret(desk, attacks):
    offered = always(desk, "b", "tools.py:enter", "name=a", "password=correct horse")
    attacks.count(offered, held="where" not in offered and "chosen_by: person}" in "".join(offered.split("\r\n")))

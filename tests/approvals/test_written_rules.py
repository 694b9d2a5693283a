"""Rules that a person writes at a question: what is offered, and how a file keeps everything else that it holds."""

import os
import subprocess
import sys

import pytest

from toolkit.approvals import DescribedCall, Risk, load_policy
from toolkit.approvals.rule_offers import (
    offered_rules,  # private
    write_rule,  # private
)
from toolkit.errors import ConfigurationError
from toolkit.redactors.redactor import MASK  # private

PARAMETERS = {"type": "object", "properties": {"path": {"type": "string"}, "content": {"type": "string"}}}
RISK = Risk("file_write", "builtin", destructive=True, definition={"name": "file_write", "parameters": PARAMETERS})


def test_the_narrowest_rule_is_offered_first(tmp_path):
    call = DescribedCall(RISK, "model", None, {"path": "out/a.md", "content": "x"}, base=str(tmp_path))
    about = {"tool": "file_write", "source": "builtin", "chosen_by": "model"}
    digest = {"digest": RISK.digest}
    assert offered_rules(call, "allow") == [
        about | {"where": {"path": {"equals": "out/a.md", "at": str(tmp_path / "out/a.md")}, "content": "x"}} | digest,
        about | {"where": {"path": {"inside": str(tmp_path / "out")}}} | digest,
        about,
    ]
    assert offered_rules(call, "deny") == [
        {
            "tool": "file_write",
            "where": {"path": {"inside": str(tmp_path / "out" / "a.md")}, "content": "x"},
        },
        {"tool": "file_write", "where": {"path": {"inside": str(tmp_path / "out")}}},
        {"tool": "file_write"},
    ]


def test_an_address_is_offered_by_its_host_and_no_secret_stands_in_a_rule():
    call = DescribedCall(RISK, "person", None, {"url": "https://docs.python.org/3/", "token": "*****"})
    call = call._replace(arguments={**(call.arguments or {}), "token": MASK, "list": [1, MASK], "tags": ["a"]})
    wheres = [rule.get("where") for rule in offered_rules(call, "deny")]
    assert wheres == [
        {"url": "https://docs.python.org/3/", "tags": {"equals": ["a"]}},
        {"url": {"host": "docs.python.org"}},
        None,
    ]


def test_a_tool_without_arguments_is_offered_once():
    assert offered_rules(DescribedCall(RISK, "model", None, {}), "deny") == [{"tool": "file_write"}]


def test_a_rule_is_added_and_comments_and_order_stay(tmp_path):
    file = tmp_path / "policy.yaml"
    before = "# mine\nallow:   # these\n  - {tool: a}   # first\n\n# later\ndeny:\n- tool: z\n"
    file.write_text(before, "utf-8")
    file.chmod(0o640)
    place = write_rule(file, "allow", {"tool": "b"}, "user", {})
    after = before.replace("# first\n", "# first\n  - {tool: b}\n")
    assert (file.read_text("utf-8"), place.file, place.line) == (after, str(file), 4)
    assert file.stat().st_mode & 0o777 == 0o640
    assert [rule.choice.tools for rule in load_policy(file).rules] == [("z",), ("a",), ("b",)]


def test_a_new_file_is_private_and_a_link_stays_one(tmp_path):
    file = tmp_path / "new" / "policy.yaml"
    write_rule(file, "deny", {"tool": "b"}, "user", {})
    assert file.read_text("utf-8") == "deny:\n  - {tool: b}\n"
    assert file.stat().st_mode & 0o777 == 0o600
    link = tmp_path / "link.yaml"
    link.symlink_to(file)
    write_rule(link, "deny", {"tool": "c"}, "user", {})
    assert link.is_symlink()
    assert file.read_text("utf-8") == "deny:\n  - {tool: b}\n  - {tool: c}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("deny: [", "the document is not YAML"),
        ("deny: {}\n", "not a list"),
        ("[1]", "not a mapping"),
        ("deny: [{tool: b}]\n", "this deny rule never decides"),
        ("dney: []\n", "unknown key 'dney'"),
    ],
)
def test_a_file_that_is_wrong_or_would_be_is_left_as_it_is(tmp_path, text, message):
    file = tmp_path / "policy.yaml"
    file.write_text(text, "utf-8")
    with pytest.raises(ConfigurationError, match=message):
        write_rule(file, "deny", {"tool": "b"}, "user", {})
    assert file.read_text("utf-8") == text
    assert [one.name for one in tmp_path.iterdir() if not one.name.endswith(".lock")] == ["policy.yaml"]


WRITER = """
import sys
from pathlib import Path
from toolkit.approvals.rule_offers import write_rule  # private
for number in range(int(sys.argv[2])):
    write_rule(Path("policy.yaml"), "deny", {"tool": f"t_{sys.argv[1]}_{number}"}, "user", {})
"""


@pytest.mark.proof
def test_of_many_processes_that_write_none_loses_a_rule(tmp_path, tries):
    each = max(tries(100) // 4, 5)
    (tmp_path / "policy.yaml").write_text("# mine\n", "utf-8")
    words = [sys.executable, "-c", WRITER]
    running = [
        subprocess.Popen([*words, str(number), str(each)], cwd=tmp_path, env={**os.environ}) for number in range(4)
    ]
    assert [one.wait(120) for one in running] == [0] * 4
    found = sorted(rule.choice.tools[0] for rule in load_policy(tmp_path / "policy.yaml").rules)
    assert found == sorted(f"t_{number}_{index}" for number in range(4) for index in range(each))
    assert (tmp_path / "policy.yaml").read_text("utf-8").startswith("# mine\n")

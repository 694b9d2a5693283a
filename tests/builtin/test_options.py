"""What a ready tool is told by its user is checked as a whole, and every fault is named with its hint."""

from pathlib import Path

import pytest

from toolkit.builtin import Option, ready_tools
from toolkit.builtin.options import (  # private
    COUNT,
    DURATION,
    FOLDER,
    SWITCH,
    TABLE,
    TEXT,
    TEXTS,
    environment_variables,
    one_of,
    take_options,
)
from toolkit.documents.keys import Origin, Spot  # private
from toolkit.errors import ConfigurationError

FOLDER_OF_THE_FILE = Path("/project")
KNOWN = (
    Option("title", TEXT, "what it is called", required=True),
    Option("asks", SWITCH, "whether it asks"),
    Option("most", COUNT, "how many", default=5),
    Option("timeout", DURATION, "how long"),
    Option("base", FOLDER, "where", default="."),
    Option("command", TEXTS, "what is started"),
    Option("headers", TABLE, "what goes with it"),
    Option("method", one_of("GET", "POST"), "how it is sent"),
)


def taken(**given):
    return take_options(KNOWN, given, FOLDER_OF_THE_FILE)


def faults_of(**given):
    with pytest.raises(ConfigurationError) as caught:
        taken(**given)
    assert {problem.code for problem in caught.value.problems} == {"TK005"}
    return [(problem.message, problem.hint) for problem in caught.value.problems]


def test_good_values_are_taken_and_what_is_not_given_is_left_out():
    assert taken(
        title="T",
        asks=False,
        most=1,
        timeout="1.5s",
        base="docs",
        command=["ls", "-l"],
        headers={"Accept": ""},
        method="POST",
    ) == {
        "title": "T",
        "asks": False,
        "most": 1,
        "timeout": 1.5,
        "base": Path("/project/docs"),
        "command": ("ls", "-l"),
        "headers": {"Accept": ""},
        "method": "POST",
    }
    assert taken(title="T") == {"title": "T"}


def test_what_was_read_once_may_be_read_again():
    once = taken(title="T", timeout="5m", base="docs", command=["ls"], headers={"a": "b"})
    assert take_options(KNOWN, once, Path("/elsewhere")) == once


def test_absolute_folders_and_the_home_folder_stay_what_they_are():
    assert taken(title="T", base="/srv")["base"] == Path("/srv")
    assert taken(title="T", base="~/x")["base"] == Path.home() / "x"


def test_everything_that_is_wrong_is_said_at_once():
    assert faults_of(
        asks="yes", most=0, timeout=30, base=5, command="ls -l", headers={"a": 1}, method="post", titel="T"
    ) == [
        ("'asks' must be true or false", "write asks = true"),
        ("'most' must be a whole number above zero", "write most = 1000"),
        (
            "'timeout' must be a duration such as '500ms', '30s' or '5m', above zero and at most 720h",
            "write '30s' for seconds",
        ),
        ("'base' must be a path to a folder", "write base = 'docs'"),
        ("'command' must be a list of strings", "write command = ['…']"),
        ("'headers' must be a table of strings", "write headers = { name = '…' }"),
        ("'method' must be 'GET' or 'POST'", "did you mean 'POST'?"),
        ("unknown option 'titel'", "did you mean 'title'?"),
        ("the option 'title' is missing", "write title = '…': what it is called"),
    ]


@pytest.mark.parametrize(
    "given",
    [
        {"title": " "},
        {"title": 1},
        {"title": None},
        {"title": "T", "asks": 1},
        {"title": "T", "most": True},
        {"title": "T", "most": 1.0},
        {"title": "T", "most": "1"},
        {"title": "T", "timeout": "0s"},
        {"title": "T", "timeout": "30"},
        {"title": "T", "timeout": -1.0},
        {"title": "T", "base": ""},
        {"title": "T", "command": []},
        {"title": "T", "command": ["ls", 1]},
        {"title": "T", "headers": ["a"]},
        {"title": "T", "method": ["GET"]},
    ],
)
def test_a_value_of_another_kind_is_refused(given):
    assert len(faults_of(**given)) == 1


def test_what_was_written_is_not_repeated_since_it_may_be_secret():
    assert "hunter2" not in str(faults_of(title="T", asks="hunter2", headers={"X-Key": ["hunter2"]}, method="hunter2"))


@pytest.mark.parametrize("name", list(ready_tools()))
def test_every_ready_tool_explains_its_options_and_refuses_others(name, tmp_path):
    tool = ready_tools()[name]
    spot = Spot((), Origin(tmp_path, lambda _: None, []))
    assert all(option.meaning[0].islower() and not option.meaning.endswith(".") for option in tool.options)
    for option in tool.options:
        assert option.default is None or option.kind.read(option.default, spot) is not None
    with pytest.raises(ConfigurationError, match="unknown option 'no_such_option'"):
        tool.build(tmp_path, {"no_such_option": 1})


def test_an_option_is_what_the_tool_keeps_to(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "long.txt").write_text("x" * 11)
    tool = ready_tools()["file_read"].build(tmp_path, {"base": "docs", "max_bytes": 10})
    assert tool.run({"path": "long.txt"}).text == "Error: File too large: 11 bytes, at most 10"
    assert ready_tools()["file_write"].build(tmp_path, {"requires_approval": True}).spec.requires_approval


def test_options_that_name_variables_and_keyring_entries_say_so():
    texts = {"A": "Bearer ${TOKEN}", "B": "${keyring:shop.key}${OTHER}", "C": "${keyring:a-b}", "D": "${not one}"}
    assert environment_variables(texts, Path()) == (
        "the environment variables 'TOKEN' and 'OTHER' and keyring entries 'shop.key' and 'a-b'"
    )
    assert environment_variables("${keyring:shop}", Path()) == "the keyring entry 'shop'"
    assert environment_variables({"A": "plain"}, Path()) is None

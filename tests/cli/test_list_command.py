"""`toolkit list`."""

import json

import pytest

from toolkit.builtin import ready_tools

TOOLS = '''
from toolkit import tool


@tool(requires_approval=True)
def refund(order: str, euros: int) -> str:
    """Pay money back to a customer. Use it when something was broken.

    It cannot be undone.
    """
    return f"{euros} for {order}"


@tool(read_only=True)
def look_up(order: str) -> str:
    """Look an order up"""
    return order
'''


@pytest.fixture
def shop(project):
    (project / "shop.py").write_text(TOOLS, "utf-8")
    return project


def test_tools_are_listed_with_their_marks_and_first_sentence(invoke, shop):
    result = invoke("list", "shop.py")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "NAME     MARKS       FROM     DESCRIPTION\n"
        "refund   asks first  shop.py  Pay money back to a customer.\n"
        "look_up  read-only   shop.py  Look an order up\n"
    )


def test_destructive_tools_stand_out_in_color(program, project):
    tools = TOOLS.replace("requires_approval=True", "destructive=True").replace("read_only=True", "idempotent=True")
    (project / "shop.py").write_text(tools.replace("Look an order up", "destructive as a word"), "utf-8")
    lines = program("list", "shop.py", env={"FORCE_COLOR": "1"}).stdout.splitlines()
    assert lines[1:] == [
        "\x1b[1mrefund \x1b[0m  \x1b[1;31mdestructive\x1b[0m  shop.py  Pay money back to a customer.",
        "\x1b[1mlook_up\x1b[0m  idempotent   shop.py  destructive as a word",
    ]


def test_long_descriptions_are_wrapped_to_the_width(invoke, shop):
    (shop / "shop.py").write_text(TOOLS.replace("Look an order up", "Look an order up " * 8), "utf-8")
    lines = invoke("list", "shop.py").stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert "\n".join(lines[2:]) == (
        "look_up  read-only   shop.py  Look an order up Look an order up Look an order up\n"
        "                              Look an order up Look an order up Look an order up\n"
        "                              Look an order up Look an order up"
    )


def test_without_a_terminal_each_tool_is_one_line(program, shop):
    (shop / "shop.py").write_text(TOOLS.replace("Look an order up", "Look an order up " * 40), "utf-8")
    assert len(program("list", "shop.py", env={"COLUMNS": ""}).stdout.splitlines()) == 3


def test_json_has_every_key_of_every_tool(invoke, shop):
    result = invoke("list", "shop.py", "--format", "json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout)[1] == {
        "name": "look_up",
        "description": "Look an order up",
        "kind": "function",
        "framework": None,
        "source": "shop.py",
        "location": {"file": "shop.py", "line": 15, "column": 5, "end_line": 15, "end_column": 12},
        "requires_approval": False,
        "read_only": True,
        "destructive": None,
        "idempotent": None,
        "open_world": None,
        "policy": {"person": ["allow"], "model": ["allow"]},
        "tokens": 36,
    }


def test_without_a_target_configured_tools_stand_before_those_that_are_built_in(invoke, shop):
    (shop / "toolkit.toml").write_text('sources = ["shop.py"]\n', "utf-8")
    names = [record["name"] for record in json.loads(invoke("list", "--format", "json").stdout)]
    assert names[:3] == ["refund", "look_up", "calculator"]
    assert set(names[2:]) <= set(ready_tools())


def test_configured_tool_hides_the_built_in_one_of_its_name(invoke, shop):
    (shop / "shop.py").write_text(TOOLS.replace("look_up", "calculator"), "utf-8")
    (shop / "toolkit.toml").write_text('sources = ["shop.py"]\n', "utf-8")
    result = invoke("list")
    assert (result.exit_code, result.stderr) == (0, "")
    [line] = [line for line in result.stdout.splitlines() if "calculator" in line]
    assert line.split() == ["calculator", "read-only", "shop.py", "Look", "an", "order", "up"]


def test_broken_source_hides_no_other(invoke, shop):
    (shop / "broken.py").write_text(f"import nothing_of_this_name\n{TOOLS}", "utf-8")
    result = invoke("list", "broken.py", "shop.py")
    assert result.exit_code == 2
    assert [line.split()[0] for line in result.stdout.splitlines()] == ["NAME", "refund", "look_up"]
    assert result.stderr.startswith("error[TK002]: ")
    assert " --> broken.py:1:1\n" in result.stderr


def test_source_that_is_not_there_is_exit_code_4(invoke, shop):
    result = invoke("list", "shop.py", "shopp.py")
    assert result.exit_code == 4
    assert len(result.stdout.splitlines()) == 3
    assert result.stderr == "error[TK001]: there is no file 'shopp.py'\nhint: did you mean 'shop.py'?\n"


def test_problems_are_one_json_object_where_json_was_asked_for(invoke, shop):
    result = invoke("list", "shop.py", "shopp.py", "--format", "json")
    assert (result.exit_code, len(json.loads(result.stdout))) == (4, 2)
    told = json.loads(result.stderr)
    assert (told["exit_code"], told["message"]) == (4, "there is no file 'shopp.py'")


def test_names_are_looked_up_in_more_tools(invoke, shop):
    result = invoke("list", "refund", "--tools", "shop.py")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[1:] == ["refund  asks first  shop.py  Pay money back to a customer."]


def test_more_tools_are_relative_to_the_shell_and_not_to_the_configuration(invoke, shop, monkeypatch):
    (shop / "toolkit.toml").write_text("sources = []\n", "utf-8")
    (shop / "inside").mkdir()
    (shop / "inside" / "near.py").write_text(TOOLS, "utf-8")
    monkeypatch.chdir(shop / "inside")
    result = invoke("list", "refund", "--tools", "near.py")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[1].split()[0] == "refund"


def test_wrong_configuration_is_told_with_its_place(invoke, shop):
    (shop / "toolkit.toml").write_text('source = ["shop.py"]\n', "utf-8")
    result = invoke("list")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "error[TK005]: unknown key 'source'\n"
        " --> toolkit.toml:1:1\n"
        "  |\n"
        '1 | source = ["shop.py"]\n'
        "  | ^\n"
        "  |\n"
        "hint: did you mean 'sources'?\n"
    )


def test_files_without_tools_are_read_and_not_imported(invoke, shop):
    (shop / "cleanup.py").write_text("raise SystemExit\n", "utf-8")
    result = invoke("list", ".")
    assert (result.exit_code, result.stderr) == (0, "2 Python files read, 1 run\n")
    assert [line.split()[0] for line in result.stdout.splitlines()] == ["NAME", "refund", "look_up"]
    told = json.loads(invoke("list", ".", "--format", "json").stderr)
    assert told == {"exit_code": 0, "message": "", "problems": [], "files": {"read": 2, "imported": 1}}


def test_named_file_without_tools_is_not_imported_and_says_so(invoke, shop):
    (shop / "cleanup.py").write_text("raise SystemExit\n\n\ndef clean() -> None:\n    pass\n", "utf-8")
    result = invoke("list", "cleanup.py", "cleanup.py:clean")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "error[TK004]: no tools were found in 'cleanup.py', so it was not imported\n"
        " --> cleanup.py\n"
        "hint: mark a function with `@tool`; `toolkit run cleanup.py:NAME` calls one without a mark\n"
        "\n"
        "error[TK004]: no tools were found in 'cleanup.py', so it was not imported\n"
        " --> cleanup.py\n"
        "hint: mark it with `@tool` (cleanup.py:4); `toolkit run cleanup.py:clean` calls one without a mark\n"
        "1 Python file read, 0 run\n"
    )


def test_of_many_equal_warnings_only_a_few_are_shown(invoke, project):
    (project / "many.py").write_text(
        "from toolkit import tool\n\n\ndef make(number):\n    @tool(name=f'go_{number}')\n    def go(x: int) -> int:\n"
        "        return x\n\n    return go\n\n\ntools = [make(number) for number in range(8)]\n",
        "utf-8",
    )
    listed = invoke("list", "many.py")
    assert (listed.exit_code, len(listed.stdout.splitlines())) == (0, 9)
    assert listed.stderr.count("warning[TK201]: tool 'go_") == 5
    assert listed.stderr.splitlines()[-1] == "and 3 more [TK201] in many.py"

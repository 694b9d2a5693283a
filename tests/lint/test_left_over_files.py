"""A backup that cannot be read is a note, if no other file mentions it and nobody named it."""

import json

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

BROKEN = 'from fastmcp import FastMCP\n\nserver = FastMCP("shop")\n\n\n@server.tool()\ndef find(order: str\n'


def found(*options):
    """Return the file and the severity of each file that cannot be read."""
    command = ["lint", "--no-cache", "--profile", "all", "--select", "TK002", "--format", "json", *options]
    listed = json.loads(CliRunner().invoke(application(), command).stdout)
    return {one["location"]["file"]: one["severity"] for one in listed if one["code"] == "TK002"}


@pytest.mark.parametrize("mode", [(), ("--static",)], ids=["imported", "static"])
def test_backup_that_cannot_be_read_is_a_note(write, mode):
    write(server_old=BROKEN, server_backup2=BROKEN, Archived_in_till=BROKEN, legacy_v1_in_kiln=BROKEN)
    write(attic_in_oven=BROKEN, legacy_servers_in_stove=BROKEN, legacy=BROKEN)
    write(tools_broken=BROKEN, threshold=BROKEN, backup=BROKEN)
    left = ["Archived/till.py", "attic/oven.py", "legacy_servers/stove.py", "legacy_v1/kiln.py"]
    left += ["server_backup2.py", "server_old.py", "tools_broken.py"]
    others = ["backup.py", "legacy.py", "threshold.py"]
    assert found(*mode, ".") == {**dict.fromkeys(left, "info"), **dict.fromkeys(others, "error")}
    assert found(*mode, "server_old.py") == {"server_old.py": "error"}


def test_backup_that_another_file_mentions_is_an_error(write):
    write(server_old=BROKEN, server="import server_old\n")
    assert found("--static", ".") == {"server_old.py": "error"}


def test_output_that_somebody_has_pasted_is_a_note(write):
    pasted = "[FunctionTool(name='find'), <Order 1>]\n"
    write(output=pasted, server=f"{pasted}\n\n@mcp.tool\ndef find(order): ...\n", Kept_in_output2=pasted)
    assert found("--static", ".") == {"Kept/output2.py": "info", "output.py": "info", "server.py": "error"}
    assert found("--static", "output.py") == {"output.py": "error"}
    write(main="import output, fastmcp\n")
    assert found("--static", ".")["output.py"] == "error"


def test_file_of_python_2_is_a_note_unless_it_uses_a_framework(write):
    old = '"""Tools of the shop."""\n\nprint "found"\n'
    write(shop=old, main="import shop\n", server=f"from fastmcp import FastMCP\n{old}", moded="tools = 0777\n")
    write(long="tools = 0x10L\n", typo="tools = 0x10G\n", tabs="def tools():\n        a = 1\n\tb = 2\n")
    write(pair="class Tools:\n    def execute(self):\n        return lambda (a, b): a\n")
    write(all="import long, typo, tabs, pair, moded\n")
    notes = dict.fromkeys(["long.py", "moded.py", "pair.py", "shop.py", "tabs.py"], "info")
    assert found("--static", ".") == {**notes, "server.py": "error", "typo.py": "error"}
    assert found("--static", "shop.py") == {"shop.py": "error"}


@pytest.mark.parametrize(("bound", "severity"), [(">=3.99", "info"), (">=3.11", "error"), ("", "error")])
def test_file_of_a_project_for_later_versions_of_python_is_a_note(write, tmp_path, bound, severity):
    write(server=BROKEN)
    (tmp_path / "pyproject.toml").write_text(f"[project]\nname = 'shop'\nrequires-python = '{bound}'\n", "utf-8")
    assert found("--static", ".") == {"server.py": severity}
    assert found("--static", "server.py") == {"server.py": "error"}


def test_markdown_that_was_saved_as_python_is_a_note(write):
    guide = "# The shop\n\nIts tools find orders · and pay them.\n\n```python\nimport shop\n\n@server.tool()\ndef find(order): ...\n```\n"
    write(GUIDE=guide, server=f'{BROKEN}\n\ndef told():\n    """Shows a call.\n\n```python\nfind("1")\n```\n    """\n')
    assert found("--static", ".") == {"GUIDE.py": "info", "server.py": "error"}
    assert found("--static", "GUIDE.py") == {"GUIDE.py": "error"}


@pytest.mark.parametrize(
    "start",
    [
        "{# The shop #}",
        "{% if orders %}",
        "import {{ cookiecutter.package }}",
        "{{IMPORTS}}from shop import orders",
        "class {name}(Server):",
        "from ${package} import orders",
        "def <name>():",
    ],
)
def test_template_of_a_python_file_is_a_note(write, start):
    write(shop=f"{start}\n{BROKEN}")
    assert found("--static", ".") == {"shop.py": "info"}


@pytest.mark.parametrize(
    "text",
    ["import {useState} from 'react'", "import {{ useState }} from 'react'", "class Shop {", "class Shop<Order> {"],
)
def test_program_that_writes_code_of_other_languages_is_no_template(write, text):
    write(shop=f"TEXT = '''\n{text}\n'''\n{BROKEN}")
    assert found("--static", ".") == {"shop.py": "error"}


def test_file_in_a_folder_whose_name_is_to_be_filled_in_is_a_note(write, tmp_path):
    write(shop=BROKEN)
    (tmp_path / "{{PROJECT}}").mkdir()
    (tmp_path / "shop.py").rename(tmp_path / "{{PROJECT}}" / "shop.py")
    write(runner_templates_in_stdio=BROKEN, temp_in_stdio=BROKEN)
    notes = dict.fromkeys(["runner_templates/stdio.py", "{{PROJECT}}/shop.py"], "info")
    assert found("--static", ".") == {**notes, "temp/stdio.py": "error"}


def test_copy_that_a_program_has_made_and_a_notebook_saved_as_python_are_notes(write):
    write(
        third_party_in_server=BROKEN,
        generated_in_server=BROKEN,
        notebook=f"!pip install fastmcp\n{BROKEN}",
        server=BROKEN,
    )
    notes = dict.fromkeys(["generated/server.py", "notebook.py", "third_party/server.py"], "info")
    assert found("--static", ".") == {**notes, "server.py": "error"}


def test_exercise_with_a_blank_is_a_note(write):
    blank = f"{BROKEN[:-16]}\n\norders = # Add code here\n"
    write(exercise=blank, server=f"{BROKEN[:-16]}\n\norders = 'a # sign\n")
    assert found("--static", ".") == {"exercise.py": "info", "server.py": "error"}


def test_script_without_tools_that_cannot_be_read_is_a_note_if_no_file_mentions_it(write):
    write(report="from  import sales\n\n\ndef tool_report(): ...\n")
    assert found("--static", ".") == {"report.py": "info"}
    assert found("--static", "report.py") == {"report.py": "error"}
    write(main="import report\n")
    assert found("--static", ".") == {"report.py": "info"}
    write(server="import fastmcp\n")
    assert found("--static", ".") == {"report.py": "error"}


@pytest.mark.parametrize("above", ["", "# Paste this into the server.\n\n", "\ufeff"])
def test_fragment_whose_first_line_is_indented_is_a_note(write, above):
    write(fragment=f"{above}    @server.tool()\n    def find(order: str):\n        ...\n", merge="text = 'fragment'\n")
    assert found("--static", ".") == {"fragment.py": "info"}
    assert found("--static", "fragment.py") == {"fragment.py": "error"}


REFUSED = (
    "from langchain_core.tools import tool\n\n\n@tool\ndef find(number: str) -> str:\n    return shop.find(number)\n"
)


def severities(code):
    """Return the severity of the finding of a rule in each file."""
    command = ["lint", "--static", "--no-cache", "--select", code, "--format", "json", "."]
    listed = json.loads(CliRunner().invoke(application(), command).stdout)
    return {one["location"]["file"]: one["severity"] for one in listed}


def test_what_a_framework_refuses_is_a_note_only_in_a_file_that_others_have_replaced(write):
    write(legacy_in_tools=REFUSED, shop_old=REFUSED, examples_in_tools=REFUSED, tools=REFUSED)
    assert severities("TK707") == {
        "examples/tools.py": "error",
        "legacy/tools.py": "info",
        "shop_old.py": "info",
        "tools.py": "error",
    }


def test_parameter_that_nothing_reads_is_a_note_in_a_folder_that_was_left_behind(write):
    unread = REFUSED.replace("(number: str) -> str:", '(number: str, fare: str) -> str:\n    """Find an order."""')
    write(cleanup_archive_in_tools=unread, unused_in_tools=unread, tools_obsolete=unread, tools=unread)
    assert severities("TK401") == {
        "cleanup_archive/tools.py": "info",
        "tools.py": "warning",
        "tools_obsolete.py": "info",
        "unused/tools.py": "info",
    }

"""Tools of other frameworks with dangerous names are a note where nothing lasting is lost, and an error elsewhere."""

import json

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

HEAD = """
from fastmcp import FastMCP

mcp = FastMCP("shop")
"""
STATE = """

class Shop:
    def __init__(self):
        self.mails = []
        self.owners = {}

    def remove(self, number):
        database.remove(number)


class Mail:
    def __init__(self, text):
        self.text = text


def is_known(text):
    return text.rsplit("@", 1)[-1] in orders


def is_saved(text):
    return database.has(text)


shop = Shop()
orders: dict = {}
remote = connect()
"""


@pytest.fixture
def severities(tmp_path, monkeypatch):
    """Return the severity of a finding for each tool of a server that has it, of TK506 by default."""
    monkeypatch.chdir(tmp_path)

    def check(text, code="TK506"):
        (tmp_path / "server.py").write_text(text, "utf-8")
        options = ["--static", "--no-cache", "--select", code, "--format", "json"]
        result = CliRunner().invoke(application(), ["lint", *options, "server.py"])
        return {one["message"].split("'")[1]: one["severity"] for one in json.loads(result.stdout)}

    return check


def tool(signature, body="return store.delete()", head="def"):
    text = "The text of this tool says enough."
    return f'\n\n@mcp.tool\n{head} {signature}:\n    """{text}"""\n    {body}\n'


def test_entries_of_a_cache_and_running_tasks_are_a_note(severities):
    names = ["cache_delete", "purge_cached_pages", "task_cancel", "cancel_running_job"]
    assert severities(HEAD + "".join(tool(f"{name}(number: str)") for name in names)) == dict.fromkeys(names, "info")
    names = ["delete_page", "cancel_flight", "cancel_order", "cancel_scheduled_job"]
    assert severities(HEAD + "".join(tool(f"{name}(number: str)") for name in names)) == dict.fromkeys(names, "error")


def test_what_another_tool_puts_back_with_the_same_arguments_is_a_note(severities):
    pairs = [
        ("remove_stopword(word: str)", "add_stopword(word: str)", "info"),
        ("remove_user_from_groups(user: str, group: str)", "add_user_to_group(user: str, group: str)", "info"),
        ("remove_user(user: str)", "add_user(ctx: object, user: str, role: str = '')", "info"),
        ("remove_user(user: str)", "add_user(user: str, role: str)", "error"),
        ("remove_user(user: str)", "add_user(user: str, *, role: str)", "error"),
        ("remove_user(user: str)", "add_order(user: str)", "error"),
        ("delete_user(user: str)", "add_user(user: str)", "error"),
    ]
    for removing, adding, severity in pairs:
        name = removing.partition("(")[0]
        assert severities(HEAD + tool(removing) + tool(adding)) == {name: severity}, (removing, adding)


@pytest.mark.parametrize(
    ("body", "severity"),
    [
        ("shop.mails.append(Mail(text)); return f'sent {text}'", "info"),
        ("number = max(shop.owners, default=0) + 1; shop.owners[number] = text; return number", "info"),
        ("shop.owners.setdefault(text, []).append(Mail(text))", "info"),
        ("del orders[text]", "info"),
        ("orders.pop(text, None); return 'sent'", "info"),
        ("mail = Mail(text); mail.text = text; print(mail); return 'sent'", "info"),
        ("owners = shop.owners; owners.pop(text)", "info"),
        ("is_known(text); shop.mails.append(text)", "info"),
        ("is_saved(text); shop.mails.append(text)", "error"),
        ("client = remote.client; client.remove(text)", "error"),
        ("first = second; second = first; first.remove(text)", "error"),
        ("shop.remove(text)", "error"),
        ("remote.mails.append(text)", "error"),
        ("shop.mails.append(Mail(text)); save(shop)", "error"),
        ("shop.mails.append(Mail(text)); open('mails', 'w').write(text)", "error"),
        ("text.owner.remove('me')", "error"),
        ("return text.upper()", "error"),
    ],
)
def test_simulation_that_only_changes_variables_of_its_file_is_a_note(severities, body, severity):
    assert severities(HEAD + STATE + tool("pay_bill(text: str)", body)) == {"pay_bill": severity}


def test_simulation_may_sleep_but_not_wait_for_others(severities):
    waiting = "import asyncio\n" + HEAD + STATE
    body = "await asyncio.sleep(1); shop.mails.append(text)"
    assert severities(waiting + tool("pay_bill(text: str)", body, "async def")) == {"pay_bill": "info"}
    body = "await deliver(text); shop.mails.append(text)"
    assert severities(waiting + tool("pay_bill(text: str)", body, "async def")) == {"pay_bill": "error"}


def test_item_of_a_shopping_cart_is_a_note(severities):
    names = ["remove_from_cart", "remove_item_from_order", "clear_basket_delete"]
    assert severities(HEAD + "".join(tool(f"{name}(number: str)") for name in names)) == dict.fromkeys(names, "info")


@pytest.mark.parametrize(
    ("default", "test", "severity"),
    [
        ("False", "path.exists() and overwrite", "info"),
        ("False", "overwrite", "info"),
        ("False", "path.exists() or overwrite", "error"),
        ("True", "overwrite", "error"),
    ],
)
def test_files_that_are_only_deleted_to_be_overwritten_are_a_note(severities, default, test, severity):
    body = f"path = folder / name\n    if {test}:\n        path.unlink()\n    return path.rename(name)"
    written = tool(f"move_file(name: str, overwrite: bool = {default})", body)
    written = written.replace("says enough", "removes what is there")
    assert severities(HEAD + written) == {"move_file": severity}


def test_parameter_that_a_simulation_never_reads_is_a_note_if_its_docstring_says_so(severities):
    text = HEAD + STATE + tool("pay_bill(text: str, body: str)", "shop.mails.append(text)")
    assert severities(text, "TK401") == {"pay_bill": "warning"}
    told = text.replace("The text of this tool says enough.", "Send a mail (simulated).")
    assert severities(told, "TK401") == {"pay_bill": "info"}
    assert severities(told.replace("shop.mails", "remote.mails"), "TK401") == {"pay_bill": "warning"}


def test_only_input_of_a_tool_that_needs_none_is_a_note(severities):
    for name, severity in (("input_str", "info"), ("query", "info"), ("page", "warning")):
        written = tool(f"list_pages({name}: str)", "return store.listed(store)")
        assert severities(HEAD + written, "TK401") == {"list_pages": severity}


AGNO = "from agno.tools import tool\n"
LIVEKIT = "from livekit.agents import function_tool\n"


@pytest.mark.parametrize(
    ("signature", "body", "severity"),
    [
        ("delete_page(number: str)", "return client.delete_page(number)", "error"),
        ("delete_page(number: str)", "return run(client.delete_page, number)", "error"),
        ("delete_page(number: str)", "return send('page.delete', number)", "error"),
        ("delete_page(number: str)", "return cursor.run(f'DELETE FROM pages WHERE number = {number}')", "error"),
        ("delete_page(number: str)", "del database[number]", "error"),
        ("delete_page(number: str)", "return tell(number)", "info"),
        ("delete_page(number: str)", "log('deleting'); raise ToolError('delete failed')", "info"),
        ("pay_bill(number: str)", "return bank.go(number)", "error"),
        ("transfer_money(number: str)", "return bank.go(number)", "info"),
        ("deploy_shop(number: str)", "return cloud.deploy(number)", "info"),
        ("transfer_call(number: str)", "return phone.transfer(number)", "info"),
        ("send_goods_link(number: str)", "return chat.send(number)", "info"),
        ("publish_campaign(number: str)", "return ads.publish(number)", "info"),
        ("execute_query_to_file(number: str)", "return database.go(number)", "info"),
        ("execute_python(number: str)", "return box.go(number)", "info"),
        ("execute_python(number: str)", "return eval(number)", "error"),
        ("execute_sql(number: str)", "return database.execute(number)", "info"),
        ("run_command(number: str)", "import subprocess; return subprocess.run(['sh', '-c', number])", "info"),
        ("run_command(number: str)", "import subprocess; return subprocess.run(number.split())", "error"),
        ("run_command(number: str)", "import subprocess; return subprocess.run([number, '-a'])", "error"),
        ("tidy(path: str)", "import shutil; shutil.rmtree(path)", "info"),
        ("delete_found(found: dict)", "import os; os.remove(found['path'])", "error"),
    ],
)
def test_both_the_name_and_the_body_must_say_that_something_is_lost(severities, signature, body, severity):
    assert severities(HEAD + tool(signature, body)) == {signature.partition("(")[0]: severity}


@pytest.mark.parametrize(
    ("signature", "body", "severity"),
    [
        ("tidy(path: str)", "import os; os.remove(path)", "error"),
        ("tidy(found: dict)", "import os; os.remove(found['path'])", "info"),
        ("tidy(found: dict)", "import shutil; shutil.rmtree(found['path'])", "error"),
    ],
)
def test_description_may_say_what_the_name_does_not(severities, signature, body, severity):
    written = tool(signature, body).replace("says enough", "removes a file")
    assert severities(HEAD + written) == {"tidy": severity}


def test_copies_that_another_file_has_replaced_are_a_note(severities, tmp_path):
    severities(HEAD + tool("delete_page(number: str)"))
    for name, severity in (("server_legacy.py", "info"), ("legacy_server.py", "error")):
        (tmp_path / "server.py").rename(tmp_path / name)
        result = CliRunner().invoke(
            application(), ["lint", "--static", "--no-cache", "--profile", "all", "--format", "json", name]
        )
        assert [one["severity"] for one in json.loads(result.stdout) if one["code"] == "TK506"] == [severity]
        (tmp_path / name).rename(tmp_path / "server.py")


@pytest.mark.parametrize(
    ("signature", "body", "severity"),
    [
        ("cancel_order(number: str)", "return shop.cancel(number)", "info"),
        ("delete_order(number: str)", "return shop.delete(number)", "info"),
        ("tidy(path: str)", "import os; os.remove(path)", "info"),
    ],
)
def test_framework_without_a_mark_for_approval_has_notes_only(severities, signature, body, severity):
    written = LIVEKIT + tool(signature, body).replace("@mcp.tool", "@function_tool")
    assert severities(written) == {signature.partition("(")[0]: severity}
    asked = AGNO + tool("cancel_order(number: str)", "return shop.cancel(number)").replace("@mcp.tool", "@tool")
    assert severities(asked) == {"cancel_order": "error"}


def test_parameters_that_a_schema_replaces_are_not_those_of_the_tool(severities):
    wrapper = "async def run(self, context: RunContext, raw_arguments: dict) -> str:\n"
    wrapper += "    return await shop.find(raw_arguments)\n\n\n"
    for given, found in (("", {"run": "warning"}), (", raw_schema=schema", {})):
        assert severities(LIVEKIT + wrapper + f"tool = function_tool(run{given})\n", "TK401") == found

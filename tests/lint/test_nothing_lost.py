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


shop = Shop()
orders = {}
remote = connect()
"""


@pytest.fixture
def severities(tmp_path, monkeypatch):
    """Return the severity of TK506 for each tool of a server, `None` for a tool without it."""
    monkeypatch.chdir(tmp_path)

    def check(text):
        (tmp_path / "server.py").write_text(text, "utf-8")
        options = ["--static", "--no-cache", "--select", "TK506", "--format", "json"]
        result = CliRunner().invoke(application(), ["lint", *options, "server.py"])
        return {one["message"].split("'")[1]: one["severity"] for one in json.loads(result.stdout)}

    return check


def tool(signature, body="return store.change()", head="def"):
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
    assert severities(HEAD + STATE + tool("send_mail(text: str)", body)) == {"send_mail": severity}


def test_simulation_may_sleep_but_not_wait_for_others(severities):
    waiting = "import asyncio\n" + HEAD + STATE
    body = "await asyncio.sleep(1); shop.mails.append(text)"
    assert severities(waiting + tool("send_mail(text: str)", body, "async def")) == {"send_mail": "info"}
    body = "await deliver(text); shop.mails.append(text)"
    assert severities(waiting + tool("send_mail(text: str)", body, "async def")) == {"send_mail": "error"}

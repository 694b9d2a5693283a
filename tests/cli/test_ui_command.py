"""`toolkit ui`: a local page that shows tools, calls them, and asks before calls that need approval."""

import http.client
import json
import os
import subprocess
import sys
from contextlib import contextmanager
from typing import ClassVar
from urllib.parse import urlsplit

import pytest

from tests.browsers import CHROMIUM, Browser
from tests.installers import INSTALL

TOOLS = '''
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from toolkit import tool


class Address(BaseModel):
    street: str = Field(description="Street and number.")
    floor: int | None = None


@tool(read_only=True)
def find_order(number: str) -> dict[str, int]:
    """Find an order of the shop by its number.

    Args:
        number: The number of the order.
    """
    return {"total": 12345678901234567890}


@tool(destructive=True)
def refund(order: str, euros: Annotated[float, Field(gt=0)], note: str = "none") -> str:
    """Pay money back.

    Args:
        order: The number of the order.
        euros: How much.
        note: A note.
    """
    with Path("paid").open("a") as log:
        print(order, euros, file=log)
    return f"paid {euros} for {order}"


@tool
def ship(
    count: int, gift: bool, kind: Literal["box", "bag"], when: date, to: Address, tags: list[str], weights: list[float],
    extra: dict[str, int], code: int | str, mode: Literal["fast"], note: str | None = None,
) -> str:
    """Ship an order."""
    return repr([count, gift, kind, str(when), to.street, to.floor, tags, weights, extra, code, mode, note])


@tool
def leak(key: str) -> str:
    """Return </script><img src=x onerror="document.title='hacked'">\\u202e and <b>bold</b> text."""
    return "<img src=x onerror=\\"document.title='hacked'\\"><script>document.title='hacked'</script>\\u202e sk-ant-api03-" + "a1B2" * 20
'''
STEPS = """
name: steps
description: Find an order, and pay it back.
tools: [./tools.py]
inputs: {number: {type: string}}
steps:
  - {id: found, use: find_order, with: {number: "${{ inputs.number }}"}}
  - {id: pay, use: refund, with: {order: "${{ inputs.number }}", euros: 5}}
"""
CALL = "[...document.querySelectorAll('main button')].find((one) => one.textContent === 'Call').click()"


@pytest.fixture
def desk(tmp_path):
    (tmp_path / "tools.py").write_text(TOOLS, "utf-8")
    (tmp_path / "steps.yaml").write_text(STEPS, "utf-8")
    yield tmp_path
    Client("").leave()


@contextmanager
def page_of(folder, *arguments):
    """Start `toolkit ui` in a folder; give the process and the address of the page."""
    process = subprocess.Popen(
        [sys.executable, "-m", "toolkit_cli", "ui", *arguments],
        cwd=folder,
        env={**os.environ, "XDG_STATE_HOME": str(folder / "state"), "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    try:
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), process.stderr.read()
        yield process, address
    finally:
        process.terminate()
        process.communicate(timeout=20)


class Client:
    """A program that uses the page's server as the page does."""

    connections: ClassVar = []

    def __init__(self, address):
        parts = urlsplit(address)
        self.host, self.token = parts.netloc, parts.fragment

    def ask(self, path, body=None, **headers):
        """Send a request, and return the response, whose body has not been read."""
        connection = http.client.HTTPConnection(self.host, timeout=60)
        given = {"Authorization": f"Bearer {self.token}"} | {name.title(): value for name, value in headers.items()}
        connection.request("GET" if body is None else "POST", path, None if body is None else json.dumps(body), given)
        self.connections.append(connection)
        return connection.getresponse()

    def leave(self):
        """Close all connections, as a browser does when its page is closed."""
        while self.connections:
            self.connections.pop().close()

    def call(self, tool, arguments):
        return self.ask("/call", {"tool": tool, "arguments": json.dumps(arguments)})

    def answer(self, question, decision, **more):
        body = {"id": question["id"], "call": question["call"], "decision": decision, **more}
        return self.ask(f"/answer?id={question['id']}", body).status


def lines_of(answer):
    return [json.loads(line) for line in answer.read().decode().splitlines()]


def question_in(answer):
    """Return the first question in the response to a call."""
    while "question" not in (said := json.loads(answer.readline())):
        pass
    return said["question"]


def test_only_the_address_that_was_printed_lets_anyone_in(desk):
    with page_of(desk, "tools.py") as (_, address):
        client = Client(address)
        statuses = {
            "as the page": client.ask("/tools").status,
            "without the token": client.ask("/tools", authorization="").status,
            "with another token": client.ask("/tools", authorization="Bearer " + "x" * 32).status,
            "from another name": client.ask("/tools", host="evil.example").status,
            "from another site": client.ask("/tools", origin="http://evil.example").status,
            "from another port": client.ask("/tools", origin="http://127.0.0.1:1").status,
            "a call without the token": client.ask(
                "/call", {"tool": "refund", "arguments": "{}"}, authorization=""
            ).status,
            "an answer to no question": client.ask("/answer?id=1", {}).status,
            "an unknown tool": client.ask("/call", {"tool": "nothing", "arguments": "{}"}).status,
            "a call that is none": client.ask("/call", ["tool"]).status,
        }
        shell = client.ask("/", authorization="")
        page = shell.read().decode()
    assert statuses == {
        "as the page": 200,
        "without the token": 401,
        "with another token": 401,
        "from another name": 421,
        "from another site": 403,
        "from another port": 403,
        "a call without the token": 401,
        "an answer to no question": 409,
        "an unknown tool": 400,
        "a call that is none": 400,
    }
    assert (shell.status, "refund" in page, client.token in page) == (200, False, False)
    policy = shell.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert not any(f"{scheme}://" in page for scheme in ("http", "https"))


def test_call_is_approved_rejected_or_edited_by_an_answer_about_exactly_this_call(desk):
    with page_of(desk, "tools.py") as (_, address):
        client, results = Client(address), []
        for decision, more in (
            ("approve", {}),
            ("reject", {"reason": "too much"}),
            ("edit", {"arguments": {"order": "B", "euros": 1}}),
        ):
            answer = client.call("refund", {"order": "A", "euros": 5})
            question = question_in(answer)
            assert question["shown"] == [["order", "A", False], ["euros", "5.0", False], ["note", "none", True]]
            assert client.answer(question | {"call": "0" * 64}, decision, **more) == 400
            assert client.answer(question, "allow") == 400
            assert client.answer(question, decision, **more) == 204
            assert client.answer(question, decision, **more) == 409
            results.append(lines_of(answer)[-1]["result"]["text"].splitlines()[-1])
    assert results == ["paid 5.0 for A", "Error: Rejected by reviewer: too much", "paid 1.0 for B"]
    assert (desk / "paid").read_text("utf-8") == "A 5.0\nB 1.0\n"


def test_call_whose_page_goes_away_never_runs(desk):
    with page_of(desk, "tools.py") as (_, address):
        client = Client(address)
        answer = client.call("refund", {"order": "A", "euros": 5})
        question = question_in(answer)
        answer.close()
        client.leave()
        # Whenever the server misses the page, no answer that could come in between is one about this call.
        while client.answer(question | {"call": "0" * 64}, "approve") != 409:
            client.leave()
        log = (desk / "state" / "toolkit" / "audit.jsonl").read_text("utf-8")
    assert not (desk / "paid").exists()
    assert '"decision": "continue"' not in log


def test_question_without_an_answer_in_time_is_rejected(desk):
    (desk / "toolkit.toml").write_text('[defaults]\napproval_timeout = "100ms"\n', "utf-8")
    with page_of(desk, "tools.py") as (_, address):
        said = lines_of(Client(address).call("refund", {"order": "A", "euros": 5}))
    assert [next(iter(one)) for one in said] == ["question", "closed", "result"]
    assert said[-1]["result"]["text"] == "Error: Rejected by reviewer: nobody answered within 0.1 seconds"
    assert not (desk / "paid").exists()


def test_question_that_is_open_at_the_end_of_the_server_is_rejected(desk):
    with page_of(desk, "tools.py") as (process, address):
        answer = Client(address).call("refund", {"order": "A", "euros": 5})
        question_in(answer)
        process.terminate()
        process.wait(20)
    assert not (desk / "paid").exists()


def test_result_is_shown_as_each_side_receives_it_without_secrets(desk):
    with page_of(desk, "tools.py") as (_, address):
        client = Client(address)
        found = lines_of(client.call("find_order", {"number": "A"}))[-1]["result"]
        leaked = client.call("leak", {"key": "k"}).read().decode()
        wrong = lines_of(client.call("refund", {"euros": -1}))[-1]["result"]
        sent = json.loads(client.ask("/sent?tool=find_order").read())["sent"]
    assert found["text"] == '{"total":12345678901234567890}'
    assert '"total": 12345678901234567890' in found["structured"]
    assert json.loads(found["mcp"])["isError"] is False
    assert "a1B2a1B2" not in leaked
    assert (wrong["code"], [name for name, _ in wrong["faults"]]) == ("invalid_arguments", ["order", "euros"])
    assert json.loads(next(one for one in sent if one["name"] == "anthropic")["definition"])["name"] == "find_order"


def test_without_tools_or_with_a_broken_file_it_ends_with_what_to_do(invoke, project):
    nothing = invoke("ui")
    assert (nothing.exit_code, nothing.stderr) == (
        2,
        "error: there are no tools to show\nhint: name a file, a folder or a tool; or add `sources` to toolkit.toml\n",
    )
    assert invoke("ui", "missing.py").exit_code == 4


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("missing", ["starlette", "uvicorn"])
def test_missing_extra_is_named(program, project, missing):
    (project / "sitecustomize.py").write_text(f"import sys\nsys.modules[{missing!r}] = None\n", "utf-8")
    ended = program("ui", "tools.py", env={"PYTHONPATH": str(project)})
    assert (ended.returncode, ended.stdout, ended.stderr) == (
        2,
        "",
        f"error: the page needs 'toolkit-cli[mcp]', which is not installed\nhint: {INSTALL} 'toolkit-cli[mcp]'\n",
    )


needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium to open pages with")


@pytest.fixture
def browser(tmp_path):
    started = Browser(tmp_path / "browser")
    yield started
    started.close()


@contextmanager
def shown(browser, folder, tool, *targets):
    """Open the page at a tool, and wait until the findings are there."""
    with page_of(folder, *(targets or ("tools.py",))) as (process, address):
        browser.show(address, 1400)
        until(browser, "/\\d finding/.test(document.getElementById('counts').textContent)")
        browser.value(f"location.hash = '#/{tool}'")
        until(browser, f"document.querySelector('main h2')?.textContent === '{tool}'")
        yield process


def until(browser, condition):
    """Wait in the page until a condition holds."""
    assert browser.value(f"""new Promise((done) => {{
      const end = Date.now() + 30000;
      const look = () => ({condition} ? done(true) : Date.now() > end ? done(false) : setTimeout(look, 20));
      look();
    }})"""), condition


def fill(browser, **texts):
    for name, text in texts.items():
        browser.value(f"[...document.querySelectorAll('[data-name={name}] :is(input, textarea)')].at(-1).focus()")
        browser.write(text)


def result_of(browser):
    until(browser, "document.querySelector('.result pre')")
    return browser.value("document.querySelector('.result pre').textContent")


@needs_chromium
def test_form_has_a_field_for_every_kind_of_argument(browser, desk):
    with shown(browser, desk, "ship"):
        choose = "(name, at) => { document.querySelector(`[data-name=${name}] select`).value = at; }"
        browser.value(f"(({choose})('gift', 0), ({choose})('kind', 1), ({choose})('mode', 0))")
        browser.value("document.querySelector('[data-name=when] input').value = '2026-11-26'")
        browser.value(
            "document.querySelectorAll('[data-name=tags] button, [data-name=weights] button').forEach((one) => one.click())"
        )
        fill(
            browser,
            count="12345678901234567890",
            street="Main 1",
            tags="a\nb",
            weights="1.50",
            extra='{"a": 1}',
            code="7",
        )
        browser.value(CALL)
        result = result_of(browser)
    assert (
        result
        == "[12345678901234567890, True, 'bag', '2026-11-26', 'Main 1', None, ['a\\nb'], [1.5], {'a': 1}, 7, 'fast', None]"
    )


@needs_chromium
def test_invalid_arguments_are_named_beside_their_fields(browser, desk):
    with shown(browser, desk, "refund"):
        fill(browser, order="A", euros="much")
        browser.value(CALL)
        shown_error = result_of(browser)
        faults = browser.value(
            "[...document.querySelectorAll('.field')].map((one) => [one.dataset.name, one.querySelector('.fault').textContent])"
        )
    assert shown_error.startswith("Error: ")
    assert [name for name, text in faults if text] == ["euros"]
    assert "number" in dict(faults)["euros"]


@needs_chromium
def test_question_is_a_dialog_whose_answer_counts_once_it_could_be_read(browser, desk):
    with shown(browser, desk, "refund"):
        fill(browser, order="A", euros="5")
        browser.value(CALL)
        until(browser, "document.querySelector('dialog').open")
        approve = "[...document.querySelectorAll('dialog button')].find((one) => one.textContent === 'Approve once')"
        assert browser.value(f"{approve}.disabled") is True
        for key in ("Enter", "Enter"):
            browser.press(key)
        assert browser.value("document.querySelector('dialog').open") is True
        asked = browser.value("document.querySelector('dialog').innerText")
        until(browser, f"!{approve}.disabled")
        browser.value(f"{approve}.click()")
        assert result_of(browser) == "paid 5.0 for A"
        browser.value(CALL)
        until(browser, "document.querySelector('dialog').open")
        browser.press("Escape")
        until(browser, "document.querySelector('.result pre')?.textContent.includes('dismissed')")
    assert all(
        text in asked
        for text in ("Run refund?", "the tool is destructive", "DESTRUCTIVE", "order", "A", "5.0", "note (default)")
    )
    assert (desk / "paid").read_text("utf-8") == "A 5.0\n"


@needs_chromium
def test_page_that_is_closed_at_a_question_approves_nothing(browser, desk):
    with shown(browser, desk, "refund"):
        fill(browser, order="A", euros="5")
        browser.value(CALL)
        until(browser, "document.querySelector('dialog').open")
        browser.show("about:blank", 1400)
    assert not (desk / "paid").exists()


@needs_chromium
def test_texts_of_tools_are_never_run_or_hidden(browser, desk):
    with shown(browser, desk, "leak"):
        fill(browser, key="k")
        browser.value(CALL)
        result = result_of(browser)
        seen = browser.value(
            "[document.title, document.querySelectorAll('main img, main b, main script').length, document.querySelector('.description').textContent]"
        )
    assert seen[:2] == ["leak · toolkit", 0]
    assert seen[2].startswith("Return </script><img src=x")
    assert "\u202e" not in seen[2] + result
    assert "\\u202e" in result
    assert "a1B2a1B2" not in result


@needs_chromium
def test_pipeline_is_drawn_with_how_its_steps_ended_and_findings_are_beside_their_tool(browser, desk):
    with shown(browser, desk, "steps", "steps.yaml", "tools.py"):
        findings = browser.value(
            "[...document.querySelectorAll('.about .findings code')].map((one) => one.textContent)"
        )
        fill(browser, number="A")
        browser.value(CALL)
        until(browser, "document.querySelector('dialog').open")
        browser.value(
            "[...document.querySelectorAll('dialog button')].find((one) => one.textContent === 'Reject').click()"
        )
        result_of(browser)
        steps = browser.value(
            "Object.fromEntries([...document.querySelectorAll('[data-path]')].map((one) => [one.dataset.path, one.dataset.status]))"
        )
    assert "TK614" in findings
    assert steps == {"found": "ok", "pay": "rejected"}


@needs_chromium
def test_last_recorded_run_of_a_pipeline_is_shown_with_it(browser, desk):
    command = [sys.executable, "-m", "toolkit_cli", "run", "steps.yaml", "number=A", "--journal", "--yes", "-q"]
    subprocess.run(
        command, cwd=desk, env={**os.environ, "XDG_STATE_HOME": str(desk / "state")}, check=True, capture_output=True
    )
    with shown(browser, desk, "steps", "steps.yaml"):
        until(browser, "document.querySelector('[data-path=pay]').dataset.status === 'ok'")
        assert "completed, 2 of 2 steps" in browser.value("document.querySelector('main').innerText")


@needs_chromium
@pytest.mark.parametrize("width", [420, 900, 1400])
def test_page_fits_its_window(browser, desk, width):
    with page_of(desk, ".") as (_, address):
        browser.show(address, width)
        until(browser, "/\\d finding/.test(document.getElementById('counts').textContent)")
        for tool in ("steps", "ship", "leak"):
            browser.value(f"location.hash = '#/{tool}'")
            until(browser, f"document.querySelector('main h2').textContent === '{tool}'")
            assert browser.value("document.documentElement.scrollWidth") <= width

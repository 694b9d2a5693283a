"""`toolkit runs show ID --html FILE`: a run as one page that needs nothing else and runs nothing of a stranger's."""

import base64
import hashlib
import json
import re
from html import unescape
from stat import S_IMODE

import pytest

from tests.browsers import CHROMIUM, Browser
from toolkit.stores import RecordedRun, RecordedStep
from toolkit_cli.rendering.run_pages.pages import run_page  # private

TOOLS = '''
from toolkit import tool

@tool
def halve(n: int, text: str = "") -> float:
    """Halve a number."""
    if n == 2:
        raise ValueError(f"no {text}")
    return n / 2
'''
STEPS = """
name: steps
tools: [./tools.py]
inputs: {n: {type: integer}, text: {type: string, default: ""}}
steps:
  - {id: first, use: halve, with: {n: "${{ inputs.n }}", text: "${{ inputs.text }}"}}
  - {id: second, use: halve, with: {n: 8}}
"""
HOSTILE = "</script><img src=x onerror=alert(1)>\u202e"


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "tools.py").write_text(TOOLS, "utf-8")
    (tmp_path / "steps.yaml").write_text(STEPS, "utf-8")
    return tmp_path


def newest(invoke):
    return json.loads(invoke("runs", "list", "--format", "json").stdout)[0]["id"]


def data_of(page):
    return json.loads(part_of(page, r'<script type="application/json" id="data">(.*?)</script>'))


def part_of(page, pattern):
    """Return what stands in the only group of a pattern."""
    return re.findall(pattern, page, re.DOTALL)[0]


def test_a_batch_becomes_a_page_that_only_its_owner_reads(desk, invoke):
    lines = [json.dumps({"n": number, "text": HOSTILE}) for number in (1, 2, 3)]
    (desk / "items.jsonl").write_text("\n".join(lines), "utf-8")
    invoke("run", "tools.py:halve", "--each", "items.jsonl", "--on-item-error", "collect", "-q")
    done = invoke("runs", "show", newest(invoke), "--html", "page.html")
    page = (desk / "page.html").read_text("utf-8")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "written to page.html\n")
    assert S_IMODE((desk / "page.html").stat().st_mode) == 0o600
    data = data_of(page)
    assert [(row[0], row[2]) for row in data["rows"]] == [("1", "ok"), ("2", "failed"), ("3", "ok")]
    assert "<img" not in page
    assert "</script><img src=x" in data["rows"][1][6]
    assert "\u202e" not in page
    assert "tools.py:halve" in unescape(page)


def test_a_page_allows_its_own_style_and_script_and_nothing_else(desk, invoke):
    invoke("run", "steps.yaml", "n=4", "--journal", "-q")
    page = invoke("runs", "show", newest(invoke), "--html", "-").stdout
    policy = unescape(part_of(page, r'Content-Security-Policy" content="([^"]*)"'))
    digests = [
        "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in (
            part_of(page, r"<style>(.*?)</style>"),
            re.findall(r"<script>(.*?)</script>", page, re.DOTALL)[0],
        )
    ]
    assert policy == (
        f"default-src 'none'; style-src '{digests[0]}'; script-src '{digests[1]}'; base-uri 'none'; form-action 'none'"
    )
    assert not re.findall(r"https?://", page)


def test_the_graph_has_the_steps_that_did_not_begin_too(desk, invoke):
    assert invoke("run", "steps.yaml", "n=2", "--journal", "-q").exit_code == 1
    data = data_of(invoke("runs", "show", newest(invoke), "--html", "-").stdout)
    assert [(node["label"], node["counts"]) for node in data["graph"]] == [("first", {"failed": 1}), ("second", {})]


def test_only_a_page_about_a_run_is_written_over(desk, invoke):
    invoke("run", "steps.yaml", "n=4", "--journal", "-q")
    run = newest(invoke)
    (desk / "mine.html").write_text("mine", "utf-8")
    refused = invoke("runs", "show", run, "--html", "mine.html")
    assert (refused.exit_code, (desk / "mine.html").read_text("utf-8")) == (2, "mine")
    assert "it already exists and is not a page about a run" in refused.stderr
    assert invoke("runs", "show", run, "--html", ".").exit_code == 2
    for _ in range(2):
        assert invoke("runs", "show", run, "--html", "page.html").exit_code == 0
    misused = invoke("runs", "show", run, "--html", "page.html", "--format", "json")
    assert (misused.exit_code, json.loads(misused.stderr)["message"]) == (
        2,
        "--html and --format json cannot be combined",
    )


SCRIPT = """
turns:
  - say: I look first.
    calls: [{tool: halve, arguments: {n: 4}}, {tool: halve, arguments: {n: 2, text: much}}]
    usage: {input_tokens: 1000, output_tokens: 50, cost: 0.01}
  - say: It is done.
    usage: {input_tokens: 1200, output_tokens: 20, cost: 0.02}
"""


@pytest.fixture
def asked_agent(desk, invoke):
    """Return the run of an agent whose two calls were asked about: one was approved, and one rejected."""
    (desk / "script.yaml").write_text(SCRIPT, "utf-8")
    begin = ("agent", "Halve four", "--tools", "tools.py", "--model", "scripted:script.yaml")
    assert invoke(*begin, "--on-approval", "wait").exit_code == 3
    run = newest(invoke)
    questions = json.loads(invoke("runs", "approvals", "--format", "json").stdout)
    asked = {question["arguments"]["n"]: question["id"] for question in questions}  # in either order: side by side
    invoke("runs", "decide", asked[4], "approve")
    invoke("runs", "decide", asked[2], "reject", "--reason", "too much")
    assert invoke("runs", "resume", run).exit_code == 0
    return run


def test_an_agent_is_shown_with_its_turns_calls_costs_and_questions(invoke, asked_agent):
    shown = [line.rstrip() for line in invoke("runs", "show", asked_agent).stdout.splitlines()]
    assert "  agent   2 turns, 2 calls, 1 failed · 2,200 tokens sent, 70 received · $0.03" in shown
    steps = [re.sub(r"  \d+ ms  ", "  ", line) for line in shown if "turn-" in line]
    assert steps == [
        "ok        turn-1  1,000 → 50 tokens  $0.01  I look first.  calls halve, halve",
        'ok        turn-1.1  halve {"n": 4} → 2.0',
        "rejected  turn-1.2  → Rejected by reviewer: too much",
        "ok        turn-2  1,200 → 20 tokens  $0.02  It is done.",
    ]
    said = [line.split()[0] for line in shown if line.startswith(("asked", "approve", "reject ", "continue"))]
    assert (said.count("approve"), said.count("reject")) == (1, 2)


def test_an_agent_is_data_for_programs_too(invoke, asked_agent):
    record = json.loads(invoke("runs", "show", asked_agent, "--format", "json").stdout)
    assert record["agent"] == {
        "turns": 2,
        "calls": 2,
        "failed": 1,
        "input_tokens": 2200,
        "output_tokens": 70,
        "cost": 0.03,
    }
    answers = [(one["what"], one["tool"], one.get("reason")) for one in record["questions"] if one["what"] != "asked"]
    assert ("approve", "halve", None) in answers
    assert ("reject", "halve", "too much") in answers


@pytest.mark.proof
def test_the_page_of_an_agent_has_its_turns_and_calls_as_two_places(invoke, asked_agent):
    page = invoke("runs", "show", asked_agent, "--html", "-").stdout
    data = data_of(page)
    assert [(node["label"], node["tool"], node["counts"]) for node in data["graph"]] == [
        ("turns", "scripted:script.yaml", {"ok": 2}),
        ("calls", "halve", {"ok": 1, "rejected": 1}),
    ]
    assert [row[0] for row in data["rows"]] == ["turn-1", "turn-1.1", "turn-1.2", "turn-2"]
    assert "2 turns, 2 calls, 1 failed · 2,200 tokens sent, 70 received · $0.03" in unescape(page)
    assert {question["what"] for question in data["questions"]} == {"asked", "approve", "continue", "reject"}


@pytest.mark.proof
@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium to open pages with")
def test_a_browser_shows_what_an_agent_said_and_called(invoke, desk, asked_agent, browser):
    shown = unescape(opened(browser, invoke("runs", "show", asked_agent, "--html", "-").stdout, desk / "page.html"))
    assert "I look first. · calls halve, halve" in shown
    assert '<span class="path">turn-1.1 halve</span>' in shown
    assert "Rejected by reviewer: too much" in shown


def steps_of(count):
    def ending(number):
        status = "failed" if number % 1_000 == 0 else "ok"
        result = json.dumps({"error" if status == "failed" else "output": f"said {HOSTILE} {number}"})
        return RecordedStep(str(number), "halve", status, result, f'{{"n": {number}}}', number, number + 1, True, True)

    return [ending(number) for number in range(1, count + 1)]


def run_of(count):
    return RecordedRun(1, "r1", "completed", "x.py:halve", 0.0, 9.0, count, 0, count, "items", None, {}, {}, 1)


@pytest.fixture
def browser(tmp_path):
    """Return a browser that shows a page in a window."""
    started = Browser(tmp_path / "browser")
    yield started
    started.close()


def opened(browser, page, file, width=1200, *, is_dark=False):
    """Open a page, and return the source of what its script has made of it."""
    file.write_text(page, "utf-8")
    browser.show(file, width, is_dark=is_dark)
    return browser.value("document.documentElement.outerHTML")


@pytest.mark.proof
@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium to open pages with")
def test_a_browser_shows_a_hundred_thousand_items_with_failures_first_and_runs_nothing_of_theirs(
    tmp_path, browser, figure
):
    page = run_page(run_of(100_000), steps_of(100_000), [])
    shown = opened(browser, page, tmp_path / "page.html")
    assert len(page) < 60_000_000
    rows = re.findall(r'<span class="(\w+)">\1</span><span class="path">(\d+)</span>', shown)
    assert len(rows) == 200
    assert rows[:100] == [("failed", str(number)) for number in range(1_000, 100_001, 1_000)]
    assert rows[100] == ("ok", "1")
    assert "1 to 200 of 100,000" in shown
    assert "<img" not in shown.split('id="rows"')[1]
    figure(f"a page about 100,000 items: {len(page) / 1e6:.1f} MB, the 100 failures first, opened in a browser")


FOUND = """new Promise(done => {
  const said = document.getElementById('found');
  new MutationObserver(() => done(said.textContent)).observe(said, {childList: true, characterData: true, subtree: true});
  document.getElementById('search').focus();
})"""
"""Waits until the page says what it has found, with the focus where one writes what is searched."""


@pytest.mark.proof
@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium to open pages with")
def test_what_is_written_into_the_search_is_found_among_many_items(tmp_path, browser):
    opened(browser, run_page(run_of(20_000), steps_of(20_000), []), tmp_path / "page.html")
    browser.value(f"window.found = {FOUND}; 0")
    browser.write("SAID 1999")
    assert browser.value("window.found") == "12 of 20,000; long texts are shortened to 1,200 characters"
    paths = "[...document.querySelectorAll('#rows .path')].map(one => one.textContent)"
    assert browser.value(paths) == [str(number) for number in (1_999, 11_999, *range(19_990, 20_000))]


@pytest.mark.proof
@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium to open pages with")
@pytest.mark.parametrize("width", [1200, 360])
@pytest.mark.parametrize("is_dark", [False, True])
def test_a_picture_of_the_page_has_its_colours_and_no_part_beyond_its_edge(width, is_dark, tmp_path, browser):
    opened(browser, run_page(run_of(2_000), steps_of(2_000), []), tmp_path / "page.html", width, is_dark=is_dark)
    assert browser.value("document.documentElement.scrollWidth") <= width
    size, colours = browser.colours(browser.picture())
    back, failed = ("21,24,27", "255,122,126") if is_dark else ("255,255,255", "198,42,47")
    assert size == (width, 900)
    assert max(colours, key=colours.__getitem__) == back
    assert colours[failed] > 0

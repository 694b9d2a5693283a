"""`toolkit new cases --from`: what a run or an agent did once, as a case."""

import json
from pathlib import Path

import pytest

from tests.testing.case_projects import write_shop

CASE = """\
# Written from the run RUN; read it before you keep it.
toolkit: 1
cases:
  - name: refunds as in the run RUN
    run: refunds.yaml
    with:
      orders:
        - id: A-17
          euros: 80
          damaged: true
        - id: A-18
          euros: 20
          damaged: true
    answers:
      - refund: approve
      - refund: approve
    stub:
      refund:
        - paid back 40 EUR for order A-17
        - paid back 10 EUR for order A-18
      mail:
        error: the world was touched
        code: error
    expect:
      error: the world was touched
      calls:
        - refund:
            order: A-17
            euros: 40
        - refund:
            order: A-18
            euros: 10
        - mail:
            text: '["paid back 40 EUR for order A-17","paid back 10 EUR for order A-18"]'
"""
ORDERS = '{"orders": [{"id": "A-17", "euros": 80, "damaged": true}, {"id": "A-18", "euros": 20, "damaged": true}]}'
AGENT_CASE = """\
# Written from FROM; read it before you keep it.
toolkit: 1
cases:
  - name: payer as in FROM
    run: payer.yaml
    with:
      task: pay
    model: scripted:payer-NAME_script.yaml
    answers:
      - refund: approve
      - mail:
          reject: --no-input forbids asking
    stub:
      refund: paid back 3 EUR for order A-17
    snapshot: true
    expect:
      calls:
        - refund:
            order: A-17
            euros: 3
      not:
        - mail
"""
AGENT_SCRIPT = """\
turns:
  - calls:
      - tool: refund
        arguments:
          order: A-17
          euros: 3
      - tool: mail
        arguments:
          text: hi
  - say: Done.
"""
CHOICE = """\
# Written from 'talk.json'; read it before you keep it.
toolkit: 1
cases:
  - name: calls as in 'talk.json'
    ask: pay
    tools:
      - shop.py
    expect:
      calls:
        - refund:
            order: A-17
            euros: 3
        - mail:
            text: hi
"""
PAYER = "agent: simple\ndescription: Pays.\nmodel: scripted:pays.yaml\ntools: [shop.py]\n"
PAYS = """\
turns:
  - calls: [{tool: refund, arguments: {order: A-17, euros: 3}}, {tool: mail, arguments: {text: hi}}]
  - Done.
"""
INNER = """\
description: Look a price up, ask, and pay back.
tools: [shop.py]
inputs:
  order: {type: string}
steps:
  - use: price
    with: {order: "${{ inputs.order }}"}
  - id: sure
    approve: {message: Sure?}
  - use: refund
    with: {order: "${{ inputs.order }}", euros: 5}
"""
OUTER = """\
description: Pay orders back, and let an agent write about it.
tools: [shop.py, inner.yaml, clerk.yaml]
inputs:
  orders: {type: array, items: {type: string}}
steps:
  - for_each: ${{ inputs.orders }}
    use: inner
    with: {order: "${{ item }}"}
  - use: clerk
    with: {task: How much was it?}
"""
PAYS_ONE = """\
description: Pay back.
tools: [shop.py]
inputs:
  order: {type: string}
steps:
  - use: refund
    with: {order: "${{ inputs.order }}", euros: 1}
"""


@pytest.fixture
def recorded(project, invoke, monkeypatch):
    """Run a target in the shop, and return the id of the run."""
    monkeypatch.setenv("XDG_STATE_HOME", str(project / "state"))
    write_shop(project)
    files = {"payer.yaml": PAYER, "pays.yaml": PAYS, "inner.yaml": INNER, "outer.yaml": OUTER, "secret.yaml": PAYS_ONE}
    for name, text in files.items():
        Path(name).write_text(text, "utf-8")

    def record(*words):
        invoke(*words, "--journal")
        [run, *_] = json.loads(invoke("runs", "list", "--format", "json").stdout)
        return run["id"]

    return record


def test_failed_run_becomes_a_case_that_passes_without_touching_the_world(recorded, invoke, project):
    run = recorded("run", "refunds.yaml", "--args", ORDERS, "--yes")
    made = invoke("new", "cases", "--from", run[:6])
    file = f"refunds-{run}.cases.yaml"
    assert (made.exit_code, made.stdout) == (0, f"{file}\n"), made.stderr
    assert made.stderr == f"\nNow run it, and read it before you keep it:\n  toolkit test --update {file}\n"
    assert Path(file).read_text("utf-8") == CASE.replace("RUN", run)
    assert invoke("test", file).stdout == "1 passed (1 case in 1 file)\n"
    Path("refunds.yaml").write_text(Path("refunds.yaml").read_text("utf-8").replace("/ 2", "/ 4"), "utf-8")
    assert invoke("test", file).exit_code == 1


def test_run_of_pipelines_in_pipelines_and_agents_becomes_a_case(recorded, invoke, project):
    run = recorded("run", "outer.yaml", "--args", '{"orders": ["a", "b"]}', "--yes")
    made = invoke("new", "cases", "--from", run, "--path", "tests")
    assert made.stdout == f"tests/outer-{run}.cases.yaml\n", made.stderr
    updated = invoke("test", "--update", f"tests/outer-{run}.cases.yaml")
    assert updated.stdout == "1 passed (1 case in 1 file)\n", updated.stdout
    assert invoke("test", "tests").stdout == "1 passed (1 case in 1 file)\n"
    text = Path("tests", f"outer-{run}.cases.yaml").read_text("utf-8")
    assert "run: ../outer.yaml\n" in text
    assert text.count("- sure: approve\n") == text.count("- refund: approve\n") == 2
    assert "price" not in text


def test_run_of_an_agent_becomes_a_case_with_a_script(recorded, invoke, project):
    run = recorded("agent", "payer.yaml", "pay", "--approve", "refund", "--no-input")
    made = invoke("new", "cases", "--from", run)
    assert made.stdout == f"payer-{run}.cases.yaml\npayer-{run}_script.yaml\n", made.stderr
    text = AGENT_CASE.replace("FROM", f"the run {run}").replace("NAME", run)
    assert Path(f"payer-{run}.cases.yaml").read_text("utf-8") == text
    assert Path(f"payer-{run}_script.yaml").read_text("utf-8") == AGENT_SCRIPT
    assert invoke("test", "--update", f"payer-{run}.cases.yaml").exit_code == 0


def test_transcript_becomes_a_case_of_the_agent_or_of_a_choice(recorded, invoke, project):
    recorded("agent", "payer.yaml", "pay", "--approve", "refund", "--no-input", "--transcript", "talk.json")
    assert invoke("new", "cases", "payer.yaml", "--from", "talk.json").exit_code == 0
    assert Path("payer-talk.cases.yaml").read_text("utf-8") == AGENT_CASE.replace("FROM", "'talk.json'").replace(
        "NAME", "talk"
    )
    assert invoke("test", "--update", "payer-talk.cases.yaml").exit_code == 0
    made = invoke("new", "cases", "shop.py", "--from", "talk.json")
    assert Path("shop-talk.cases.yaml").read_text("utf-8") == CHOICE
    assert made.stderr.endswith("toolkit test --model MODEL shop-talk.cases.yaml\n")
    assert invoke("test", "shop-talk.cases.yaml", "--model", "scripted:pays.yaml").exit_code == 0


def test_secrets_stay_masked_and_the_case_says_so(recorded, invoke, project, monkeypatch):
    monkeypatch.setenv("SHOP_TOKEN", "correct-horse-9")
    run = recorded("run", "secret.yaml", "order=correct-horse-9", "--yes")
    assert invoke("new", "cases", "--from", run).exit_code == 0
    text = Path(f"secret-{run}.cases.yaml").read_text("utf-8")
    assert "correct-horse" not in text
    assert text.splitlines()[1] == (
        "# It contained secrets, which are not recorded: put test values in place of **********."
    )
    assert "      order: '**********'\n" in text
    assert "      calls:\n        - refund\n" in text  # the arguments would not be true


def test_script_with_a_masked_secret_is_mentioned_in_the_case(recorded, invoke, project):
    reply = {"role": "model", "text": "It is **********.", "calls": [], "usage": {}}
    messages = [{"role": "user", "text": "What is the password?"}, reply]
    Path("talk.json").write_text(json.dumps({"messages": messages}), "utf-8")
    assert invoke("new", "cases", "payer.yaml", "--from", "talk.json").exit_code == 0
    assert Path("payer-talk.cases.yaml").read_text("utf-8").splitlines()[1].startswith("# It contained secrets")


def test_what_cannot_become_a_case_is_refused(recorded, invoke, project):
    Path("items.jsonl").write_text('{"order": "a"}\n', "utf-8")
    invoke("run", "inner.yaml", "--each", "items.jsonl", "--yes")
    [batch] = [one["id"] for one in json.loads(invoke("runs", "list", "--format", "json").stdout)]
    run = recorded("run", "inner.yaml", "order=a", "--yes")
    Path("talk.json").write_text("[]", "utf-8")
    invoke("new", "cases", "--from", run)

    def refused(*words):
        result = invoke("new", *words)
        assert (result.exit_code, result.stdout) == (2, "")
        return result.stderr

    assert refused("cases", "--from", run) == (
        f"error: 'inner-{run}.cases.yaml' is already there; nothing was created\n"
        "hint: choose another name, or another folder with --path\n"
    )
    assert refused("cases", "--from", batch) == (
        f"error: '{batch}' is a batch, of whose items the journal has no arguments\n"
        "hint: run one item with --journal, or the batch with --store\n"
    )
    assert refused("cases", "--from", f"{run}/1") == (f"error: the run '{run}' is not a batch, so it has no items\n")
    assert refused("tool", "shop", "--store", "sqlite:///runs.db") == (
        "error: --store is for cases --from RUN\nhint: see `toolkit new --help`\n"
    )
    assert refused("tool", "--from", run) == (
        f"error: --from is for cases\nhint: write: toolkit new cases --from {run}\n"
    )
    assert refused("cases", "shop.py", "--from", run) == (
        f"error: a run names what it ran, so 'shop.py' has no effect\nhint: write: toolkit new cases --from {run}\n"
    )
    assert refused("cases", "--from", "talk.json") == (
        "error: a transcript does not name the agent or the tools\nhint: write: toolkit new cases FILE --from talk.json\n"
    )
    assert refused("cases", "payer.yaml", "--from", "talk.json") == (
        "error: --from: 'talk.json' is not a transcript of `toolkit agent`\n"
    )
    Path("talk.json").write_text('{"messages": [{"role": "user", "text": "pay"}]}', "utf-8")
    assert refused("cases", "payer.yaml", "--from", "talk.json") == (
        "error: the transcript 'talk.json' contains no task with a reply\n"
    )
    assert refused("cases") == "error: missing argument 'NAME'\nhint: see `toolkit new --help`\n"
    Path("pays.yaml").write_text("turns: []\n", "utf-8")
    silent = recorded("run", "payer.yaml", "task=pay", "--yes")
    assert refused("cases", "--from", silent) == (
        f"error: the run {silent} has not recorded the replies of the model\n"
    )
    Path("inner.yaml").write_text(
        INNER.replace("order: {", "other: {").replace("inputs.order", "inputs.other"), "utf-8"
    )
    Path(f"inner-{run}.cases.yaml").unlink()
    assert refused("cases", "--from", run) == (
        f"error: 'inner' does not take the arguments of the run {run} any more: "
        "Missing required parameter(s): other; Unknown parameter 'order': did you mean 'other'?\n"
    )


ITEM_CASE = """\
# Written from item 1 of the run RUN; read it before you keep it.
toolkit: 1
cases:
  - name: inner as in item 1 of the run RUN
    run: inner.yaml
    with:
      order: A-17
    answers:
      - sure: approve
      - refund: approve
    stub:
      refund: paid back 5 EUR for order A-17
    snapshot: true
    expect:
      calls:
        - refund:
            order: A-17
            euros: 5
"""


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("kind", ["SQLite", "PostgreSQL"])
def test_item_of_a_batch_in_a_store_becomes_a_case(kind, recorded, invoke, project, request):
    pytest.importorskip("dbos", reason="the extra `durable` is not installed")
    url = f"sqlite:///{project}/runs.db" if kind == "SQLite" else request.getfixturevalue("postgres").url("cases")
    Path("items.jsonl").write_text('{"order": "A-17"}\n{"order": ""}\n', "utf-8")
    Path("one.jsonl").write_text('{"order": "A-17"}\n', "utf-8")

    def batch(*words):
        invoke("run", *words, "--store", url, "--yes")
        [run, *_] = json.loads(invoke("runs", "list", "--store", url, "--format", "json").stdout)
        return run["id"]

    def made_from(source):
        return invoke("new", "cases", "--from", source, "--store", url)

    run = batch("inner.yaml", "--each", "items.jsonl")
    made = made_from(f"{run[:6]}/1")
    file = f"inner-{run}-1.cases.yaml"
    assert (made.exit_code, made.stdout) == (0, f"{file}\n"), made.stderr
    assert Path(file).read_text("utf-8") == ITEM_CASE.replace("RUN", run)
    assert invoke("test", "--update", file).stdout == "1 passed (1 case in 1 file)\n"
    listed = f"hint: name one of its items: {run}/1 (ok), {run}/2 (ok)\n"
    several, unknown = made_from(run), made_from(f"{run}/3")
    assert (several.exit_code, several.stderr) == (2, f"error: the run '{run}' is a batch\n{listed}")
    assert (unknown.exit_code, unknown.stderr) == (4, f"error: there is no item '3' in the run '{run}'\n{listed}")
    single = batch("shop.py:refund", "euros=3", "--each", "one.jsonl")
    refused = made_from(single)
    assert (refused.exit_code, refused.stderr) == (
        2,
        (
            "error: a case would call 'refund' again, which is not marked as read-only\n"
            "hint: make a case of a pipeline or an agent that calls it, as a stub\n"
        ),
    )
    priced = batch("shop.py:price", "--each", "one.jsonl")
    assert made_from(priced).stdout == f"shop-{priced}-1.cases.yaml\n"  # a batch with a single item needs no number

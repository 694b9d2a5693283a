"""Documents that are small to read and endless to work through."""

import json
import os

import pytest
from typer.testing import CliRunner

from toolkit.lint import Limits, LintSettings, check
from toolkit.settings import find_configuration
from toolkit_cli.main import application

HEAD = "name: bomb\ndescription: Repeats one long text.\nsteps:\n"
LONG = "word ${{ input }} " * 250
REPEATED = {
    "a long text": HEAD + f'  - set: &a "{LONG}"\n' + "  - set: *a\n" * 9_000,
    "a list of one long text": HEAD + f'  - set:\n      a: &a "{LONG}"\n      b: [' + "*a, " * 20_000 + "]\n",
    "aliases of aliases": HEAD + f'  - set:\n      a: &a "{LONG}"\n'
    + "".join(f"      {new}: &{new} [*{old}, *{old}, *{old}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)),
    "one long key": HEAD + f"  - set:\n      a: &a {{{'k' * 1000}: 1}}\n      b: [" + "*a, " * 20_000 + "]\n",
}  # fmt: skip


@pytest.fixture
def written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(text, name="bomb.yaml"):
        (tmp_path / name).write_text(text, "utf-8")
        return name

    return write


def toolkit(*arguments):
    return CliRunner().invoke(application(), list(arguments))


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("kind", REPEATED)
def test_what_aliases_repeat_counts_towards_the_size_of_a_document(written, attacks, kind):
    file = written(REPEATED[kind])
    for command in (["show", file], ["run", file, "--dry-run", "input=x"], ["lint", "--static", "--no-cache", file]):
        result = toolkit(*command)
        refused = "more than 1,048,576 characters, including those that aliases repeat" in result.output
        attacks.count(f"{command}: {result.output[-300:]}", held=refused and result.exit_code in {1, 2})


TOO_MANY = "more than 100 problems; the rest of the document is not read"
MANY = {
    "keys that stand twice": (HEAD + "  - set: 1\n" + "again: 1\n" * 90_000, TOO_MANY),
    "keys that are unknown": (HEAD + "  - set: 1\n" + "".join(f"key_{i}: 1\n" for i in range(20_000)), TOO_MANY),
    "values that may be misread": (
        HEAD + "  - set: [" + "no, " * 10_000 + "]\n",
        "100 findings: toolkit lint bomb.yaml",
    ),
    "references to steps that are missing": (
        HEAD + "".join(f'  - id: step_{i}\n    set: "${{{{ steps.stpe_{i}.output }}}}"\n' for i in range(1_500)),
        TOO_MANY,
    ),
    "steps that call no tool": (HEAD + "".join(f"  - use: tool_{i}\n" for i in range(8_000)), TOO_MANY),
    "sources that are missing": (
        HEAD + "  - set: 1\ntools: [" + ", ".join(f"tool_{i}" for i in range(8_000)) + "]\n",
        TOO_MANY,
    ),
    "words of an agent that are unknown": (
        "agent: bomb\ndescription: Does nothing at all.\n" + "".join(f"key_{i}: 1\n" for i in range(20_000)),
        TOO_MANY,
    ),
}


@pytest.mark.proof(everyday=1)
@pytest.mark.timeout(120)
@pytest.mark.parametrize("kind", MANY)
def test_many_mistakes_in_one_document_end_in_a_short_report(written, attacks, kind):
    text, expected = MANY[kind]
    result = toolkit("show", written(text))
    held = expected in result.output and result.exit_code in {0, 2} and len(result.output.splitlines()) < 2_000
    attacks.count(f"{kind}: {result.output[-300:]}", held=held)


ONE_TOOL = {"name": "get_it", "description": "Get", "parameters": {"type": "object", "properties": {}}}


def some_tools(number, **changes):
    tools = [ONE_TOOL | {"name": f"fetch_item_{i}", "description": f"Fetch item {i}."} | changes for i in range(number)]
    return json.dumps(tools)


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("form", ["text", "full", "concise"])
def test_many_findings_of_one_kind_are_shown_in_part_and_counted(written, attacks, form):
    file = written(some_tools(150, description="Get"), "many.json")
    result = toolkit("lint", "--no-cache", "--select", "TK202", "--format", form, file)
    lines = result.output.splitlines()
    shown = sum("very short" in line or line.endswith("  short-description") for line in lines)
    rest = "and 50 more tools" if form == "text" else "and 50 more [TK202] in many.json"
    counted = {rest, "Found 150 warnings in 1 file. (150 tools in 1 file)"}
    held = shown == 100 and counted <= {*lines}
    attacks.count(result.output[-300:], held=held)
    whole = toolkit("lint", "--no-cache", "--select", "TK202", "--format", "json", file)
    attacks.count("a program is told all", held=len(json.loads(whole.stdout)) == 150)


def enumeration(number):
    values = {"type": "string", "enum": [f"value_{i}" for i in range(number)]}
    return {"type": "object", "properties": {"id": values}, "required": [f"value_{i}" for i in range(number)]}


LARGE = {
    "similar tools": lambda: some_tools(3_000),
    "long descriptions": lambda: some_tools(20, description="word and other words " * 23_000),
    "a long list of values": lambda: some_tools(1, parameters=enumeration(100_000)),
    "blank lines": lambda: "\n" * 15_000_000 + "[]",
}


@pytest.mark.proof
@pytest.mark.timeout(240)
@pytest.mark.parametrize("kind", LARGE)
def test_large_list_of_definitions_is_checked_or_given_up(written, attacks, kind):
    result = toolkit("lint", "--static", "--no-cache", written(LARGE[kind](), "large.json"))
    attacks.count(f"{kind}: {result.output[-300:]}", held=result.exit_code in {0, 1} and "large.json" in result.output)


EXPRESSIONS = {
    "a long text": HEAD
    + '  - set:\n      a: &a "'
    + "word ${{ input }} " * 12
    + '"\n      b: ['
    + "*a, " * 3_000
    + "]\n",
    "many texts": HEAD + '  - set: &a "' + "${{ input }}" * 20 + '"\n' + "  - set: *a\n" * 400,
    "more than fits": HEAD + f'  - set:\n      a: &a "{LONG}"\n      b: [' + "*a, " * 20_000 + "]\n",
}


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "kind", [*(pytest.param(kind, marks=pytest.mark.proof) for kind in ("a long text", "many texts")), "more than fits"]
)
def test_expressions_that_aliases_repeat_end(written, attacks, kind):
    file = written(EXPRESSIONS[kind])
    for command in (["show", file], ["run", file, "--dry-run", "input=x"]):
        result = toolkit(*command)
        attacks.count(f"{command}: {result.output[-300:]}", held=result.exit_code in {0, 2})


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("p.yaml", HEAD + "  - set: 1 # \u202esecret\n", "p.yaml:4:14"),
        ("p.yaml", HEAD + "  - id: a\u200bb\n    set: 1\n", "p.yaml:4:10"),
        ("p.yaml", HEAD + '  - set: "${{ input\u2066 }}"\n', "p.yaml:4:20"),
        (
            "t.py",
            'from toolkit import tool\n\n\n@tool\ndef f() -> str:  # a\u202e\n    """Return the word."""\n    return "w"\n',
            "t.py:5:21",
        ),
    ],
)
def test_what_nobody_sees_is_found_wherever_a_reviewer_reads(written, attacks, name, text, place):
    result = toolkit("lint", "--static", "--no-cache", "--format", "concise", written(text, name))
    found = [line for line in result.output.splitlines() if "TK501" in line]
    attacks.count(f"{text!r}: {result.output}", held=any(line.startswith(place) for line in found))


@pytest.mark.parametrize("rest", ["  - set: 1\n", "- set: 1\n", ""])
def test_a_key_without_its_colon_is_reported_where_it_stands(written, attacks, rest):
    result = toolkit("show", written(f"name: a\nsteps\n{rest}"))
    held = "bomb.yaml:2:1" in result.output and "there is no ':' after 'steps'" in result.output
    attacks.count(f"{rest!r}: {result.output}", held=held)


@pytest.fixture
def crowd(written):
    """A file that means too much work, in the middle of others that do not."""
    endless = ONE_TOOL | {"parameters": {"type": "object", "properties": {"one": {"enum": list(range(1_500_000))}}}}
    padded = HEAD + f"  - use: nothing\n# {'padding ' * 10_000}\n"
    return [
        written(json.dumps([ONE_TOOL | {"name": "first"}]), "a.json"),
        written(json.dumps([endless]), "b.json"),
        written(json.dumps([ONE_TOOL | {"name": "after", "examples": [{"text": "word " * 20_000}]}]), "c.json"),
        written(padded, "d.yaml"),
        written(HEAD + "  - set: 1\nsteps: []\n", "e.yaml"),
    ]


@pytest.mark.proof
@pytest.mark.timeout(120)
@pytest.mark.parametrize("is_static", [True, False])
def test_file_that_takes_too_long_is_given_up_and_hides_no_other(crowd, attacks, is_static):
    configuration, _ = find_configuration()
    settings = LintSettings(directory=configuration.directory, is_static=is_static)
    problems = check(crowd, configuration, settings=settings, limits=Limits(seconds=3, grace=60))
    found = {(problem.location.file, problem.code) for problem in problems if problem.location}
    expected = {("a.json", "TK202"), ("b.json", "TK002"), ("c.json", "TK202"), ("e.yaml", "TK603")}
    if not is_static:  # only planning finds it
        expected.add(("d.yaml", "TK604"))
    held = {one for one in found if one[1] in {"TK002", "TK202", "TK603", "TK604"}} == expected
    given_up = [(one.severity, one.message) for one in problems if one.code == "TK002"]
    held &= given_up == [("error", "'b.json' was not checked: checking it takes longer than 3 s")]
    attacks.count(f"{problems}", held=held)


HUGE = {
    "toolkit.toml": (["list"], "[mcp]\n"),
    "toolkit.lock": (["lock", "calculator"], "{}"),
    "baseline.json": (["lint", "--baseline", "baseline.json", "tools.json"], "{}"),
    "mcp.json": (["list"], '{"mcpServers": {}}'),
}


@pytest.mark.proof(everyday=1)
@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", HUGE)
def test_large_file_of_a_project_is_not_read(written, attacks, name):
    result = opened(written, name, lambda: written(HUGE[name][1] + " " * 17 * 1024 * 1024, name))
    attacks.count(f"{name}: {result.output[-300:]}", held="larger than" in result.output and result.exit_code in {1, 2})


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", HUGE)
def test_pipe_in_the_place_of_a_file_is_never_waited_for(written, attacks, name):
    result = opened(written, name, lambda: os.mkfifo(name))
    attacks.count(f"{name}: {result.output[-300:]}", held=result.exit_code in {0, 1, 2})


def opened(written, name, make):
    """Return what the command that opens a file says of one that was made for it."""
    command, _ = HUGE[name]
    written(some_tools(1), "tools.json")
    if name != "toolkit.toml":
        written('[mcp]\nfiles = ["mcp.json"]\n' if name == "mcp.json" else "sources = []\n", "toolkit.toml")
    make()
    return toolkit(*command)

"""The JSON Schema of configurations: it is a valid one, agrees with what is read, and comes from the rows that read it."""

import re
import tomllib
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings, strategies as st

from tests.volumes import examples
from toolkit.builtin import ready_tools
from toolkit.documents.keys import Origin, Spot, read_table  # private
from toolkit.lint.configuration.settings import all_lint_keys, lint_schema  # private
from toolkit.mcp.settings.server_keys import HTTP_KEYS, STDIO_KEYS  # private
from toolkit.problems import errors_among
from toolkit.settings import find_configuration
from toolkit.settings.setting_keys import DEFAULTS, GROUP, KEYS, PRICES  # private
from toolkit.settings.toml_settings import configuration_schema  # private

ROOT = Path(__file__).resolve().parents[2]
TOML = re.compile(r"```toml\n(.*?)```", re.DOTALL)
SCHEMA = configuration_schema(lint_schema())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def tables_in(page):
    """Yield our settings in every block of TOML of a page."""
    for block in TOML.findall(page.read_text("utf-8")):
        table = tomllib.loads(block)
        table = table.get("tool", {}).get("toolkit", {}) if "tool" in table or "project" in table else table
        if table and not table.get("mcp", {}).get("files"):  # the files are not there
            yield table


SHOWN = [table for page in sorted([ROOT / "README.md", *ROOT.glob("docs/*.md")]) for table in tables_in(page)]


def faults_of(table, keys=KEYS):
    """Return what is wrong with a table, as it is read."""
    problems = []
    read_table(table, keys, Spot((), Origin(ROOT, lambda _: None, problems)))
    return [problem.message for problem in errors_among(problems)]


@pytest.mark.proof
def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_the_pages_show_what_the_schema_accepts_but_for_what_they_show_to_be_wrong():
    accepted = [VALIDATOR.is_valid(table) for table in SHOWN]
    assert len(SHOWN) > 15
    # A server may be trusted in the user's own configuration, and a webhook asked: the same schema describes it.
    own = ("trusted", "who answers questions")
    wrong = [[one for one in faults_of(table) if not any(word in one for word in own)] for table in SHOWN]
    assert accepted == [not found for found in wrong]
    assert accepted.count(False) == 3


MISUSES = """
source = ["tools.py"]
sources = "tools.py"
sources = [" "]
env = ["A-B"]
secrets = [1]
context = 3
defaults = []
defaults.timeout = 30
defaults.timeout = "0s"
defaults.approval_timeout = "soon"
defaults.timout = "1s"
defaults.dialect = "opnai"
defaults.model = "qwen3"
defaults.model = "scripted:agent.py"
defaults.model_url = "https://elsewhere/v1"
prices = 1
prices.a = 1
prices.a.input = -1
prices.a.inputs = 1
builtin = ["file_read"]
builtin.calculator = 5
builtin.file_raed.base = "docs"
builtin.file_write.bse = "docs"
builtin.file_write.max_bytes = "1000"
builtin.file_write.requires_approval = 1
builtin.human_input.timeout = 30
builtin.my_own.kind = "file_reed"
builtin.http.method = "GET"
builtin.web_search.provider = "none"
builtin.process.command = []
groups = []
groups.web.tool = ["fetch"]
groups.web.description = "web"
groups.web = { tools = ["a"], permissions = ["internet"] }
groups.web = { tools = ["a"], provider = 3 }
mcp = []
mcp.time = 3
mcp."a b".command = "a"
mcp.one.comand = "uvx"
mcp.two.command = "uvx mcp-server-time"
mcp.two = { command = "a", args = "x" }
mcp.two = { command = "a", header = {} }
mcp.two = { command = "a", headers = {} }
mcp.two = { command = "a", env = { "A B" = "x" } }
mcp.two = { command = "a", trusted = "yes" }
mcp.three.url = "ftp://somewhere"
mcp.three.url = "https://user:secret@tools.example/mcp"
mcp.three = { url = "https://a", args = [] }
mcp.three = { url = "https://a", timeout = 30 }
mcp.three = { url = "https://a", prefix = "a-b" }
mcp.three = { url = "https://a", meta = 3 }
mcp.five = { command = "a", url = "https://b" }
lint = []
"""


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize("text", MISUSES.strip().split("\n"))
def test_a_misuse_is_reported_and_does_not_fit_the_schema(text):
    table = tomllib.loads(text)
    assert faults_of(table)
    assert not VALIDATOR.is_valid(table)


@pytest.mark.parametrize("text", ["ignroe = []", "max-depth = -1", "select = 'TK2'", "baseline = 1", "provider = 'me'"])
def test_a_misuse_of_lint_is_reported_and_does_not_fit_the_schema(text):
    table = tomllib.loads(text)
    assert faults_of(table, all_lint_keys())
    assert not VALIDATOR.is_valid({"lint": table})


WORD = st.sampled_from(
    ["", " ", "a", "A_1", "a b", "a:b", "30s", "0s", "5 m", "openai", "plain", "https://a/b", "./a b", "http://", "all"]
)
VALUE = st.recursive(
    WORD | st.booleans() | st.integers(-1, 3) | st.floats(0, 2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORD, inner, max_size=2),
    max_leaves=5,
)


def tables_of(keys, more=VALUE):
    """Return tables with some of the keys, more often than not with values that are right."""
    return st.dictionaries(st.sampled_from([key.name for key in keys]), more, max_size=3)


OPTIONS = {name: tool.options for name, tool in ready_tools().items()}
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        **{key.name: VALUE for key in KEYS if key.name not in {"lint", "mcp"}},
        "defaults": tables_of(DEFAULTS),
        "prices": st.dictionaries(WORD, tables_of(PRICES), max_size=2),
        "groups": st.dictionaries(WORD, tables_of(GROUP), max_size=2),
        "mcp": st.dictionaries(WORD, tables_of([*STDIO_KEYS, *HTTP_KEYS]), max_size=2),
        "builtin": st.sampled_from(sorted(OPTIONS)).flatmap(
            lambda name: st.fixed_dictionaries({name: tables_of(OPTIONS[name])} if OPTIONS[name] else {})
        ),
    },
)


@pytest.mark.parametrize("number", [1, 1.0, 0.5, True])
def test_a_duration_has_a_unit(number):
    assert faults_of({"builtin": {"glob": {"timeout": number}}}) == [
        "'builtin.glob.timeout' must be a duration such as '500ms', '30s' or '5m', above zero and at most 720h"
    ]


@settings(max_examples=examples(3_000), deadline=None)
@given(SETTINGS)
def test_what_is_read_without_complaint_fits_the_schema(table):
    if not faults_of(table):
        assert [error.message for error in VALIDATOR.iter_errors(table)] == []


@settings(max_examples=examples(1_000), deadline=None)
@given(tables_of(all_lint_keys()))
def test_what_lint_reads_without_complaint_fits_the_schema(table):
    if not faults_of(table, all_lint_keys()):
        assert [error.message for error in VALIDATOR.iter_errors({"lint": table})] == []


def test_every_key_of_a_row_is_read_and_a_file_of_the_user_says_less(project):
    project.write("toolkit.toml", "xyzzy = 1\n")
    [problem] = find_configuration(project.folder, {})[1]
    assert [key.name for key in KEYS] == (problem.hint or "").removeprefix("the keys are ").split(", ")
    assert [*SCHEMA["properties"]] == [key.name for key in KEYS]

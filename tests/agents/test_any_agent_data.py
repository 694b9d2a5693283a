"""Whatever YAML holds, it becomes an agent or problems with places, and never an exception; and editors agree."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.volumes import examples
from toolkit import ToolContext
from toolkit.agents import agent_schema, outline_of
from toolkit.agents.files.agent_keys import (  # private
    KEYS as AGENT_KEYS,
    KINDS,
    LIMITS,
    LOCK_KEYS,
    REFERENCE_KEYS,
)
from toolkit.approvals import AutoReviewer
from toolkit.documents.keys import names_of  # private
from toolkit.settings import Configuration
from toolkit.sources import SourceOpener
from toolkit_cli.rendering.tools import detailed, full_record  # private

SAMPLES = sorted(
    path for path in Path(__file__).parents[2].glob("sample_pipelines/agents/*.yaml") if ".cases" not in path.name
)
FORM = ("TK601", "TK602", "TK603", "TK606")
WORDS = [
    "calculator",
    "json_parser",
    "datetime",
    "a",
    "b",
    "any",
    "agent.yaml",
    "agent.yaml:Class",
    "scripted:script.yaml",
    "openai-chat:x",
    "$0.50, 30 calls",
    "${{ inputs.a }}",
    "${{ inputs.task",
    "blackboard",
]
TOP = names_of(AGENT_KEYS)
LOCKS = names_of(LOCK_KEYS)
KEYS = [*TOP, *names_of(LIMITS), *LOCKS, *names_of(REFERENCE_KEYS), "file", "type", "a", "b", "calculator"]

leaves = (
    st.none()
    | st.booleans()
    | st.integers(-3, 2000)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(WORDS)
    | st.text(max_size=8)
)
data = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=20,
)
names = st.sampled_from(["calculator", "json_parser", "datetime"])
states = st.sampled_from(["a", "b"])
locks = st.recursive(
    names | st.builds(lambda word: {"artifact": word}, states),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(LOCKS), st.lists(inner), max_size=1),
    max_leaves=6,
)
tools = st.lists(names, max_size=3, unique=True)
good = {
    "tools": tools,
    "description": st.just("Work."),
    "locks": st.dictionaries(names, locks, max_size=3),
    "states": st.dictionaries(states, st.dictionaries(names, states | st.none(), max_size=3) | tools, max_size=2),
    "start": states,
    "everywhere": tools | names,
    "max_turns": st.integers(1, 3),
}
agents = st.fixed_dictionaries(
    {"agent": st.sampled_from(KINDS) | data},
    optional={key: good[key] | data if key in good else data for key in TOP if key != "agent"},
)
sensible = st.fixed_dictionaries({"agent": st.sampled_from(KINDS)}, optional=good)

settled = settings(
    max_examples=examples(80), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "script.yaml").write_text(json.dumps({"turns": [{"calls": [{"tool": "calculator"}]}, "done"]}))
    return tmp_path


@pytest.fixture(scope="module")
def validator():
    schema = agent_schema()
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def read(folder, document):
    """Return the agent of a document, if it is one, and the problems."""
    file = folder / "agent.yaml"
    file.write_text(yaml.safe_dump(document, allow_unicode=True), "utf-8")
    found = SourceOpener(Configuration()).open_yaml(file)
    return (found.tools[0] if found.tools else None), found.problems


@settled
@given(document=agents | sensible)
def test_any_data_becomes_an_agent_or_problems_and_can_be_shown(folder, document):
    agent, problems = read(folder, document)
    assert (agent is None) == any(problem.severity == "error" for problem in problems)
    assert all(problem.location is not None for problem in problems)
    if agent is not None:
        assert outline_of(agent).turns >= 1
        assert json.dumps(full_record(agent))
        assert detailed(agent, 80)


@settled
@given(document=sensible)
def test_any_agent_that_exists_runs_to_a_result(folder, document):
    agent, _ = read(folder, document | {"model": "scripted:script.yaml"})
    if agent is not None:
        result = agent.run({"task": "some text"}, ToolContext(reviewer=AutoReviewer()))
        assert isinstance(result.text, str)


@settled
@given(document=agents | sensible)
def test_what_is_read_without_a_mistake_of_form_fits_the_schema_for_editors(folder, validator, document):
    _, problems = read(folder, document)
    is_well_formed = not any(problem.code in FORM for problem in problems)
    if is_well_formed and not any(problem.code == "TK101" for problem in problems):
        assert [error.message for error in validator.iter_errors(document)] == []


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_samples_fit_the_schema_for_editors(path, validator):
    document = yaml.safe_load(path.read_text("utf-8"))
    if "agent" in document:
        assert [error.message for error in validator.iter_errors(document)] == []


@pytest.mark.parametrize(
    "text",
    [
        "name: x",
        "agent: smple",
        "agent: simple\ntols: []",
        "agent: simple\nlocks: {a: b}",
        "agent: playbook\nlocks: {a: {al: [b]}}",
        "agent: state_machine",
        "agent: state_machine\nstates: {}",
        "agent: simple\nmax_turns: 0",
        "agent: simple\ninstructions: {files: x}",
        "agent: simple\nreferences: [{notes: x}]",
    ],
)
def test_mistakes_of_form_do_not_fit(text, validator):
    assert list(validator.iter_errors(yaml.safe_load(text)))

"""The JSON Schema of the format: it is a valid one, and agrees with what is read."""

from pathlib import Path

import jsonschema
import pytest
import yaml

from toolkit.pipelines.format import pipeline_schema
from toolkit.pipelines.reading import TOP_KEYS
from toolkit.pipelines.steps import STEP_KEYS

FORM = {"TK601", "TK602"}
CASES = Path(__file__).parent / "cases"
FILES = sorted(CASES.glob("*/*/pipeline.yaml"))


@pytest.fixture(scope="module")
def validator():
    schema = pipeline_schema()
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def test_the_schema_knows_every_key():
    schema = pipeline_schema()
    assert tuple(schema["properties"]) == TOP_KEYS
    steps = [part["properties"] for part in schema["definitions"]["step"]["anyOf"] if "properties" in part]
    assert {name for part in steps for name in part} == set(STEP_KEYS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_what_is_read_without_a_mistake_of_form_fits_the_schema(path, bench, validator):
    from toolkit.pipelines.loading import read_pipeline

    problems = [problem for problem in read_pipeline(path, bench.opening)[1] if problem.severity == "error"]
    if any(problem.code != "TK602" and problem.code in FORM for problem in problems):
        pytest.skip("it is no YAML")
    if any(problem.code == "TK602" for problem in problems):
        pytest.skip("what is wrong with its form is told better by reading it")
    assert list(validator.iter_errors(yaml.safe_load(path.read_text("utf-8")))) == []


@pytest.mark.parametrize(
    "text",
    [
        "steps: []",
        "steps: [{use: upper, wen: true}]",
        "steps: [{use: upper, set: 1}]",
        "steps: [{id: only}]",
        "steps: [{use: upper, timeout: 30}]",
        "steps: [{use: upper, retry: {on: [timeout]}}]",
        "steps: [{parallel: {a: upper}, for_each: [1]}]",
        "steps: [upper]\ninputs: {a: {type: strng}}",
        "steps: [upper]\nstep: 1",
        "name: x",
    ],
)
def test_mistakes_of_form_do_not_fit(text, validator):
    assert list(validator.iter_errors(yaml.safe_load(text)))

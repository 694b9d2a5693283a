"""The JSON Schema of the format: it is a valid one, and agrees with what is read."""

from pathlib import Path
from typing import get_type_hints

import jsonschema
import pytest
import yaml

from toolkit.pipelines import pipeline_schema
from toolkit.pipelines.builder import ParallelKeys, SetKeys, StepKeys, UseKeys  # private
from toolkit.pipelines.pipeline_format import TOP_KEYS  # private
from toolkit.pipelines.step_keys import BESIDE, STEP_KEYS  # private

CASES = Path(__file__).parent / "cases"
FORM = ("TK601", "TK602", "TK603")
WELL_FORMED = [
    path
    for path in sorted(CASES.glob("*/*/pipeline.yaml"))
    if not (path.parent / "expected.txt").exists()
    or not any(code in (path.parent / "expected.txt").read_text("utf-8") for code in FORM)
]


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


@pytest.mark.parametrize(
    ("kind", "keys"), [("use", UseKeys), ("set", SetKeys), ("parallel", ParallelKeys), ("approve", StepKeys)]
)
def test_a_builder_takes_the_keys_of_a_file(kind, keys):
    in_a_file = {"arguments" if name == "with" else name for name in BESIDE[kind] - {kind}}
    assert {*get_type_hints(keys)} == in_a_file


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize("path", WELL_FORMED, ids=lambda path: path.parent.name)
def test_what_is_read_without_a_mistake_of_form_fits_the_schema(path, validator):
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

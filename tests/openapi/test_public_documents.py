"""Other people's OpenAPI documents are read, listed and checked without a crash, and their operations become tools.

They are where TOOLKIT_OPENAPI_DOCUMENTS says; `.ci/documents FOLDER` brings them. How long each takes stands at the end of
the report: `pytest --proofs tests/openapi/test_public_documents.py -rA`.
"""

import gc
import json
import os
import time
from functools import cache
from pathlib import Path
from random import Random

import jsonschema
import pytest

from toolkit.dialects import DIALECTS, export
from toolkit.openapi import ApiDocument
from toolkit.openapi.api_settings import ApiSettings  # private
from toolkit.openapi.api_tools import Api  # private
from toolkit.problems import errors_among
from toolkit.sources.targets import means_api  # private

FOLDER = Path(os.environ.get("TOOLKIT_OPENAPI_DOCUMENTS") or "nowhere")
SUFFIXES = (".json", ".yaml", ".yml")
LEAST = 100
SAMPLE = 40


def documents():
    """Return the documents; a file that others only refer to is none of its own."""
    found = sorted(file for file in FOLDER.rglob("*") if file.suffix in SUFFIXES and file.is_file())
    return [file for file in found if means_api(file) and b"paths" in file.read_bytes()]


@pytest.fixture(scope="module")
def read():
    """Read each document once; return its tools, its problems and the seconds of processor time for each."""
    if not (files := documents()):
        pytest.skip(
            "there are no documents: `.ci/documents FOLDER` brings them, and TOOLKIT_OPENAPI_DOCUMENTS=FOLDER says where"
        )
    found = {}
    for file in files:
        gc.freeze()  # what was read before is not looked through again, as in a process of its own
        begun = time.process_time()
        api = Api(ApiDocument(file), ApiSettings(file.stem, str(file), prefix=""))
        tools = api.every_tool()
        found[file] = tools, api.problems, time.process_time() - begun
    gc.unfreeze()
    return found


@pytest.mark.proof
@pytest.mark.timeout(900)
def test_a_hundred_documents_are_read(read):
    assert len(read) >= LEAST
    tools = sum(len(found) for found, _, _ in read.values())
    size = sum(file.stat().st_size for file in read) / 1_000_000
    seconds = sum(taken for _, _, taken in read.values())
    rates = sorted(
        ((taken / (file.stat().st_size / 1_000_000), file.name) for file, (_, _, taken) in read.items() if taken > 1),
        reverse=True,
    )
    print(f"{len(read)} documents, {size:.1f} MB, {tools} tools, {seconds:.1f} s; slowest: {rates[:3]}")  # noqa: T201 - with -rA
    for file, (found, problems, _) in read.items():
        names = [tool.name for tool in found]
        assert len(names) == len(set(names)), file
        assert found or problems or not json.dumps(ApiDocument(file).root.value).count('"operationId"'), file


@pytest.mark.proof
@pytest.mark.timeout(900)
def test_every_schema_is_valid_and_fits_every_provider_by_name(read):
    checked = jsonschema.Draft202012Validator(jsonschema.Draft202012Validator.META_SCHEMA)
    wrong = []
    for file, (tools, _, _) in read.items():
        for tool in tools:
            wrong += [
                f"{file.name}:{tool.name}: {one.message}"
                for one in checked.iter_errors(json.loads(tool.spec.to_json())["parameters"])
            ]
            if not tool.name.replace("_", "").replace("-", "").isalnum() or len(tool.name) > 64:
                wrong.append(f"{file.name}:{tool.name}: the name")
    assert wrong == []


@pytest.mark.proof
@pytest.mark.timeout(900)
def test_operations_can_be_sent_to_every_provider(read):
    for tools, _, _ in read.values():
        for tool in tools[:: max(1, len(tools) // 2)]:
            for dialect in DIALECTS:
                assert json.dumps(export(tool.spec, dialect).definition)


@pytest.mark.proof
@pytest.mark.timeout(900)
def test_lint_ends_with_a_report_of_every_document(invoke):
    """Of a sample, the same each time, and of the largest document."""
    files = documents() or pytest.skip("there are no documents")
    chosen = {*Random(9).sample(files, min(SAMPLE, len(files))), max(files, key=lambda file: file.stat().st_size)}  # noqa: S311 - no secret
    for file in sorted(chosen):
        done = invoke("lint", "--no-cache", "--format", "json", "--profile", "all", file)
        found = json.loads(done.stdout or "[]")
        errors = [one for one in found if one["severity"] == "error"]
        assert done.exit_code == bool(errors), (file, done.stderr[-500:])
        assert not [one for one in errors if one["code"] == "TK002"], file
        for one in found:
            place = one["location"]
            assert place is not None or one["code"] in {"TK004", "TK319"}, one
            if place is not None and place["line"] is not None:
                assert 1 <= place["line"] <= max(lines_in(Path(place["file"]).absolute()), 1), one


@cache
def lines_in(file):
    return len(file.read_text("utf-8").splitlines())


@pytest.mark.proof
@pytest.mark.timeout(900)
def test_errors_of_documents_have_a_place_in_them(read):
    for file, (_, problems, _) in read.items():
        assert all(problem.location is not None for problem in errors_among(problems)), file

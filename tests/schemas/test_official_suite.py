"""The validator against the official tests of JSON Schema, in two drafts.

git clone https://github.com/json-schema-org/JSON-Schema-Test-Suite FOLDER
TOOLKIT_SCHEMA_SUITE=FOLDER pytest --proofs tests/schemas/test_official_suite.py
"""

import json
import os
from pathlib import Path

import pytest

from toolkit.schemas.validation import Validator  # private

DRAFTS = {"draft2020-12": "2020-12", "draft7": "draft-07"}
REFUSED = ("it does not define ", "it has [] as its 'enum'")  # other documents are never fetched
NO_VOCABULARY = "schema that uses custom metaschema with with no validation vocabulary"  # it would have to be fetched


@pytest.mark.proof
@pytest.mark.parametrize("folder", DRAFTS)
def test_every_official_test_has_the_expected_result(folder, figure):
    if not (suite := os.environ.get("TOOLKIT_SCHEMA_SUITE")):
        pytest.skip("clone the suite into a FOLDER, and set TOOLKIT_SCHEMA_SUITE=FOLDER")
    wrong, right, refused = [], 0, 0
    for file in sorted((Path(suite) / "tests" / folder).glob("*.json")):
        for group in json.loads(file.read_text("utf-8")):
            name = f"{file.stem}: {group['description']}"
            try:
                validator = Validator(group["schema"], draft=DRAFTS[folder])
            except ValueError as error:
                refused += len(group["tests"]) if str(error).startswith(REFUSED) else pytest.fail(name)
                continue
            for test in group["tests"]:
                if validator.accepts(test["data"]) is test["valid"]:
                    right += 1
                else:
                    wrong.append(f"{name}: {test['description']}")
    figure(f"{folder}: {right} right, {len(wrong)} wrong, {refused} refused")
    assert [one for one in wrong if NO_VOCABULARY not in one] == []

"""A document in which anything can be anything is read to the end, and all that is wrong with it has a place."""

import copy
import json
import random
from contextlib import suppress

import pytest
import yaml

from tests.openapi.test_operations_of_documents import SHOP
from toolkit.errors import InvalidTools
from toolkit.openapi import ApiDocument, OperationReader, outlines_of, spec_of

JUNK = [
    None,
    True,
    0,
    -1.5,
    "",
    "\u202e",
    "/x",
    [],
    [None],
    {},
    {"": None},
    {"$ref": "#"},
    {"$ref": "#/paths"},
    {"$ref": 3},
]
MORE = {
    "additionalOperations": {"X": {}},
    "allOf": [{"properties": {"a": {}}}],
    "content": {"application/json": {"schema": {"type": "string"}}},
    "encoding": {"a": {"style": "form"}},
    "examples": {"a": {"value": 1}},
    "flows": {"clientCredentials": {"tokenUrl": "/token"}},
    "nullable": True,
    "exclusiveMinimum": True,
    "required": ["a"],
    "servers": [{"url": "/{a}", "variables": {"a": {"default": "b"}}}],
}


def places(data, path=()):
    """Yield the path of everything in a document."""
    for key in data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ():
        yield (*path, key)
        yield from places(data[key], (*path, key))


def mangled(data, chance):
    """Return a copy of a document in which some parts are junk, and others are in more or other places."""
    data = copy.deepcopy(data)
    for _ in range(chance.randint(1, 4)):
        known = list(places(data))
        path = chance.choice(known)
        holder = data
        for key in path[:-1]:
            holder = holder[key]
        if chance.random() < 0.3 and isinstance(holder, dict):
            key = chance.choice([*MORE])
            holder[key] = copy.deepcopy(chance.choice([MORE[key], *JUNK]))
        else:
            holder[path[-1]] = copy.deepcopy(chance.choice(JUNK))
    return data


def read(document):
    """Read everything in a document."""
    reader = OperationReader(document)
    reader.schemes()
    for outline in outlines_of(document):
        operation = reader.read(outline)
        if operation is not None:
            with suppress(InvalidTools):
                spec_of(operation, source="api.json", location=outline.part.location)


@pytest.mark.parametrize("seed", range(12))
def test_mangled_document_is_read_to_the_end(tmp_path, seed):
    chance = random.Random(seed)  # noqa: S311 - no secret
    whole = yaml.safe_load(SHOP)
    for version in ("3.0.3", "3.1.1", "3.2.0"):
        for _ in range(5):
            data = {**mangled(whole, chance), "openapi": version}
            (tmp_path / "api.json").write_text(json.dumps(data, indent=chance.choice([None, 1])), "utf-8")
            document = ApiDocument(tmp_path / "api.json")
            read(document)
            assert all(problem.location and problem.location.line for problem in document.problems)

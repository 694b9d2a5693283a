"""What the metaschema of each draft says of its keywords, read from `jsonschema`, which the library does not use."""

from urllib.parse import urljoin

import jsonschema
from jsonschema_specifications import REGISTRY

VALIDATORS = {
    "draft-04": jsonschema.Draft4Validator,
    "draft-06": jsonschema.Draft6Validator,
    "draft-07": jsonschema.Draft7Validator,
    "2019-09": jsonschema.Draft201909Validator,
    "2020-12": jsonschema.Draft202012Validator,
}


def keywords_of(draft):
    """Return what a metaschema demands of the value of each keyword."""
    whole = VALIDATORS[draft].META_SCHEMA
    found = {}
    for vocabulary in whole.get("allOf", ()):
        found |= REGISTRY.contents(urljoin(whole["$id"], vocabulary["$ref"])).get("properties", {})
    return found | whole["properties"]


def _is_schema(demand):
    return (
        isinstance(demand, dict)
        and "#" in (demand.get("$ref"), demand.get("$recursiveRef"), str(demand.get("$dynamicRef"))[:1])
    )  # fmt: skip


def holds(demand):
    """Return which schemas stand in the value of a keyword: one, a list, either, a map by name, or nothing."""
    if not isinstance(demand, dict):
        return "nothing"
    choices = [demand, *demand.get("anyOf", ())]
    one = any(map(_is_schema, choices))
    several = any(str(choice.get("$ref")).endswith("schemaArray") for choice in choices)
    members = demand.get("additionalProperties", {})
    if isinstance(members, dict) and any(map(_is_schema, [members, *members.get("anyOf", ())])):
        return "map"
    return {(True, True): "one or list", (True, False): "one", (False, True): "list", (False, False): "nothing"}[
        one, several
    ]


HOLDING = {
    draft: {keyword: form for keyword, demand in keywords_of(draft).items() if (form := holds(demand)) != "nothing"}
    for draft in VALIDATORS
}
"""The keywords of each draft that hold schemas, and how."""

"""The format of configurations as a JSON Schema, for editors: what may stand in `toolkit.toml`."""

from toolkit.documents.tables import Schema, schema_of
from toolkit.sources.ready_settings import DEFINITION, any_ready_schema
from toolkit.sources.setting_keys import KEYS

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def configuration_schema(lint: Schema) -> Schema:
    """Return the JSON Schema of `toolkit.toml`; in `pyproject.toml` the same stands under `tool.toolkit`.

    Args:
        lint: That of the table of lint, which knows its keys itself.
    """
    schema = schema_of(KEYS)
    schema["properties"]["lint"] = schema["properties"]["lint"] | lint
    return {
        "$schema": DRAFT,
        "title": "toolkit.toml",
        "description": "The settings of a project; in pyproject.toml, under tool.toolkit.",
        **schema,
        "$defs": {DEFINITION: any_ready_schema()},
    }

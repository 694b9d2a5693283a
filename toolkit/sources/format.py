"""The JSON Schema of `toolkit.toml`, for editors."""

from toolkit.documents.tables import Schema, schema_of
from toolkit.sources.ready_settings import DEFINITION, any_ready_schema
from toolkit.sources.setting_keys import KEYS

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def configuration_schema(lint: Schema) -> Schema:
    """Return the JSON Schema of `toolkit.toml`, which is also that of `tool.toolkit` in `pyproject.toml`.

    Args:
        lint: The JSON Schema of the `lint` table.
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

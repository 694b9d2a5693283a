"""JSON Schema: a tool as the schema of its arguments, for programs that know no tools."""

from typing import Any

from toolkit.dialects.declarations import Dialect, Draft
from toolkit.dialects.provider_limits import Limits

_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def _write(draft: Draft) -> dict[str, Any]:
    described = {"title": draft.spec.name} | ({"description": draft.spec.description} if draft.spec.description else {})
    return {"$schema": _DRAFT} | described | draft.parameters


DIALECTS = (Dialect(name="json-schema", provider="json-schema", write=_write, limits=Limits("JSON Schema")),)

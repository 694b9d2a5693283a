"""Reads JSON Schemas of every draft: the schemas in them, references, types, texts and secrets.

    Schema.of(parameters).parts()      itself and every schema inside it, with locations
    Schema.of(parameters).texts()      the texts that a model reads
    Schema.of(parameters).secrets()    the parts whose values are secrets
    DRAFTS["draft-07"]["items"]        the definition of a keyword in a draft

All code that examines a schema uses this package, so that all of it sees the same parts.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.schemas.keywords import DRAFTS as DRAFTS
    from toolkit.schemas.schema import Schema as Schema, SchemaText as SchemaText
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "keywords": "DRAFTS",
            "schema": "Schema SchemaText",
        },
    )

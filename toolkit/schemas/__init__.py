"""JSON Schema of every draft, as data: which keywords hold schemas, where references lead, what there is to see.

    Schema.of(parameters).parts()      itself and every schema inside it, each in its place
    Schema.of(parameters).texts()      what a model reads of it
    Schema.of(parameters).secrets()    where the values are secrets
    DRAFTS["draft-07"]["items"]        what a draft knows of a keyword

Whatever looks into a schema stands on this room, so that all see the same parts.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.schemas.keywords import DRAFTS as DRAFTS
    from toolkit.schemas.schema import Schema as Schema
    from toolkit.schemas.texts import SchemaText as SchemaText
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {"keywords": "DRAFTS", "schema": "Schema", "texts": "SchemaText"},
    )

"""Tools in requests to the Converse API of Amazon Bedrock, written as plain data."""

from toolkit.tools.foreign.source_marks import DataForm, SourceMarks, Terms

_DESCRIBED = "a 'description' in its JSON Schema"

MARKS = SourceMarks(
    title="Bedrock API",
    packages=(),
    terms=Terms(description="a 'description'", parameter=_DESCRIBED, member=_DESCRIBED),
    forms=(DataForm(("inputSchema",), inner="toolSpec"),),
)

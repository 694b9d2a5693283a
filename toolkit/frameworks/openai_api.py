"""Tools in requests to OpenAI and to the many providers with its API, written as plain data.

See `types/shared_params/function_definition.py` and `types/responses/function_tool_param.py` of openai 2.
"""

from toolkit.tools.foreign.source_marks import DataForm, SourceMarks, Terms

_DESCRIBED = "a 'description' in its JSON Schema"

MARKS = SourceMarks(
    title="OpenAI API",
    packages=(),
    terms=Terms(description="a 'description'", parameter=_DESCRIBED, member=_DESCRIBED),
    forms=(
        DataForm(("parameters",), kind="function", inner="function"),
        DataForm(("parameters",), kind="function"),
        DataForm(("parameters",), passed_as=("functions",)),
        DataForm(("parameters",), is_bare=True),
    ),
)

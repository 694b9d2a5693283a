"""Tools in requests to Gemini, written as plain data or as `FunctionDeclaration`; see `types.py` of google-genai 3."""

from toolkit.tools.foreign.source_marks import DataForm, SourceMarks, Terms

_DESCRIBED = "a 'description' in its schema"

MARKS = SourceMarks(
    title="Gemini API",
    packages=(),
    terms=Terms(description="a 'description'", parameter=_DESCRIBED, member=_DESCRIBED),
    forms=(
        DataForm(
            ("parameters", "parameters_json_schema", "parametersJsonSchema"),
            listed_in=("function_declarations", "functionDeclarations"),
            classes=(
                "google.genai.*FunctionDeclaration",
                "google.generativeai.*FunctionDeclaration",
                "google.ai.generativelanguage*FunctionDeclaration",
                "google.cloud.aiplatform*FunctionDeclaration",
                "vertexai.*FunctionDeclaration",
            ),
        ),
    ),
)

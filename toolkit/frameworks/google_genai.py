"""Functions that programs give Google's SDKs for Gemini, which call them themselves.

See `automatic_function_calling` and `_extra_utils.py` of google-genai 3, and `generative_models.py` of
google-generativeai 0.8. The tools are plain functions, so nothing shows them once they are imported.
"""

from toolkit.tools.foreign.source_marks import Registration, SourceMarks

MARKS = SourceMarks(
    title="Google Gen AI SDK",
    packages=("google.genai", "google.generativeai"),
    registrations=(
        Registration(
            ("google.genai.*GenerateContentConfig", "google.generativeai.*GenerativeModel"),
            "holder",
            function=("tools",),
        ),
        Registration(
            ("google.genai.*Client().*.generate_content*", "google.genai.*Client().*chats.create"),
            "holder",
            function=("config",),
        ),
        Registration(
            (
                "google.genai.*FunctionDeclaration.from_callable*",
                "google.generativeai.*FunctionDeclaration.from_function",
            ),
            "function",
            function=("callable", "function", 0),
        ),
    ),
    reads_docstrings=False,
)

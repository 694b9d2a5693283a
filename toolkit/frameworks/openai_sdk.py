"""OpenAI's SDK: models that it makes definitions of; see `openai/lib/_tools.py` of openai 2 and 3.

Definitions that programs write as data are in `openai_api`, since they send them with any package.
"""

from toolkit.tools.foreign.source_marks import Registration, SourceMarks, Terms

MARKS = SourceMarks(
    title="OpenAI SDK",
    packages=("openai",),
    registrations=(
        Registration(
            ("openai.*pydantic_function_tool", "openai.*pydantic_responses_function_tool"),
            "function",
            function=("model", 0),
        ),
    ),
    terms=Terms(parameter="Field(description='…')", member="Field(description='…')"),
)

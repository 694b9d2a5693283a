"""Transformers: functions that a chat template describes to a model; see `utils/chat_template_utils.py` of 4 and 5.

The tools are plain functions, so nothing shows them once they are imported.
"""

from toolkit.tools.foreign.source_marks import Registration, SourceMarks, Terms

MARKS = SourceMarks(
    title="Transformers",
    packages=("transformers",),
    registrations=(
        Registration(("transformers.*.from_pretrained().apply_chat_template",), "holder", function=("tools", 1)),
        Registration(("transformers.*get_json_schema",), "function", function=("func", 0), name=()),
    ),
    terms=Terms(parameter="'NAME: …' under 'Args:' in the docstring"),
)

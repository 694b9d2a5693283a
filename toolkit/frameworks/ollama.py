"""Ollama: functions that programs give its client for each request; see `ollama/_utils.py` of ollama 0.6.

The tools are plain functions, so nothing shows them once they are imported.
"""

from toolkit.tools.foreign.source_marks import Registration, SourceMarks, Terms

MARKS = SourceMarks(
    title="Ollama",
    packages=("ollama",),
    registrations=(
        Registration(("ollama.chat", "ollama.*Client().chat"), "holder", function=("tools",)),
        Registration(("ollama.*convert_function_to_tool",), "function", function=("func", 0), name=()),
    ),
    terms=Terms(parameter="'NAME: …' under 'Args:' in the docstring"),
)

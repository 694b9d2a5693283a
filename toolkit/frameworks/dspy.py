"""DSPy: functions of modules such as `ReAct`; see `dspy/adapters/types/tool.py` and `dspy/predict/react.py` of DSPy 3.

A model sees the docstring as a whole, with what it says about parameters. The tools are read in the source: their
modules need a language model to run.
"""

from toolkit.tools.foreign.source_marks import Registration, SourceMarks, Terms

MARKS = SourceMarks(
    title="DSPy",
    packages=("dspy",),
    registrations=(
        Registration(("dspy.*ReAct*", "dspy.*CodeAct", "dspy.*RLM"), "holder", function=("tools", 1)),
        Registration(("dspy.*Tool",), "function", function=("func", 0), name=("name", 1), description=("desc", 2)),
    ),
    terms=Terms(parameter="'NAME: …' under 'Args:' in the docstring, or 'arg_desc={…}' in 'dspy.Tool(…)'"),
)

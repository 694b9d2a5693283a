"""AG2 from 1.0 on: functions, plugins and toolkits of agents; see `ag2/tools/final/function_tool.py` of 1.2.

Their tools are read in the source. They need an agent and its model to run, so they are not called from here.
"""

from toolkit.tools.foreign.source_marks import Injected, Registration, SourceMarks

MARKS = SourceMarks(
    title="AG2",
    packages=("ag2",),
    registrations=(
        Registration(("ag2.tool", "ag2.tools.*tool"), function=(0, "function")),
        Registration(("ag2.*Plugin().tool", "ag2.*Toolkit().tool"), function=(0, "function")),
        Registration(("ag2.*Plugin().add_tool",), "function", function=(0, "tool")),
        Registration(("ag2.*Agent", "ag2.*Plugin"), "holder", function=("tools",)),
    ),
    injected=Injected(types=("ag2.*Context", "ag2.*Inject", "ag2.*Variable", "ag2.*Depends", "fast_depends.*Depends")),
    reads_docstrings=False,
)

"""Agno: functions and toolkits of agents and teams; see `toolkit.py` and `decorator.py` in `agno/tools` of 2 and 3.

Their tools are read in the source. They need an agent and its model to run, so they are not called from here.
"""

from toolkit.tools.foreign.source_marks import Injected, Registration, SourceMarks, Terms

_TOOLKIT = "agno.tools.*Toolkit"

MARKS = SourceMarks(
    title="Agno",
    packages=("agno", "phi"),
    registrations=(
        Registration(("agno.tools.tool", "agno.tools.decorator.tool"), function=("func", 0)),
        Registration((f"{_TOOLKIT}().register", "phi.tools.*Toolkit().register"), "function"),
        Registration((_TOOLKIT, f"{_TOOLKIT}().__init__"), "holder", function=("tools", 2)),
        Registration(("agno.tools.*Function",), "definition", function=("entrypoint",), schema=("parameters",)),
        Registration(("agno.tools.*Function.from_callable",), "function", function=("c", 0)),
        Registration(("agno.*Agent", "agno.*Team", "phi.*Agent"), "holder", function=("tools",)),
        Registration(("agno.*Agent().add_tool", "agno.*Team().add_tool"), "function", function=("tool", 0)),
    ),
    injected=Injected(
        types=("agno.*RunContext", "agno.*Agent", "agno.*Team"),
        names=(
            *("agent", "team", "run_context", "session_state", "dependencies", "images", "videos", "audios", "files"),
            *("_agno_agent", "_agno_team", "_agno_run_context"),
        ),
        usual=("ctx", "context", "run_context"),
    ),
    terms=Terms(
        parameter="'NAME: …' under 'Args:' in the docstring",
        approval="requires_confirmation=True",
        declared=("requires_confirmation", "requires_user_input", "external_execution"),
    ),
)

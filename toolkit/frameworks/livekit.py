"""LiveKit Agents: functions and methods with `@function_tool`; see `livekit/agents/llm/tool_context.py`.

Their tools are read in the source. They need a voice session to run, so they are not called from here.
"""

from toolkit.tools.foreign.source_marks import Injected, Registration, SourceMarks, Terms

_MARKS = ("livekit.agents.function_tool", "livekit.agents.llm.function_tool")

MARKS = SourceMarks(
    title="LiveKit Agents",
    packages=("livekit.agents",),
    registrations=(Registration(_MARKS, function=(0, "f"), whole=("raw_schema",)),),
    injected=Injected(
        types=("livekit.agents.*RunContext",), names=("raw_arguments",), usual=("ctx", "context", "run_context")
    ),
    terms=Terms(
        parameter="'NAME: …' under 'Args:' in the docstring",
        failure="raise ToolError, whose message the model reads",
    ),
)

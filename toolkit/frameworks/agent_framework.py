"""Microsoft Agent Framework: functions of agents; see `agent_framework/_tools.py` of agent-framework-core 1.0.

Their tools are read in the source. They need an agent and its client to run, so they are not called from here.
"""

from toolkit.tools.foreign.source_marks import Registration, SourceMarks, Terms

_TOOL = ("agent_framework.tool", "agent_framework._tools.tool")
_AI_FUNCTION = ("agent_framework.ai_function", "agent_framework._tools.ai_function")
"""The name of `tool` in versions before 1.0, as `AIFunction` is that of `FunctionTool`."""

_MAKERS_OF_AGENTS = (
    "agent_framework.*Agent",
    "agent_framework.*().as_agent",
    "agent_framework.*().create_agent",
)
_RUNS = tuple(f"{one}().{run}" for one in _MAKERS_OF_AGENTS for run in ("run", "run_stream"))

MARKS = SourceMarks(
    title="Microsoft Agent Framework",
    packages=("agent_framework",),
    registrations=(
        Registration((*_TOOL, *_AI_FUNCTION), function=("func", 0), schema=("schema",)),
        Registration(
            ("agent_framework.*FunctionTool", "agent_framework.*AIFunction"),
            "definition",
            function=("func",),
            schema=("input_model",),
        ),
        Registration(
            tuple(f"{one}().as_tool" for one in _MAKERS_OF_AGENTS), "definition", function=(), named_after=("self",)
        ),
        Registration((*_MAKERS_OF_AGENTS, *_RUNS), "holder", function=("tools",)),
    ),
    reads_docstrings=False,
    terms=Terms(
        parameter="Annotated[…, '…']",
        approval="approval_mode='always_require'",
        declared=("approval_mode",),
    ),
)

"""AgentScope: functions and classes in toolkits; see `agentscope/tool/_toolkit.py` of 1 and 2, and `_base.py` of 2.0.

Their tools are read in the source. They need an agent and its model to run, so they are not called from here.
"""

from toolkit.tools.foreign.source_marks import Demands, Injected, Registration, SourceMarks, Terms, ToolClasses

MARKS = SourceMarks(
    title="AgentScope",
    packages=("agentscope",),
    receivers=("toolkit", "*_toolkit"),
    classes=("agentscope.tool.*ToolBase", "agentscope.tool.*FunctionTool"),
    registrations=(
        Registration(
            ("agentscope.*Toolkit().register_tool_function",),
            "function",
            function=("tool_func", 0),
            name=("func_name",),
            description=("func_description",),
        ),
        Registration(("agentscope.service.*ServiceToolkit().add",), "function", function=("service_func", 0)),
        Registration(
            ("agentscope.tool.*FunctionTool",),
            "function",
            function=("func", 0),
            name=("name", 1),
            description=("description", 2),
            schema=("input_schema", 3),
        ),
    ),
    tool_classes=(ToolClasses(("agentscope.tool.*ToolBase",), ("call", "__call__"), schema=("input_schema",)),),
    injected=Injected(names=("_agent_state",), mappings=("preset_kwargs",)),
    terms=Terms(parameter="'NAME: …' under 'Args:' in the docstring"),
    demands=Demands(envelope=True),
)

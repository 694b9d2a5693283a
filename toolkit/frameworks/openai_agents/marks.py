"""How source code defines tools with OpenAI Agents."""

from toolkit.tools.source_marks import Demands, Injected, Registration, SourceMarks, Terms

MARKS = SourceMarks(
    title="OpenAI Agents",
    packages=("agents",),
    classes=("agents.*FunctionTool", "agents.*CustomTool", "agents.Agent", "agents.agent.Agent"),
    registrations=(
        Registration(
            ("agents.function_tool", "agents.tool.function_tool", "agents.decorators.tool"),
            name=("name_override", "name"),
            description=("description_override", "description"),
        ),
        Registration(
            ("agents.FunctionTool", "agents.tool.FunctionTool"),
            "definition",
            function=("on_invoke_tool", 3),
            name=("name", 0),
            description=("description", 1),
            schema=("params_json_schema", 2),
        ),
        Registration(
            ("agents.CustomTool", "agents.tool.CustomTool"),
            "definition",
            function=(),
            name=("name", 0),
            description=("description", 1),
        ),
        Registration(
            ("agents.*Agent().as_tool",),
            "definition",
            function=(),
            name=("tool_name", 0),
            description=("tool_description", 1),
        ),
    ),
    injected=Injected(
        types=("agents.*RunContextWrapper", "agents.*ToolContext"),
        usual=("ctx", "context", "run_context", "tool_context"),
    ),
    terms=Terms(
        parameter="'NAME: …' under 'Args:' in the docstring",
        approval="needs_approval=True",
        declared=("needs_approval",),
        failure="let it be raised, so that failure_error_function tells the model",
    ),
    demands=Demands(only_first=True, strict_unless="strict_mode"),
)

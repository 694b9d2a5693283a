"""How source code defines tools with pydantic-ai."""

from toolkit.tools.source_marks import Demands, Injected, Registration, SourceMarks, Terms

MARKS = SourceMarks(
    title="pydantic-ai",
    packages=("pydantic_ai",),
    classes=("pydantic_ai.*Agent", "pydantic_ai.*FunctionToolset", "pydantic_ai.*Tool"),
    registrations=(
        Registration(
            (
                "pydantic_ai.*Agent().tool",
                "pydantic_ai.*Agent().tool_plain",
                "pydantic_ai.*FunctionToolset().tool",
                "pydantic_ai.*FunctionToolset().tool_plain",
            )
        ),
        Registration(("pydantic_ai.*FunctionToolset().add_function",), "function"),
        Registration(("pydantic_ai.Tool", "pydantic_ai.tools.Tool"), "function"),
        Registration(
            ("pydantic_ai.Tool.from_schema", "pydantic_ai.tools.Tool.from_schema"),
            "definition",
            schema=("json_schema", 3),
        ),
        Registration(("pydantic_ai.*ToolDefinition",), "definition", schema=("parameters_json_schema",)),
        Registration(("pydantic_ai.*Agent",), "holder", function=("tools",)),
        Registration(("pydantic_ai.*FunctionToolset",), "holder", function=("tools", 0)),
    ),
    injected=Injected(types=("pydantic_ai.*RunContext",), is_first=(".tool",), usual=("ctx", "context", "run_context")),
    spreads_models=True,
    receivers=("agent", "*_agent", "toolset", "*_toolset"),
    terms=Terms(
        parameter="'NAME: …' under 'Args:' in the docstring",
        approval="requires_approval=True",
        declared=("requires_approval",),
        failure="let it be raised, or raise ModelRetry('…')",
    ),
    demands=Demands(first=("().tool",), only_first=True),
)

"""How source code defines tools with AutoGen."""

from toolkit.tools.source_marks import Demands, Injected, Registration, SourceMarks, Terms, ToolClasses

MARKS = SourceMarks(
    title="AutoGen",
    packages=("autogen_core", "autogen_agentchat", "autogen_ext"),
    classes=("autogen_core.tools.*Tool",),
    registrations=(
        Registration(
            ("autogen_core.tools.*FunctionTool",), "function", name=("name", 2), description=("description", 1)
        ),
        Registration(("autogen_agentchat.*AssistantAgent",), "holder", function=("tools",)),
    ),
    tool_classes=(ToolClasses(("autogen_core.tools.*BaseTool",), ("run",), takes_call=True),),
    injected=Injected(types=("autogen_core.*CancellationToken",)),
    reads_docstrings=False,
    filler="NAME",
    terms=Terms(description="description='…'", parameter="Annotated[…, '…']"),
    demands=Demands(types=True),
)

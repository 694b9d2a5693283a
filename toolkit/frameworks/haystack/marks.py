"""How source code defines tools with Haystack."""

from toolkit.tools.source_marks import Demands, Injected, Registration, SourceMarks, Terms, ToolClasses

MARKS = SourceMarks(
    title="Haystack",
    packages=("haystack",),
    classes=("haystack.tools.*Tool", "haystack.tools.*Toolset"),
    registrations=(
        Registration(("haystack.tools.tool", "haystack.tools.*.tool")),
        Registration(
            ("haystack.tools.*create_tool_from_function",), "function", name=("name", 1), description=("description", 2)
        ),
        Registration(
            ("haystack.tools.Tool", "haystack.tools.tool.Tool"),
            "definition",
            function=("function", 3),
            name=("name", 0),
            description=("description", 1),
            schema=("parameters", 2),
        ),
        Registration(
            ("haystack.tools.*ComponentTool", "haystack.tools.*PipelineTool", "haystack.tools.*AgentTool"),
            "definition",
            function=(),
        ),
    ),
    tool_classes=(ToolClasses(("haystack.tools.*Tool",), ("invoke",), schema=("parameters",)),),
    injected=Injected(types=("haystack.*State",), mappings=("inputs_from_state",)),
    reads_docstrings=False,
    terms=Terms(parameter="Annotated[…, '…']"),
    demands=Demands(fields=True),
)

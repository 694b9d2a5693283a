"""How source code defines tools with CrewAI."""

from toolkit.tools.source_marks import Registration, SourceMarks, Terms, ToolClasses

MARKS = SourceMarks(
    title="CrewAI",
    packages=("crewai", "crewai_tools"),
    classes=("crewai*.tools.*Tool", "crewai_tools.*Tool"),
    registrations=(
        Registration(("crewai.tools.tool", "crewai.tools.*.tool", "crewai_tools.tool"), name=(0, "name")),
        Registration(("crewai.tools.*Tool.from_langchain",), "definition", function=()),
        Registration(
            ("crewai.tools.*StructuredTool.from_function", "crewai.tools.*Tool.from_function"),
            "function",
            schema=("args_schema",),
        ),
        Registration(
            ("crewai.tools.Tool", "crewai.tools.base_tool.Tool", "crewai.tools.*CrewStructuredTool"),
            "definition",
            function=("func",),
            schema=("args_schema",),
        ),
    ),
    tool_classes=(
        ToolClasses(
            ("crewai*.tools.*BaseTool", "crewai_tools.*BaseTool", "crewai_tools.*RagTool"),
            ("_run", "_arun"),
            schema=("args_schema",),
        ),
    ),
    reads_docstrings=False,
    terms=Terms(rewrites_names=True, parameter="an args_schema with Field(description='…')"),
)

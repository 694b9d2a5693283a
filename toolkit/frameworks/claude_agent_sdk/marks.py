"""How source code defines tools with the Claude Agent SDK."""

from toolkit.tools.source_marks import Demands, Registration, SourceMarks, Terms

MARKS = SourceMarks(
    title="Claude Agent SDK",
    packages=("claude_agent_sdk",),
    classes=("claude_agent_sdk.SdkMcpTool",),
    registrations=(
        Registration(
            ("claude_agent_sdk.tool",),
            name=(0, "name"),
            description=(1, "description"),
            schema=(2, "input_schema"),
        ),
        Registration(
            ("claude_agent_sdk.SdkMcpTool",),
            "definition",
            function=("handler", 3),
            name=("name", 0),
            description=("description", 1),
            schema=("input_schema", 2),
        ),
    ),
    terms=Terms(
        description="the second argument",
        parameter="a JSON Schema with a 'description' for each property",
        member="a JSON Schema with a 'description' for each property",
        effects="annotations=ToolAnnotations(destructiveHint=True)",
        declared=("annotations",),
        failure="return {'content': […], 'is_error': True}",
        failed=("is_error", True),
    ),
    demands=Demands(calls=("claude_agent_sdk.tool",), envelope=True),
)

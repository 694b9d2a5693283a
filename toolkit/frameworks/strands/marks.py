"""How source code defines tools with Strands."""

from toolkit.tools.source_marks import Demands, Injected, Registration, SourceMarks, Terms, ToolClasses

MARKS = SourceMarks(
    title="Strands",
    packages=("strands",),
    classes=("strands.*AgentTool", "strands.*PythonAgentTool", "strands.*DecoratedFunctionTool"),
    registrations=(
        Registration(("strands.tool", "strands.tools.tool", "strands.tools.decorator.tool"), schema=("inputSchema",)),
    ),
    tool_classes=(
        ToolClasses(
            ("strands.*AgentTool",),
            ("stream",),
            name="tool_name",
            description="tool_spec",
            schema=("tool_spec",),
            takes_call=True,
        ),
    ),
    injected=Injected(types=("strands.*ToolContext",), names=("agent", "tool_context")),
    filler="Parameter NAME",
    spec_variable="TOOL_SPEC",
    terms=Terms(parameter="'NAME: …' under 'Args:' in the docstring", failed=("status", "error")),
    demands=Demands(fields=True),
)

"""How source code defines tools with smolagents."""

from toolkit.tools.source_marks import Demands, Registration, SourceMarks, Terms, ToolClasses

MARKS = SourceMarks(
    title="smolagents",
    packages=("smolagents",),
    classes=("smolagents.*Tool",),
    registrations=(Registration(("smolagents.tool", "smolagents.tools.tool")),),
    tool_classes=(ToolClasses(("smolagents.*Tool",), ("forward",), schema=("inputs",)),),
    terms=Terms(parameter="'NAME: …' under 'Args:' in the docstring", member="its 'description' in 'inputs'"),
    demands=Demands(types=True, result_type=True, descriptions=True),
)

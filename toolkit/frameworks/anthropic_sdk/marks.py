"""How source code defines tools with the Anthropic SDK."""

from toolkit.tools.source_marks import Registration, SourceMarks, Terms

MARKS = SourceMarks(
    title="Anthropic SDK",
    packages=("anthropic",),
    classes=("anthropic.*BetaFunctionTool", "anthropic.*BetaAsyncFunctionTool"),
    registrations=(
        Registration(("anthropic.*beta_tool", "anthropic.*beta_async_tool"), schema=("input_schema",)),
        Registration(("anthropic.types.*ToolParam",), "definition", function=(), schema=("input_schema",)),
    ),
    terms=Terms(parameter="'NAME: …' under 'Args:' in the docstring"),
)

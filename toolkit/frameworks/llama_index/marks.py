"""How source code defines tools with LlamaIndex."""

from toolkit.tools.source_marks import Injected, Registration, SourceMarks, Terms, ToolClasses

MARKS = SourceMarks(
    title="LlamaIndex",
    packages=("llama_index",),
    classes=("llama_index.*FunctionTool", "llama_index.*BaseToolSpec", "llama_index.*Tool"),
    registrations=(
        Registration(
            ("llama_index.*FunctionTool.from_defaults",),
            "function",
            function=(0, "fn", "async_fn"),
            name=("name", 1),
            description=("description", 2),
            schema=("fn_schema",),
        ),
        Registration(("llama_index.*FunctionTool",), "function", function=(0, "fn", "async_fn")),
        Registration(
            ("llama_index.*QueryEngineTool.from_defaults", "llama_index.*RetrieverTool.from_defaults"),
            "definition",
            function=(),
        ),
        Registration(("llama_index.*QueryEngineTool", "llama_index.*RetrieverTool"), "definition", function=()),
        Registration(
            (
                "llama_index.*FunctionAgent",
                "llama_index.*ReActAgent",
                "llama_index.*CodeActAgent",
                "llama_index.*AgentWorkflow.from_tools_or_functions",
            ),
            "holder",
            function=("tools", "tools_or_functions"),
        ),
    ),
    tool_classes=(
        ToolClasses(("llama_index.*BaseToolSpec",), listing="spec_functions"),
        ToolClasses(
            ("llama_index.*tools.BaseTool", "llama_index.*tools.types.BaseTool", "llama_index.*AsyncBaseTool"),
            ("__call__", "call", "acall"),
            takes_call=True,
        ),
    ),
    injected=Injected(types=("llama_index.*Context",)),
    reads_docstrings=True,
    terms=Terms(parameter="Annotated[…, '…']"),
)

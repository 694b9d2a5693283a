"""How source code defines tools with LangChain."""

from toolkit.tools.source_marks import Demands, Injected, Registration, SourceMarks, Terms, ToolClasses

MARKS = SourceMarks(
    title="LangChain",
    packages=("langchain", "langchain_core", "langchain_community"),
    classes=("langchain*.tools.*Tool", "langchain*.tools.*Toolkit", "langchain.agents.Tool"),
    makers=("langchain*.tools.*create_retriever_tool", "langchain*.tools.*convert_runnable_to_tool"),
    registrations=(
        Registration(
            ("langchain*.tools.tool", "langchain*.tools.*.tool", "langchain.agents.tool"),
            name=(0, "name_or_callable", "name"),
            schema=("args_schema",),
        ),
        Registration(
            (
                "langchain*.tools.*StructuredTool.from_function",
                "langchain*.tools.*Tool.from_function",
                "langchain.agents.Tool.from_function",
            ),
            "function",
            function=(0, "func", "coroutine"),
            name=("name", 1),
            description=("description", 2),
            schema=("args_schema",),
        ),
        Registration(
            ("langchain*.tools.*StructuredTool",),
            "definition",
            function=("func", "coroutine", 1),
            name=("name", 0),
            description=("description", 2),
            schema=("args_schema",),
        ),
        Registration(
            ("langchain*.tools.Tool", "langchain*.tools.*.Tool", "langchain.agents.Tool"),
            "definition",
            function=("func", "coroutine", 1),
            name=("name", 0),
            description=("description", 2),
            schema=("args_schema",),
            parameters=("__arg1",),
        ),
        Registration(
            ("langchain*.tools.*create_retriever_tool",),
            "definition",
            function=(),
            name=(1, "name"),
            description=(2, "description"),
        ),
        Registration(("langchain*.*.as_tool",), "definition", function=()),
        Registration(
            ("langchain.agents.create_agent", "langgraph.prebuilt.*create_react_agent"), "holder", function=("tools", 1)
        ),
    ),
    tool_classes=(
        ToolClasses(
            ("langchain*.tools.*BaseTool", "langchain*.tools.*StructuredTool", "langchain*.tools.Tool"),
            ("_run", "_arun"),
            schema=("args_schema",),
        ),
    ),
    injected=Injected(
        types=(
            "*InjectedToolArg",
            "*InjectedToolCallId",
            "*InjectedState",
            "*InjectedStore",
            "*ToolRuntime",
            "*CallbackManagerForToolRun",
            "*RunnableConfig",
            "*Callbacks",
        ),
        names=("run_manager", "callbacks", "runtime"),
    ),
    reads_docstrings=False,
    terms=Terms(
        parameter="Annotated[…, '…'], or parse_docstring=True and an 'Args:' section",
        approval="HumanInTheLoopMiddleware(interrupt_on={'NAME': True}) in the agent",
        failure="raise ToolException('…'), with handle_tool_error=True",
    ),
    demands=Demands(docstring=True, parses_if="parse_docstring", plain=(0, "func")),
)

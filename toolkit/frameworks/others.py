"""Tools of frameworks that we do not know, which the names in a program show: `@tool`, `tools=[…]`, `BaseTool`.

Whatever their framework does with them is unknown, so that they are only read in the source.
"""

from toolkit.tools.foreign.source_marks import DataForm, Demands, Registration, SourceMarks, ToolClasses

_FUNCTIONS = ("func", "fn", "function", "handler", "execute", "execute_fn", "run", "coroutine")
_SCHEMAS = ("parameters", "input_schema", "inputSchema", "args_schema")
_METHODS = ("_run", "_arun", "run", "arun", "execute", "_execute", "call", "forward", "invoke", "__call__")

MARKS = SourceMarks(
    title="other framework",
    packages=(),
    registrations=(
        Registration(("*.tool", "*.function_tool", "*_tool"), name=("name",)),
        Registration(
            ("*Tool",),
            "definition",
            function=_FUNCTIONS,
            schema=_SCHEMAS,
            needs=(("name",), ("description",), (*_FUNCTIONS, *_SCHEMAS)),
        ),
        Registration(
            ("*Tool.from_function",),
            "function",
            function=(0, "func", "coroutine"),
            name=("name", 1),
            description=("description", 2),
            schema=("args_schema",),
        ),
        Registration(("*",), "holder", function=("tools",)),
    ),
    tool_classes=(
        ToolClasses(("*.BaseTool", "*.Tool"), _METHODS, schema=("args_schema", "parameters", "input_schema")),
    ),
    demands=Demands(envelope=True),
    forms=(DataForm(("input_schema", "inputSchema"), is_bare=True),),
)

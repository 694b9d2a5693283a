"""Source marks: the names by which the source of a Python file shows that it defines tools, before anything runs.

Each kind of tool has one `SourceMarks`. A room that knows another kind makes its own, and the code that reads sources
puts them all into one table.
"""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Literal, NamedTuple

Place = int | str
"""Where a call has an argument: its position, or its keyword."""


class Registration(NamedTuple):
    """One way to make a tool of something by a call.

    Each place lists where the argument may stand; the first one that is there counts.

    Attributes:
        names: What is called, as patterns (see `SourceMarks`).
        way: `mark` makes a tool of the function or class below it, or that it is called with; `function` is called
            with the function; `definition` describes the whole tool itself; `holder` is called with a list, and makes
            a tool of each plain function in it.
        function: The function, or the list.
        name: The name of the tool; the function's own where there is none.
        description: Its description; the docstring where there is none.
        schema: The JSON Schema of its parameters, or a class that stands for it.
        parameters: The names of its parameters where they are always the same, unless there is a schema.
    """

    names: tuple[str, ...]
    way: Literal["mark", "function", "definition", "holder"] = "mark"
    function: tuple[Place, ...] = (0, "fn", "func", "function")
    name: tuple[Place, ...] = ("name",)
    description: tuple[Place, ...] = ("description",)
    schema: tuple[Place, ...] = ()
    parameters: tuple[str, ...] = ()


class ToolClasses(NamedTuple):
    """How classes are tools.

    Attributes:
        bases: What such a class is made from, as patterns.
        methods: What runs a call: the first of these that the class has.
        name: The attribute that holds the name of the tool.
        description: The one that holds its description.
        schema: The ones that hold its parameters.
        listing: The attribute that names the methods that are tools, each of which is one.
        takes_call: Whether such a method receives a call as a whole, so that no model fills in its parameters.
    """

    bases: tuple[str, ...]
    methods: tuple[str, ...] = ()
    name: str = "name"
    description: str = "description"
    schema: tuple[str, ...] = ()
    listing: str | None = None
    takes_call: bool = False


class Injected(NamedTuple):
    """The parameters that no model sees.

    Attributes:
        types: The types of such parameters, or what stands beside the type in `Annotated`, as patterns of their names.
        names: The names of such parameters, whatever their type.
        mappings: The arguments of a mark whose values, in a dictionary, are the names of such parameters.
        is_first: Whether a mark whose name ends with one of these gives the first parameter.
        usual: What people call such a parameter; one of these names without a type is a mistake.
    """

    types: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    mappings: tuple[Place, ...] = ()
    is_first: tuple[str, ...] = ()
    usual: tuple[str, ...] = ("ctx", "context")


class Terms(NamedTuple):
    """How the users of a framework write what lint asks for, as words that follow "write".

    Attributes:
        description: The description of a tool.
        parameter: The description of a parameter.
        member: The description of a parameter that no function has, but a class or a schema of the user's.
        approval: That a call waits for a person's approval; None where the framework has no such thing.
        effects: What a call may change; None if a tool cannot declare that.
        declared: The arguments of a mark that declare one of these two.
        failure: How a tool reports that a call has failed, to be read on its own.
        failed: The entry by which the framework knows that a dict with `content` is the result of a failed call.
        rewrites_names: Whether the framework makes each name one that providers take, before a model sees it.
    """

    description: str = "a docstring"
    parameter: str = "Annotated[…, Field(description='…')]"
    member: str = "Field(description='…')"
    approval: str | None = None
    effects: str | None = None
    declared: tuple[Place, ...] = ()
    failure: str = "let it be raised, so that the framework passes it on as an error"
    failed: tuple[str, object] | None = None
    rewrites_names: bool = False


class Demands(NamedTuple):
    """What a framework asks of a function besides that it can be called, and what it does with the rest.

    Attributes:
        calls: The marks that must be called, `@server.tool()`, as ends of their names.
        types: Whether it refuses a parameter without a type.
        result_type: Whether it refuses a function without the type of its result.
        descriptions: Whether it refuses a parameter that the docstring does not describe.
        docstring: Whether it refuses a function without a docstring where nothing else describes the tool.
        variadic: The kinds of parameters that it refuses or misreads: `*` and `**`.
        fields: Whether it refuses `Field` in an annotation.
        first: The marks whose first parameter must be the context, as ends of their names; elsewhere there is none.
        only_first: Whether the context is refused anywhere but in the first place.
        strict_unless: The argument that turns the strict form of schemas off, which all tools have otherwise.
        parses_if: The argument that makes it take the descriptions of parameters out of docstrings.
        plain: Where a function is expected that is not a coroutine function.
        envelope: Whether every function returns the framework's own form of a result, so that its type shows nothing.
        removed: Modules that a version of a package no longer has: the module, the package, and the version.
    """

    calls: tuple[str, ...] = ()
    types: bool = False
    result_type: bool = False
    descriptions: bool = False
    docstring: bool = False
    variadic: tuple[str, ...] = ()
    fields: bool = False
    first: tuple[str, ...] = ()
    only_first: bool = False
    strict_unless: str | None = None
    parses_if: str | None = None
    plain: tuple[Place, ...] = ()
    envelope: bool = False
    removed: tuple[tuple[str, str, str], ...] = ()


class SourceMarks(NamedTuple):
    """The names that define tools of one kind.

    A name is a full dotted name, in which `*` stands for any characters and `()` for what a call returns: the pattern
    `fastmcp.FastMCP().tool` is the method `tool` of every object of the class `fastmcp.FastMCP`.

    Attributes:
        packages: The packages that the names belong to.
        decorators: What marks the function or class below it.
        classes: A class made from one of these is a tool, and so is an object of it.
        makers: What a call of one of these returns is a tool, or holds some.
        registrations: How calls make tools, one by one.
        tool_classes: How classes are tools.
        injected: Which parameters no model sees.
        receivers: Variables that a server or agent usually has, as patterns: where a file does not show what such a
            variable holds, a method of it that is a mark counts as one.
        reads_docstrings: Whether the descriptions of parameters are taken out of docstrings; if not, a docstring is
            the description as a whole.
        spreads_models: Whether a function whose only parameter is a model has the fields of that as its parameters.
        filler: The description that it gives to a parameter without one, with `NAME` for the name of the parameter.
        spec_variable: What a module calls the variable that is a tool's definition, with the function beside it.
        title: What people call the framework.
        terms: How its users write what lint asks for.
        demands: What it asks of functions.
        serves: The methods of its servers that talk over standard output unless they are given another transport; where
            there are some, its tools are served over MCP.
    """

    packages: tuple[str, ...]
    decorators: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    makers: tuple[str, ...] = ()
    registrations: tuple[Registration, ...] = ()
    tool_classes: tuple[ToolClasses, ...] = ()
    injected: Injected = Injected()
    receivers: tuple[str, ...] = ()
    reads_docstrings: bool = True
    spreads_models: bool = False
    filler: str | None = None
    spec_variable: str | None = None
    title: str = ""
    terms: Terms = Terms()
    demands: Demands = Demands()
    serves: tuple[str, ...] = ()


OUR_MARKS = SourceMarks(
    title="toolkit",
    packages=("toolkit",),
    decorators=("toolkit.tool", "toolkit.*.tool", "toolkit.toolbox", "toolkit.*.toolbox"),
    classes=(
        "toolkit.*Tool",
        "toolkit.Pipeline",
        "toolkit.*.Pipeline",
        "toolkit.builtin.*",
        "toolkit.*.Subagent",
        "toolkit.*.ToolSearch",
        "toolkit.*.McpFacade",
        "toolkit.disclosure.*.Facade",
    ),
    makers=(
        "toolkit.from_function",
        "toolkit.*.from_function",
        "toolkit.from_object",
        "toolkit.*.from_object",
        "toolkit.resolve_tools",
        "toolkit.*.resolve_tools",
        "toolkit.load_pipeline",
        "toolkit.*.load_pipeline",
        "toolkit.*.renamed",
        "toolkit.*.sink_artifacts",
        "toolkit.*.publish_to_blackboard",
        "toolkit.*.replan_*",
    ),
    registrations=(
        Registration(("toolkit.tool", "toolkit.tools.tool", "toolkit.tools.marking.tool")),
        Registration(("toolkit.from_function", "toolkit.tools.from_function"), "function"),
    ),
)


def is_among(name: str, patterns: Iterable[str]) -> bool:
    """Return whether a dotted name is one that the patterns mean."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)

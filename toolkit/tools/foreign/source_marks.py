"""Describes how the source code of a Python file shows that it defines tools, so that it need not be run.

Each kind of tool has one `SourceMarks`. The support for a framework defines its own, and the code that reads sources
combines them in one table.
"""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Literal, NamedTuple

Place = int | str
"""The position or the keyword of an argument in a call."""
Way = Literal["mark", "function", "definition", "holder", "routes"]


class Registration(NamedTuple):
    """One way to create a tool with a call.

    Each `Place` attribute lists possible positions and keywords of an argument; the first one in the call counts.

    Attributes:
        names: Patterns for the name of the called function (see `SourceMarks`).
        way: `mark` is a decorator, or is called like one; `function` is called with the function of the tool;
            `definition` defines the whole tool itself; `holder` is called with a list, and creates a tool from each
            plain function in it; `routes` is called with an app or a document, and creates a tool from each of its
            operations, which no source shows.
        function: The function or the list.
        name: The name of the tool; by default that of the function.
        description: The description of the tool; by default the docstring.
        schema: The JSON Schema of the parameters, or a class that represents it.
        parameters: The names of the parameters if they are always the same; a schema takes precedence.
        named_after: The agent whose name the tool has if nothing else names it; `self` is the object whose method is
            called.
        named_after_class: The object whose class gives the tool its name, in snake case, if nothing else names it.
        whole: A dictionary with the name, the description and the `parameters`, which replaces all others; or a call
            that makes an object of such keywords.
        takes_objects: Whether an object with a `__call__` method also counts as a function in a list, with the name of
            its class.
        takes_models: Whether a class of pydantic in a list is a tool, too, whose parameters are its fields.
        takes_call: Whether the function receives the call as a whole, so that a model does not fill its parameters.
        hidden_by: The arguments, and their values, with which a call registers something that no model sees.
        needs: Groups of keywords; a call without one of each group does something else.
    """

    names: tuple[str, ...]
    way: Way = "mark"
    function: tuple[Place, ...] = (0, "fn", "func", "function")
    name: tuple[Place, ...] = ("name",)
    description: tuple[Place, ...] = ("description",)
    schema: tuple[Place, ...] = ()
    parameters: tuple[str, ...] = ()
    named_after: tuple[Place, ...] = ()
    named_after_class: tuple[Place, ...] = ()
    whole: tuple[Place, ...] = ()
    takes_objects: bool = False
    takes_models: bool = False
    takes_call: bool = False
    hidden_by: tuple[tuple[str, object], ...] = ()
    needs: tuple[tuple[str, ...], ...] = ()


class ToolClasses(NamedTuple):
    """How a class defines tools.

    Attributes:
        bases: Patterns for the base classes; without any, each class that sets its name, describes itself and has
            such a method.
        methods: The methods that run a call; the first of these that the class has counts.
        name: The attribute with the name of the tool.
        description: The attribute with the description.
        schema: The attributes with the parameters.
        listing: The attribute that lists the names of methods, each of which is a tool.
        passed: The first parameters of `__init__` of the base class.
        takes_call: Whether such a method receives the call as a whole, so that a model does not fill its parameters.
        takes_text: Whether the call is always one text, as that of our text tools.
    """

    bases: tuple[str, ...]
    methods: tuple[str, ...] = ()
    name: str = "name"
    description: str = "description"
    schema: tuple[str, ...] = ()
    listing: str | None = None
    passed: tuple[str, ...] = ()
    takes_call: bool = False
    takes_text: bool = False


class Injected(NamedTuple):
    """The parameters that a model does not see.

    Attributes:
        types: Patterns for the types of such parameters, or for the metadata in `Annotated`.
        names: The names of such parameters, whatever their type.
        mappings: The arguments of a mark that list the names of such parameters, or have them as a dictionary's values.
        is_first: Marks, by the ends of their names, that fill the first parameter.
        usual: Common names of such parameters; a parameter with such a name and without a type is a mistake.
    """

    types: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    mappings: tuple[Place, ...] = ()
    is_first: tuple[str, ...] = ()
    usual: tuple[str, ...] = ("ctx", "context")


class Terms(NamedTuple):
    """How the users of a framework write what the hints of lint suggest, as texts that follow "write".

    Attributes:
        description: The description of a tool.
        parameter: The description of a parameter.
        member: The description of a parameter that is defined in a class or a schema instead of a function.
        method: The description of a parameter of a method that a class overrides; like `parameter` if it is None.
        approval: That a call requires approval; `None` if the framework does not support that.
        effects: What a call may change; `None` if a tool cannot declare that.
        declared: The arguments of a mark that declare one of these two.
        failure: How a tool reports that a call has failed, as an independent text.
        failed: The entry that marks a dict with `content` as the result of a failed call.
        rewrites_names: Whether the framework converts names to valid ones before a model sees them.
        renamers: The distributions of other frameworks that take its tools and do so.
        transforms: The classes with which a project gives its tools other names.
    """

    description: str = "a docstring"
    parameter: str = "Annotated[…, Field(description='…')]"
    member: str = "Field(description='…')"
    method: str | None = None
    approval: str | None = None
    effects: str | None = None
    declared: tuple[Place, ...] = ()
    failure: str = "let the exception propagate, so that the framework reports it as an error"
    failed: tuple[str, object] | None = None
    rewrites_names: bool = False
    renamers: tuple[str, ...] = ()
    transforms: tuple[str, ...] = ()


class Demands(NamedTuple):
    """What a framework requires of a function, and how it handles other cases.

    Attributes:
        calls: The marks that must be called, as in `@server.tool()`, by the ends of their names.
        types: Whether a parameter without a type is rejected.
        types_of_defaults: Whether that includes a parameter with a default.
        result_type: Whether a function without a return type is rejected.
        descriptions: Whether a parameter that is not described in the docstring is rejected.
        docstring: Whether a function without a docstring is rejected if nothing else describes the tool.
        variadic: The kinds of variadic parameters that are rejected or misread: `*` and `**`.
        fields: Whether `Field` in an annotation is rejected.
        first: The marks whose first parameter must be the context, by the ends of their names; tools of other marks
            do not receive a context.
        first_since: Marks among these for which older versions decide this by the function, by the ends of their names,
            with the names of the package and its first version that does not.
        only_first: Whether the context is rejected except as the first parameter.
        strict_unless: The argument that turns off strict schemas, which are the default.
        parses_if: The argument that enables descriptions of parameters from docstrings.
        plain: The arguments that must not be coroutine functions.
        envelope: Whether all functions return the framework's own result type, which says nothing about the data.
        removed: Modules that a package no longer has: the module, the package, and the version that removed it.
        held_back_by: Other distributions whose newest releases require a version of the package that still has them,
            and versions of distributions that are too old for the version that lacks them, such as `pydantic<2.12`.
    """

    calls: tuple[str, ...] = ()
    types: bool = False
    types_of_defaults: bool = True
    result_type: bool = False
    descriptions: bool = False
    docstring: bool = False
    variadic: tuple[str, ...] = ()
    fields: bool = False
    first: tuple[str, ...] = ()
    first_since: tuple[tuple[str, tuple[str, ...], str], ...] = ()
    only_first: bool = False
    strict_unless: str | None = None
    parses_if: str | None = None
    plain: tuple[Place, ...] = ()
    envelope: bool = False
    removed: tuple[tuple[str, str, str], ...] = ()
    held_back_by: tuple[str, ...] = ()


class Sent(NamedTuple):
    """The definitions that a program may write as plain data instead, and what shows that it sends such data.

    Attributes:
        schemas: The keys of the JSON Schema in a definition, which also has a `name`.
        packages: The packages that a program imports which sends them.
        texts: Texts in the source of a program that sends them without such a package.
    """

    schemas: tuple[str, ...]
    packages: tuple[str, ...]
    texts: tuple[str, ...] = ()


class DataForm(NamedTuple):
    """A definition that a program writes as plain data, and that is a tool wherever it is: nothing else looks like it.

    Attributes:
        schemas: The keys of its JSON Schema.
        kind: Its `type`; empty if it has none.
        inner: The key of the dictionary in it that has the name, the description and the schema; empty if it has them.
        listed_in: The keys, and the keywords of calls, whose lists contain such definitions; without these and
            `passed_as`, it may be anywhere.
        passed_as: The keywords of calls whose lists contain such definitions.
        classes: Patterns for the classes whose objects are such definitions, with the same parts as keywords.
        is_bare: Whether its parts alone show it: a name, a description, and a schema that lists properties.
    """

    schemas: tuple[str, ...]
    kind: str = ""
    inner: str = ""
    listed_in: tuple[str, ...] = ()
    passed_as: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    is_bare: bool = False

    @property
    def is_anywhere(self) -> bool:
        """Whether a dictionary of this form is a definition wherever it is."""
        return bool(self.kind or self.inner or self.is_bare)

    @property
    def may_lack_schema(self) -> bool:
        """Whether it is a definition without parameters if it has a name and a description, but no schema."""
        return bool((self.kind and self.inner) or self.listed_in)


class SourceMarks(NamedTuple):
    """The names that define tools of one kind.

    A name is a fully qualified name, in which `*` matches any characters and `()` means the result of a call: the
    pattern `fastmcp.FastMCP().tool` is the method `tool` of every object of the class `fastmcp.FastMCP`.

    Attributes:
        packages: The packages that the names belong to.
        decorators: Decorators of functions or classes.
        classes: Base classes of tools.
        makers: Functions that return a tool, or an object with tools.
        registrations: The ways to create tools with calls.
        tool_classes: The ways in which classes define tools.
        injected: The parameters that a model does not see.
        receivers: Patterns for the usual variables of a server or agent: if a file does not show the value of such a
            variable, its methods count as marks anyway.
        reads_docstrings: Whether the descriptions of parameters come from docstrings; if not, the whole docstring is
            the description of the tool.
        docstrings_since: The distribution, and the version from which descriptions of parameters come from docstrings;
            `reads_docstrings` applies to older versions.
        rewriters: Patterns for names that, where a file imports them, may rewrite definitions of tools.
        spreads_models: Whether the fields of a model become the parameters of a function whose only parameter it is.
        filler: The default description of a parameter, with `NAME` for the name of the parameter.
        spec_variable: The name of the variable in a module that defines a tool, next to its function.
        title: The display name of the framework.
        terms: How its users write what the hints of lint suggest.
        demands: What the framework requires of functions.
        sent: The definitions that programs write as plain data, if they do.
        forms: The forms of such definitions that need no package.
        only_with: Texts one of which a file, or one that imports it, contains if what it registers is a tool; empty if
            it always is.
        serves: The methods of its servers that use standard output unless another transport is set; if there are any,
            its tools are served over MCP.
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
    docstrings_since: tuple[str, tuple[int, ...]] | None = None
    rewriters: tuple[str, ...] = ()
    spreads_models: bool = False
    filler: str | None = None
    spec_variable: str | None = None
    title: str = ""
    terms: Terms = Terms()
    demands: Demands = Demands()
    only_with: tuple[str, ...] = ()
    serves: tuple[str, ...] = ()
    sent: Sent | None = None
    forms: tuple[DataForm, ...] = ()


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
        Registration(("toolkit.tool", "toolkit.tools.tool", "toolkit.tools.definition.marking.tool")),
        Registration(("toolkit.from_function", "toolkit.tools.from_function"), "function"),
    ),
    tool_classes=(
        ToolClasses(("toolkit.*TextTool",), ("execute",), takes_call=True, takes_text=True),
        ToolClasses(("toolkit.*TypedTool",), ("execute",), takes_call=True),
        ToolClasses((), ("execute",), takes_call=True, takes_text=True),
    ),
)


def is_among(name: str, patterns: Iterable[str]) -> bool:
    """Return whether a dotted name matches any of the patterns."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)

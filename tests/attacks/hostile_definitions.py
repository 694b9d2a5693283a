"""Definitions of tools that are wrong in arbitrary ways, as the source of a Python file."""

from typing import NamedTuple

PRELUDE = '''\
import collections
import functools
import sys
import types
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from toolkit import MemoryId, Tool, ToolContext, ToolSpec, TypedTool, WrappedTool, from_function, tool, toolbox


class Raises(Exception):
    """What hostile values raise; it cannot be shown either."""

    def __str__(self):
        raise self

    __repr__ = __str__


def refuse(*_, **__):
    raise Raises


class EvilText(str):
    __str__ = __repr__ = __eq__ = __hash__ = __len__ = __iter__ = __format__ = __contains__ = __getitem__ = refuse
    strip = split = encode = casefold = lower = isascii = partition = startswith = refuse


class EvilDict(dict):
    __iter__ = __len__ = __getitem__ = __repr__ = __eq__ = __contains__ = refuse
    items = keys = values = get = pop = copy = refuse


class EvilList(list):
    __iter__ = __len__ = __getitem__ = __repr__ = __eq__ = __contains__ = __reversed__ = refuse


class EvilInt(int):
    __repr__ = __str__ = __eq__ = __hash__ = __lt__ = __bool__ = __index__ = __int__ = refuse


class EvilMapping(collections.abc.Mapping):
    __iter__ = __len__ = __getitem__ = __repr__ = refuse


class Endless(collections.abc.Mapping):
    def __iter__(self):
        return iter(int, 1)

    def __len__(self):
        return 1

    def __getitem__(self, key):
        return self


class Nothing:
    """Every special method that a check may call refuses."""

    __repr__ = __str__ = __eq__ = __hash__ = __bool__ = __len__ = __iter__ = __getattr__ = __format__ = __dir__ = refuse
    __class__ = property(refuse)


class Liar:
    """It has every attribute there is, and says yes to everything."""

    def __getattr__(self, name):
        return Liar()

    def __call__(self, *_, **__):
        return Liar()

    def __bool__(self):
        return True


class Impostor:
    """It pretends to be a text."""

    __class__ = str


class Quits:
    def __repr__(self):
        sys.exit(9)

    __str__ = __getattr__ = __bool__ = __repr__


class Meta(type):
    """Classes that answer no question about themselves."""

    __repr__ = __str__ = __getattr__ = __instancecheck__ = __subclasscheck__ = __iter__ = __eq__ = refuse
    __hash__ = type.__hash__
    __module__ = __name__ = __doc__ = property(refuse)


cycle = {"type": "object", "properties": {}}
cycle["properties"]["again"] = cycle
knot = ["a"]
knot += [knot, knot]
deep = {"type": "object"}
for _ in range(3000):
    deep = {"type": "object", "properties": {"a": deep}}


def with_default(value):
    return {"type": "object", "properties": {"a": {"type": "string", "default": value}}}


'''

VALUES = (
    "None", "0", "-1", "True", "2.5", "float('nan')", "float('inf')", "1j", "10**5000", "b'x'", "('x',)", "{1, 2}",
    "''", "' '", "'x'", "'\\ud800'", "'\\x1b[2J\\u202e\\x00'", "'n' * 200_000", "'é'", "object()", "Raises()", "Raises",
    "EvilText('evil')", "EvilDict(a=1)", "EvilList([1])", "EvilInt(1)", "EvilMapping()", "Endless()", "Nothing()",
    "Liar()", "Impostor()", "Quits()", "Meta('M', (), {})", "Meta('M', (), {})()", "cycle", "knot", "deep",
    "with_default({1, 2})", "with_default(object())", "with_default(float('nan'))", "with_default(b'x')",
    "{'type': 'object', 'properties': []}", "{'type': 'object', 'properties': {1: {}}}",
    "{'type': 'object', 'properties': {'a': 5}}", "{'type': 'object', 'required': 7}", "{EvilText('type'): 'object'}",
    "{'type': 'object', 'properties': EvilDict(a={})}", "{'type': ['object']}", "{'type': EvilText('object')}",
    "{'type': 'object', 'properties': {'a': {'$ref': '#/nowhere'}}, '$defs': 3}", "{'anthropic': object()}",
    "{'type': 'object', 'properties': {'a': {'pattern': '('}}}",
    "[{'a': {1, 2}}]", "[{'a': object()}]", "[{1: 2}]", "[knot]", "({},)", "[1]", "{}", "[]", "lambda: 1",
    "lambda self: 'x'", "refuse", "property(refuse)", "property(lambda self: Liar())", "functools.partial(refuse)",
    "iter([1])", "(_ for _ in [1])", "sys", "types.MappingProxyType({'type': 'object'})", "int", "str", "Literal['a']",
    "'to_model'", "NotImplemented", "...", "ToolSpec('named')", "object.__new__(ToolSpec)", "range(3)",
)  # fmt: skip

OPTIONS = (
    "name", "description", "category", "return_behavior", "requires_approval", "read_only", "destructive", "idempotent",
    "open_world", "strict", "metadata", "examples", "unheard_of",
)  # fmt: skip
MEMBERS = (
    "name", "description", "spec", "parameters", "pipe", "suspends", "uses_context", "demands", "toolbox", "identity",
    "hidden_parameters", "described", "call_logger", "parse", "describe", "check", "perform", "execute", "source",
    "category", "metadata", "examples", "output_schema", "written_as", "plan", "inner", "function", "told", "run",
    "input_type", "output_type", "__class__", "__doc__", "__module__", "__getattr__", "__getattribute__", "__eq__",
    "__hash__", "__bool__", "__repr__", "__iter__", "__call__", "__toolkit_tool__", "__toolkit_box__", "__wrapped__",
    "__name__", "__qualname__", "__func__", "__signature__", "__annotations__", "__code__",
)  # fmt: skip


class Kind(NamedTuple):
    """One kind of definition: its source, in which NAME, KEY and VALUE are replaced, and the keys that fit.

    With some values it is not a tool at all, if `may_be_nothing`, and nobody misses it.
    """

    source: str
    keys: tuple[str, ...] = ("",)
    may_be_nothing: bool = False


KINDS = (
    Kind('@tool(**{"KEY": VALUE})\ndef NAME(a: str) -> str:\n    """Say a."""\n    return a', OPTIONS),
    Kind('def NAME(a: str) -> str:\n    """Say a."""\n    return a\n\n\nNAME.__toolkit_tool__ = VALUE',
         may_be_nothing=True),
    Kind('def NAME(a: str) -> str:\n    """Say a."""\n    return a\n\n\nNAME.__toolkit_tool__ = {"KEY": VALUE}', OPTIONS),
    Kind('@tool\ndef NAME(a: str = VALUE) -> str:\n    """Say a."""\n    return "x"'),
    Kind('@tool\ndef NAME(a: VALUE) -> VALUE:\n    """Say a."""\n    return "x"'),
    Kind('@tool\ndef NAME(a: Annotated[str, VALUE]) -> str:\n    """Say a."""\n    return "x"'),
    Kind('@tool\ndef NAME(a: str) -> str:\n    """Say a."""\n    return a\n\n\nNAME.KEY = VALUE',
         ("__doc__", "__wrapped__", "__signature__", "__annotations__", "__module__", "__func__", "spec", "inner")),
    Kind('class NAME:\n    @tool(**{"KEY": VALUE})\n    def NAME_method(self, a: str) -> str:\n        """Say a."""\n'
         '        return a', OPTIONS),
    Kind('class NAME:\n    KEY = VALUE\n\n    @tool\n    def NAME_method(self, a: str) -> str:\n        """Say a."""\n'
         '        return a', MEMBERS),
    Kind('@toolbox(**{"KEY": VALUE})\nclass NAME:\n    """Some tools."""\n\n    @tool\n'
         '    def NAME_method(self, a: str) -> str:\n        """Say a."""\n        return a',
         ("name", "description", "usage_notes", "category_parameter", "exclusive")),
    Kind('NAME = Tool.create("NAME", "Says a.", **{"parameters": {"type": "object"}, "function": lambda **a: "x",\n'
         '    "KEY": VALUE})', ("parameters", "function", *OPTIONS[2:-1])),
    Kind('NAME = Tool.create("NAME", VALUE, {"type": "object"}, lambda **a: "x")'),
    Kind('NAME = Tool.create("NAME", "Says a.", with_default(VALUE), lambda **a: "x")'),
    Kind('NAME = from_function(lambda a: a, **{"name": "NAME", "KEY": VALUE})', OPTIONS[1:-1]),
    Kind('NAME = from_function(lambda a: a, name="NAME").with_description(VALUE)'),
    Kind('@dataclass\nclass NAME_input:\n    a: str = VALUE\n\n\nclass NAME(TypedTool[NAME_input]):\n    name = "NAME"\n'
         '    description = "Says a."\n\n    def execute(self, input):\n        return input.a'),
    Kind('@dataclass\nclass NAME_input:\n    a: str\n\n\nclass NAME(TypedTool[NAME_input]):\n    name = "NAME"\n'
         '    description = "Says a."\n\n    def execute(self, input):\n        return input.a\n\n    KEY = VALUE', MEMBERS),
    Kind('NAME = TypedTool(**{"name": "NAME", "description": "Says a.", "input_type": ToolContext, "function": str,\n'
         '    "KEY": VALUE})', (*OPTIONS[:-1], "input_type", "output_type", "function")),
    Kind('class NAME(Tool):\n    spec = ToolSpec("NAME", "Says a.")\n    pipe = "parameter"\n\n'
         '    def parse(self, arguments):\n        return {}\n\n    def describe(self, parsed):\n        return {}\n\n'
         '    async def perform(self, parsed, context):\n        return "x"\n\n    KEY = VALUE', MEMBERS),
    Kind('class NAME(Tool):\n    @property\n    def spec(self):\n        return ToolSpec(**{"name": "NAME",\n'
         '            "description": "Says a.", "KEY": VALUE})',
         (*OPTIONS[:-1], "parameters", "output_schema", "source", "location")),
    Kind('class NAME(WrappedTool):\n    """Says a."""\n\n    KEY = VALUE\n\n\n'
         'NAME_object = NAME(from_function(lambda a: a, name="NAME", description="Says a."))', MEMBERS),
    Kind("NAME = WrappedTool(VALUE)"),
    Kind('class NAME:\n    name = "NAME"\n    description = "Says a."\n\n    def execute(self, text):\n'
         '        return text\n\n    KEY = VALUE', MEMBERS),
    Kind('class NAME(metaclass=Meta):\n    name = "NAME"\n    description = "Says a."\n\n'
         '    def execute(self, text):\n        return text\n\n    KEY = VALUE', MEMBERS),
    Kind('class NAME(metaclass=Meta):\n    KEY = VALUE\n\n    @tool\n    def NAME_method(self, a: str) -> str:\n'
         '        """Say a."""\n        return a', MEMBERS),
    Kind("NAME = VALUE", may_be_nothing=True),
    Kind("def NAME() -> VALUE: ...", may_be_nothing=True),
)  # fmt: skip


class Definition(NamedTuple):
    """One definition: a kind, the key that is wrong, and its value."""

    kind: int
    key: str
    value: str

    def written(self, name: str) -> str:
        """Return its source, under a name."""
        source = KINDS[self.kind].source
        return source.replace("NAME", name).replace("KEY", self.key).replace("VALUE", self.value)

"""Values that only the caller may set.

A memory id and a context come from the caller. Wherever an annotation names them, no schema may offer them and nothing
that a model sends may stand in for them.
"""

import json
import sys
from dataclasses import dataclass, make_dataclass
from types import ModuleType
from typing import Annotated, Any, NamedTuple, NewType, Optional, Union

import pytest
from hypothesis import given, settings, strategies as st
from pydantic import BaseModel, Field, RootModel, create_model
from pydantic.functional_validators import PlainValidator
from typing_extensions import TypeAliasType, TypedDict

from tests.volumes import examples
from toolkit import InvalidTools, MemoryId, Tool, ToolContext, TypedTool, from_function, from_object
from toolkit.dialects import DIALECTS, export

CONTEXT = ToolContext({"tenant": "acme"}, memory_id="ada", chosen_by="model")


class Owner(MemoryId):
    """A marker of one's own."""


class Told(ToolContext):
    """A context of one's own."""


MARKED = [
    Annotated[str, MemoryId],
    Annotated[str, MemoryId()],
    Annotated[str, Owner],
    Annotated[str, Owner()],
    Annotated[str, "whose it is", MemoryId],
    Annotated[str, MemoryId, Field(max_length=20)],
    Annotated[Any, MemoryId],
    Annotated[str | None, MemoryId],
    Annotated[str, MemoryId, PlainValidator(str)],
    MemoryId,
    ToolContext,
    Told,
    Annotated[ToolContext, "what the caller hands in"],
]


def _in_dataclass(kind):
    return make_dataclass("Data", [("owner", kind), ("note", str, "")])


def _in_typed_dict(kind):
    make: Any = TypedDict
    return make("Typed", {"owner": kind, "note": str})


def _in_named_tuple(kind):
    make: Any = NamedTuple
    return make("Named", [("owner", kind), ("note", str)])


def _in_model(kind):
    return create_model("Model", __config__={"arbitrary_types_allowed": True}, owner=(kind, ...), note=(str, ""))


def _in_model_with_default(kind):
    return create_model("Model", __config__={"arbitrary_types_allowed": True}, owner=(kind, None), note=(str, ""))


def _in_inherited_model(kind):
    return create_model("Child", __base__=_in_model(kind), more=(int, 0))


def _in_model_of_extras(kind):
    body = {"__annotations__": {"note": str, "__pydantic_extra__": _of(dict, str, kind)}, "__module__": __name__}
    return type("Open", (BaseModel,), {**body, "model_config": {"extra": "allow", "arbitrary_types_allowed": True}})


def _new_type(kind):
    make: Any = NewType
    return make("New", kind)


def _alias(kind):
    make: Any = TypeAliasType
    return make("Alias", kind)


def _of(generic: Any, *arguments: Any) -> Any:
    return generic[arguments if len(arguments) > 1 else arguments[0]]


AROUND: dict[str, Any] = {
    "optional": lambda kind: _of(Optional, kind),
    "union": lambda kind: _of(Union, kind, int),
    "union of both": lambda kind: _of(Union, str, kind, None),
    "list": lambda kind: _of(list, kind),
    "values of a mapping": lambda kind: _of(dict, str, kind),
    "keys of a mapping": lambda kind: _of(dict, kind, int),
    "tuple": lambda kind: _of(tuple, int, kind),
    "set": lambda kind: _of(set, kind),
    "text beside": lambda kind: _of(Annotated, kind, "whose it is"),
    "field beside": lambda kind: _of(Annotated, kind, Field(description="whose it is")),
    "new type": _new_type,
    "alias": _alias,
    "dataclass": _in_dataclass,
    "typed dict": _in_typed_dict,
    "named tuple": _in_named_tuple,
    "model": _in_model,
    "model with a default": _in_model_with_default,
    "inherited model": _in_inherited_model,
    "model of extras": _in_model_of_extras,
    "root model": lambda kind: create_model("Root", __base__=_of(RootModel, kind)),
}


@st.composite
def annotations(draw):
    """Draw a type in which a marker stands somewhere, and say how it was made."""
    kind = draw(st.sampled_from(MARKED))
    way = [str(kind)]
    for around in draw(st.lists(st.sampled_from(list(AROUND)), max_size=4)):
        try:
            kind = AROUND[around](kind)
        except Exception:  # noqa: BLE001, S112 - not everything goes into everything, as typing and pydantic say
            continue
        way.append(around)
    return kind, " in ".join(way)


SENT = [
    "eve",
    ["eve"],
    {"owner": "eve", "note": "x"},
    {"eve": 1},
    {"k": "eve"},
    [1, "eve"],
    7,
    None,
    {"memory_id": "eve"},
]


def _is_kept_from_the_model(tool: Tool, sent: Any) -> bool:
    """Return whether a tool offers nothing but `key`, and works with nothing but what the caller set."""
    if list(tool.spec.properties) != ["key"]:
        return False
    offered = json.dumps([export(tool.spec, dialect).definition for dialect in DIALECTS])
    if "owner" in offered or "user" in offered:
        return False
    arguments = {"key": "k", "user": sent, "owner": sent, "context": sent}
    results = [tool.run(arguments, CONTEXT), tool.run(json.dumps(arguments), CONTEXT)]
    return all(result.output in ("ada", "acme") for result in results)


def _seen(user: Any) -> str:
    return user["tenant"] if isinstance(user, ToolContext) else str(user)


def _of_function(kind):
    def probe(key: str, user: Any) -> str:
        """Probe."""
        return _seen(user)

    probe.__annotations__["user"] = kind
    return from_function(probe)


def _by_hand(kind):
    def probe(user: Any, **others: str) -> str:
        return _seen(user)

    probe.__annotations__["user"] = kind
    return Tool.create("probe", "Probe.", KEYED, probe)


def _offered_by_hand(kind):
    def probe(user: Any, **others: str) -> str:
        return _seen(user)

    probe.__annotations__["user"] = kind
    return Tool.create("probe", "Probe.", {**KEYED, "properties": {**KEYED["properties"], "user": {}}}, probe)


def _of_execute(kind):
    def probe(input: Any, user: Any) -> str:
        return _seen(user)

    probe.__annotations__["user"] = kind
    return TypedTool(name="probe", description="Probe.", input_type=Keyed, function=probe)


def _of_input(kind):
    def probe(input: Any) -> str:
        return str(input)

    return TypedTool(name="probe", description="Probe.", input_type=kind, function=probe)


def _of_input_field(kind):
    return _of_input(_in_model(kind))


@dataclass
class Keyed:
    key: str


KEYED: dict[str, Any] = {
    "type": "object",
    "properties": {"key": {"type": "string"}},
    "required": ["key"],
    "additionalProperties": True,
}
WAYS = [_of_function, _by_hand, _offered_by_hand, _of_execute, _of_input, _of_input_field]


def _holds(build: Any, kind: Any, sent: Any) -> bool:
    try:
        tool = build(kind)
        tool.spec  # noqa: B018 - some tools are checked when they are first looked at
    except InvalidTools as error:
        return all(problem.message and "Traceback" not in problem.message for problem in error.problems)
    return _is_kept_from_the_model(tool, sent)


def test_no_model_sets_what_the_caller_sets_wherever_it_is_named(attacks):
    @settings(max_examples=examples(250), deadline=None)
    @given(annotations(), st.sampled_from(WAYS), st.sampled_from(SENT))
    def attack(annotation, build, sent):
        kind, way = annotation
        attacks.count(f"{build.__name__}: {way}, sent {sent!r}", held=_holds(build, kind, sent))

    attack()


SOURCES = {
    "strings of the future": "from __future__ import annotations\ndef probe(key: str, user: Annotated[str, MemoryId]): ...",
    "a quoted type": "def probe(key: str, user: 'Annotated[str, MemoryId] | None' = None): ...",
    "a quoted part": "def probe(key: str, user: Annotated['str', MemoryId]): ...",
    "a quoted name in a list": "Owner = Annotated[str, MemoryId]\ndef probe(key: str, user: list['Owner']): ...",
    "a field of strings": (
        "from __future__ import annotations\n@dataclass\nclass Who:\n    owner: Annotated[str, MemoryId]\n"
        "def probe(key: str, user: Who): ..."
    ),
    "a model defined later": (
        "class Outer(BaseModel):\n    inner: 'Inner'\nclass Inner(BaseModel):\n    owner: Annotated[str, MemoryId]\n"
        "def probe(key: str, user: Outer): ..."
    ),
    "a model defined later in a function": (
        "def make():\n    class Outer(BaseModel):\n        inner: 'Inner'\n"
        "    class Inner(BaseModel):\n        owner: Annotated[str, MemoryId]\n"
        "    def probe(key: str, user: Outer): ...\n    return probe\nprobe = make()"
    ),
    "a model that contains itself": (
        "class Tree(BaseModel):\n    owner: Annotated[str, MemoryId]\n    more: list['Tree'] = []\n"
        "def probe(key: str, user: Tree): ..."
    ),
    "several at once": "def probe(key: str, *user: Annotated[str, MemoryId], **owner: ToolContext): ...",
    "a name that is not there": "from __future__ import annotations\ndef probe(key: str, user: Annotated[str, Absent]): ...",
    "a default": "def probe(key: str, user: Annotated[str, MemoryId] = 'eve'): ...",
    "a type variable": "T = TypeVar('T', bound=Annotated[str, MemoryId])\ndef probe(key: str, user: T): ...",
    "a generic model": (
        "T = TypeVar('T')\nclass Box(BaseModel, Generic[T]):\n    owner: T\n"
        "def probe(key: str, user: Box[Annotated[str, MemoryId]]): ..."
    ),
}
HEAD = """\
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel

from toolkit import MemoryId, ToolContext
"""


@pytest.mark.parametrize("name", SOURCES)
def test_no_model_sets_it_however_it_is_written(name, attacks, monkeypatch):
    future, _, rest = SOURCES[name].rpartition("from __future__ import annotations\n")
    module = ModuleType("written")
    monkeypatch.setitem(sys.modules, "written", module)
    whole = (
        f"{'from __future__ import annotations' if future or _ else ''}\n{HEAD}\n{rest.replace('...', 'return user')}"
    )
    exec(whole, vars(module))  # noqa: S102 - the test wrote it
    module.probe.__doc__ = "Probe."
    for sent in SENT:
        attacks.count(f"{name}, sent {sent!r}", held=_holds(from_function, module.probe, sent))


@pytest.mark.proof
def test_an_object_of_which_a_tool_is_made_keeps_it_too(attacks):
    for kind in MARKED:
        for around in AROUND.values():
            try:
                placed = around(kind)
            except Exception:  # noqa: BLE001, S112 - not everything goes into everything
                continue

            class Saying:
                name, description = "saying", "Says."

                def execute(self, text, user):
                    return f"{text} {_seen(user)}"

            Saying.execute.__annotations__["user"] = placed
            try:
                [saying] = from_object(Saying())
            except InvalidTools:
                held = True
            else:
                result = saying.run({"input": "x", "user": "eve", "text": "y"}, CONTEXT)
                held = result.output in ("x ada", "x acme") and list(saying.spec.properties) == ["input"]
            attacks.count(f"execute(text, user: {placed})", held=held)

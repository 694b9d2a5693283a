"""A schema that is read from the source as exact is the one of the tool that is built, whatever the types are."""

import json

from tests.volumes import some_of
from toolkit.lint import LintSettings, find_tools
from toolkit.settings import Configuration

HEAD = '''
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated, Any, Dict, List, Literal, NotRequired, Optional, Required, TypedDict, Union

from pydantic import BaseModel, Field

from toolkit import tool

Alias = list[int]
WORD = "word"


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Model(BaseModel):
    """A model."""

    name: str = Field(..., description="Its name", max_length=3)
    other: int = Field(3, ge=1)
    colour: Colour = Colour.RED


class Plain(BaseModel):
    name: str = Field(description="Its name", max_length=3)
    size: int = 3


class Loop(BaseModel):
    inner: "Loop | None" = None


class Based(Plain):
    more: int


class Options(TypedDict, total=False):
    a: int
    b: Required[str]


class Whole(TypedDict, total=True):
    a: int
    b: NotRequired[str]


@dataclass
class Data:
    """Data."""

    a: int
    b: list[str] = field(default_factory=list)
    c: Optional[Plain] = None


'''
TYPES = (
    "str", "int", "float", "bool", "list", "dict", "Any", "object", "None", "bytes", "typing.Any", "'int'", "Alias",
    "Colour", "Model", "Plain", "Loop", "Based", "Options", "Whole", "Data", "Literal['a']", "Literal['a', 'b']",
    "Literal[1, 2]", "Literal[True]", "Literal['a', 1]", "list[str]", "List[int]", "list[Any]", "dict[str, int]",
    "dict[str, Any]", "dict[int, str]", "Dict[str, Plain]", "Mapping[str, int]", "Sequence[int]", "set[str]",
    "tuple[int, str]", "tuple[int, ...]", "Alias | None",
)  # fmt: skip
WITHIN = (
    "{}", "{} | None", "None | {}", "Optional[{}]", "{} | int", "int | str | {}", "Union[{}, None]", "list[{}]",
    "list[{} | None]", "dict[str, {}]", "Annotated[{}, 'text']", "Annotated[{} | None, WORD]",
    "Annotated[{}, Field(description='words')]", "Annotated[{}, Field(min_length=1)]",
)  # fmt: skip
DEFAULTED = ("int", "str", "float", "int | None", "list[int]", "list", "Any", "Plain | None", "dict[str, Any]", "Options",
             "Annotated[int, 'x']", "Literal['a', 'b']")  # fmt: skip
DEFAULTS = ("None", "3", "'a'", "[]", "WORD", "{}", "...", "Field(description='x')", "Field(3, ge=1)")
TOOL = '''try:

    @tool
    def act_{}({}) -> {}:
        """Do the thing with this number."""

except Exception:
    pass

'''


def data_of(spec):
    """Return a specification as data, without its file."""
    hidden = {"source", "location", "framework", "names", "origin"}
    return {key: value for key, value in json.loads(spec.to_json()).items() if key not in hidden}


def test_exact_schemas_are_those_of_the_tools_that_are_built(tmp_path):
    types = [around.format(one) for one in TYPES for around in WITHIN]
    types.remove("Annotated[Loop, Field(description='words')]")  # pydantic shows the text wherever the class is used
    heads = [(f"x: {one}", "str") for one in types] + [("x: int", one) for one in types]
    heads += [(f"x: {one} = {default}", "str") for one in DEFAULTED for default in DEFAULTS]
    heads = some_of(heads)
    file = tmp_path / "tools.py"
    file.write_text(HEAD + "".join(TOOL.format(at, *one) for at, one in enumerate(heads)), "utf-8")
    read, built = (
        {tool.name: tool.spec for tool in find_tools([str(file)], Configuration(), LintSettings(is_static=is_static))}
        for is_static in (True, False)
    )
    assert read.keys() >= built.keys()
    exact = [(read[name], spec) for name, spec in built.items() if spec is not None and read[name] is not None]
    differing = {}
    for found, spec in exact:
        shown, whole = data_of(found), data_of(spec)
        whole |= {} if "output_schema" in shown else {"output_schema": None}
        if {"output_schema": None} | shown != {"output_schema": None} | whole:
            differing[heads[int(found.name.removeprefix("act_"))]] = shown, whole
    assert differing == {}
    assert len(exact) > len(built) // 2

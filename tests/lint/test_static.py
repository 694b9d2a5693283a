"""Reading a file finds what importing it finds, wherever the source shows it."""

import json
import shutil
from pathlib import Path

import pytest

from toolkit.lint import LintSettings, Selection, all_pages, check, find_tools, read_lint_settings
from toolkit.settings import Configuration, find_configuration
from toolkit.sources.written_lists import list_written  # private

HERE = Path(__file__).parent
CASES = sorted(path.parent for path in (HERE / "rules").glob("*/bad.py"))
PIPELINES = sorted(path.parent for path in (HERE / "rules").glob("TK6*/bad.yaml"))
APIS = {"TK661", "TK662", "TK663", "TK664"}
"""The rules about OpenAPI documents, which are never run."""
PLANNED = {path.name for path in PIPELINES} - {"TK601", "TK603", "TK613", "TK620"} - APIS
"""The rules that find nothing in a pipeline that is not planned."""
ONLY_RUN = {
    "TK010": 5,  # what a comment silences is known only when all of it was looked for
    "TK514": 1,
    "TK515": 1,  # the policy is about tools that are built
    "TK516": 0,  # and this is found in the policy itself
}
"""How many findings of a case show only when the file is run."""


def found(file, code, *, is_static):
    """Return the places at which a rule finds something in a file."""
    configuration, _ = find_configuration()
    settings, _ = read_lint_settings(configuration)
    extended = Selection(extend_select=tuple(page.code for page in all_pages() if not page.default))
    settings = settings._replace(selections=(*settings.selections, extended), profile="all", is_static=is_static)
    problems = check([file], configuration, settings=settings)
    return [str(problem.location) for problem in problems if problem.code == code]


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def code(request, tmp_path, monkeypatch):
    shutil.copytree(request.param, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return request.param.name


@pytest.mark.proof(everyday=10)
def test_rule_finds_the_same_without_an_import(code):
    lines = Path("expected.txt").read_text("utf-8").splitlines()
    expected = [line.partition(": ")[0] for line in lines if line.startswith("bad.py")]
    places = found("bad.py", code, is_static=True)
    assert set(places) <= set(expected)
    assert len(expected) - len(places) == ONLY_RUN.get(code, 0)
    assert found("good.py", code, is_static=True) == []


def test_rules_that_need_an_import_are_those_that_find_less_without_one():
    needing = {page.code for page in all_pages() if page.needs_import}
    assert needing == {"TK002", "TK009", *PLANNED, *(needing & ONLY_RUN.keys())}


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize("case", PIPELINES, ids=lambda case: case.name)
def test_rules_that_need_a_plan_are_those_that_find_nothing_without_one(case, tmp_path, monkeypatch):
    shutil.copytree(case, tmp_path, dirs_exist_ok=True)
    shutil.copy(HERE / "rules" / "texts.py", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert bool(found("bad.yaml", case.name, is_static=True)) == (case.name not in PLANNED)


CLASSES = '''
from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal, NotRequired, TypedDict

from pydantic import BaseModel, Field

from toolkit import tool

if TYPE_CHECKING:
    from decimal import Decimal

WHAT = "folder"
MANUAL = textwrap.dedent(
    """
    Count folders.
      Some are empty.
    """
)


class Folder(BaseModel):
    """A folder with folders."""

    name: str = Field(description="Its " + "name", max_length=9)
    kind: Literal["a", "b"] = "a"
    tags: list[str] = Field(default_factory=list, min_length=1)
    folders: list["Folder"] = []

    def count(self) -> int:
        return len(self.folders)


class Point(BaseModel):
    lat: float


@dataclass
class Way:
    """A way."""

    start: Point
    end: Annotated[Point | None, "Where it ends"] = None
    between: list[Point] = field(default_factory=list)


class Options(TypedDict, total=False):
    """Options."""

    deep: bool
    wide: NotRequired[int]


@tool(name="create_" + WHAT, description=f"Create a {WHAT}, at a {'point'}.")
def create(folder: Folder, point: Point) -> dict[str, int]:
    return {}


@tool(description=" ".join(["Go", "a", "way."]))
def go(way: Way, options: Options) -> str:
    return "gone"


@tool(description=MANUAL.strip())
def count(where: Annotated[str, "In " + WHAT] = "here") -> int:
    """Not this."""
    return 1
'''


UNBUILT = {
    ("TK101", "bad.py"): {"get forecast", "get rates!", "prévision"},
    ("TK301", "bad.py"): {"everything"},
    ("TK321", "bad.py"): {"apply", "first", "largest", "total"},
    ("TK322", "bad.py"): {"find", "pay"},
    ("TK323", "bad.py"): {"forecast", "greet"},
    ("TK501", "bad.py"): {"pаy"},
}
"""The tools in a source that cannot be built."""
UNIMPORTED = {
    *(("TK408", "good.py"), ("TK410", "bad.py"), ("TK507", "bad.py"), ("TK507", "good.py")),
    *(("TK511", "bad.py"), ("TK511", "good.py")),
}
"""The sources that import a framework, which may not be here; then none of their own tools is built."""
HIDDEN = {"source", "location", "framework", "names", "origin"}


def tools_of(file, *, is_static):
    """Return the tools that lint finds in a file, by name."""
    found = find_tools([file], Configuration(), LintSettings(is_static=is_static))
    return {tool.name: tool for tool in found}


def specs_of(file):
    """Return what is read of each tool that is built from a file, and the same parts of what is built.

    That is the whole specification, if the source shows it. The one part that may be missing is then the result. If the
    source only shows parts, they are names and descriptions, which parameters are required, and what is known of each.
    """
    read, built = tools_of(file, is_static=True), tools_of(file, is_static=False)
    both = [(read[name], tool.spec) for name, tool in built.items() if name in read and not tool.is_written]
    return (
        {tool.name: _parts_of(tool.spec or tool.outline, tool) for tool, _ in both},
        {tool.name: _parts_of(spec, tool) for tool, spec in both},
    )


def _parts_of(spec, read):
    """Return the parts of a specification that are known of a tool that was read."""
    if read.spec is not None:
        return without_places(spec, read.spec.output_schema is None)
    shown = read.outline.properties.items()
    schemas = {name: {key: spec.properties[name].get(key) for key in schema} for name, schema in shown}
    return {
        "description": spec.description,
        "names": [*spec.properties],
        "required": {*spec.required},
        "shown": schemas,
    }


def without_places(spec, is_result_hidden=False):
    """Return a specification as data, without its file."""
    hidden = HIDDEN | ({"output_schema"} if is_result_hidden else set())
    return {key: value for key, value in json.loads(spec.to_json()).items() if key not in hidden}


@pytest.mark.proof(everyday=2)
def test_specifications_that_are_read_are_those_that_are_built(code):
    for file in ("bad.py", "good.py"):
        if (code, file) != ("TK103", "bad.py"):  # its tools have the same name
            read, built = specs_of(file)
            assert read == built


@pytest.mark.proof(everyday=10)
def test_names_that_are_read_are_those_of_tools_that_are_built_and_listed(code):
    for file in ("bad.py", "good.py"):
        read, built = (tools_of(file, is_static=is_static) for is_static in (True, False))
        listed = list_written([file], Path()).tools
        assert {tool.name for tool in read.values() if tool.is_named} == {one.name for one in listed if one.name}
        if (code, file) not in UNIMPORTED:
            assert read.keys() - built.keys() == UNBUILT.get((code, file), set())
        assert built.keys() - read.keys() == set()


OF_FRAMEWORKS = sorted([
    *(HERE.parent / "frameworks").glob("cases/*/*.py"), HERE.parent / "frameworks/exported.py",
    *(HERE.parent / "source_code/cases").glob("*.py"),
])  # fmt: skip


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize("file", OF_FRAMEWORKS, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_names_that_lint_reads_are_those_that_list_reads_in_modules_of_frameworks(file):
    read = find_tools([str(file)], Configuration(), LintSettings(is_static=True))
    listed = list_written([str(file)], Path()).tools
    assert {tool.name for tool in read if tool.is_named} == {one.name for one in listed if one.name}
    assert any(not tool.is_named for tool in read) == any(not one.name for one in listed)


def test_specifications_of_classes_that_are_read_are_those_that_are_built(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "classes.py").write_text(CLASSES, "utf-8")
    read, built = specs_of("classes.py")
    assert read == built
    assert read.keys() == {"create_folder", "go", "count"}


SEEN_WHEN_RUN = {
    "a base of one's own": "class Base(BaseModel):\n    id: int\n\nclass Box(Base):\n    name: str\n",
    "a configuration": "class Box(BaseModel):\n    model_config = {'extra': 'forbid'}\n    name: str\n",
    "a validator": "class Box(BaseModel):\n    name: str\n\n    @field_validator('name')\n    def check(cls, name): ...\n",
    "a type from elsewhere": "from decimal import Decimal\n\nclass Box(BaseModel):\n    name: Decimal\n",
    "an unknown type further in": "class Lid(BaseModel):\n    name: complex\n\nclass Box(BaseModel):\n    lid: Lid\n",
}


@pytest.mark.parametrize("text", SEEN_WHEN_RUN.values(), ids=SEEN_WHEN_RUN)
def test_specification_that_the_source_does_not_show_is_left_open(tmp_path, text):
    file = tmp_path / "tools.py"
    head = "from pydantic import BaseModel, field_validator\nfrom toolkit import tool\n\n"
    file.write_text(f"{head}{text}\n@tool\ndef put(box: Box) -> str:\n    '''Put a box away.'''\n", "utf-8")
    [found] = find_tools([str(file)], Configuration(), LintSettings(is_static=True))
    assert found.spec is None


NAMES = {
    "x: Decimal": ["x"],
    "x: 'Decimal | None'": ["x"],
    "x: list[Decimal], y: Fraction": ["x", "y"],
    "x: str, context: ToolContext": [],
    "x: Late": [],
    "x: Tried": [],
    "x: math.Thing": [],
}


@pytest.mark.parametrize(("parameters", "unreadable"), NAMES.items())
def test_annotations_that_nothing_defines_are_found_without_an_import(tmp_path, parameters, unreadable):
    file = tmp_path / "tools.py"
    file.write_text(
        "from __future__ import annotations\n\nimport math\nfrom typing import TYPE_CHECKING\n\n"
        "from toolkit import tool\n\nif TYPE_CHECKING:\n    from decimal import Decimal\n    from fractions import Fraction\n"
        "    from toolkit import ToolContext\n\ntry:\n    from fast import Tried\nexcept ImportError:\n    Tried = str\n\n\n"
        f"@tool\ndef act({parameters}) -> str:\n    '''Do what is to be done.'''\n\n\nclass Late: ...\n",
        "utf-8",
    )
    found = check([str(file)], Configuration(), settings=LintSettings(is_static=True))
    words = [problem.message.partition(" cannot")[0] for problem in found if problem.code == "TK322"]
    assert words == [f"the annotation of parameter '{name}'" for name in unreadable]

"""Which files define tools, decided from their source."""

import importlib
import inspect
import pkgutil

import pytest

import toolkit
from toolkit import Tool
from toolkit.source_code.import_decisions import Recogniser  # private
from toolkit.tools.foreign.source_marks import OUR_MARKS, SourceMarks, is_among  # private

FUNCTION = "def f(text: str) -> str:\n    return text\n"

DEFINING = {
    "mark": f"from toolkit import tool\n\n\n@tool\n{FUNCTION}",
    "mark with options": f"from toolkit import tool\n\n\n@tool(read_only=True)\n{FUNCTION}",
    "renamed mark": f"from toolkit import tool as hammer\n\n\n@hammer\n{FUNCTION}",
    "mark of the package": f"import toolkit\n\n\n@toolkit.tool\n{FUNCTION}",
    "mark of the renamed package": f"import toolkit as t\n\n\n@t.tool()\n{FUNCTION}",
    "mark at home": f"from toolkit.tools.definition.marking import tool\n\n\n@tool\n{FUNCTION}",
    "mark in a variable": f"import toolkit\n\nmark = toolkit.tool(read_only=True)\n\n\n@mark\n{FUNCTION}",
    "partial mark": f"from functools import partial\nfrom toolkit import tool\nmark = partial(tool, name='x')\n\n\n@mark\n{FUNCTION}",
    "mark made of the mark": (
        f"from toolkit import tool\n\n\ndef ours(function):\n    return tool(read_only=True)(function)\n\n\n@ours\n{FUNCTION}"
    ),
    "mark made of the mark with options": (
        "from toolkit import tool\n\n\ndef ours(name):\n    def mark(f):\n        return tool(name=name)(f)\n    return mark\n\n\n"
        f"@ours('x')\n{FUNCTION}"
    ),
    "mark of a neighbour": f"from marks import ours\n\n\n@ours\n{FUNCTION}",
    "mark from a star": f"from toolkit import *\nfrom marks import *\n\n\n@ours\n{FUNCTION}",
    "mark that is tried": f"try:\n    from toolkit import tool\nexcept ImportError:\n    raise\n\n\n@tool\n{FUNCTION}",
    "called mark": f"from toolkit import tool\n\n\n{FUNCTION}\n\ntool(f)\n",
    "called mark with options": f"from toolkit import tool\n\n\n{FUNCTION}\n\ntool(name='x')(f)\n",
    "mark below another": f"from toolkit import tool\nfrom functools import cache\n\n\n@cache\n@tool\n{FUNCTION}",
    "async": "from toolkit import tool\n\n\n@tool\nasync def f(): ...\n",
    "under a condition": "import sys\nfrom toolkit import tool\n\nif sys.version_info > (3,):\n\n    @tool\n    def f(): ...\n",
    "method": "from toolkit import tool\n\n\nclass A:\n    @tool\n    def f(self): ...\n",
    "static method": "from toolkit import tool\n\n\nclass A:\n    @staticmethod\n    @tool\n    def f(): ...\n",
    "toolbox": "from toolkit import toolbox\n\n\n@toolbox(name='a')\nclass A: ...\n",
    "tool class": "from toolkit import Tool\n\n\nclass A(Tool): ...\n",
    "wrapper class": "from toolkit import WrappedTool\n\n\nclass A(WrappedTool): ...\n",
    "generic class": "from toolkit import TypedTool\n\n\nclass A(TypedTool[int]): ...\n",
    "class of a class": "from toolkit import Tool\n\n\nclass A(Tool): ...\n\n\nclass B(A): ...\n",
    "class of a neighbour's class": "from classes import Ours\n\n\nclass A(Ours): ...\n",
    "object of a neighbour's class": "from classes import Ours\n\nours = Ours()\n",
    "made by hand": "from toolkit import Tool\n\na = Tool.create('a', 'b', {}, print)\n",
    "made from a function": f"from toolkit import from_function\n\n\n{FUNCTION}\n\na = from_function(f).with_note('x')\n",
    "typed by hand": "from toolkit import TypedTool\n\na = TypedTool(name='a')\n",
    "ready tool": "from toolkit.builtin import FileRead\n\nnotes = FileRead('notes')\n",
    "pipeline": "from toolkit import Pipeline\nfrom elsewhere import a\n\np = Pipeline.of(a, a)\n",
    "built pipeline": "from toolkit import Pipeline\n\np = Pipeline.builder().name('p').step(1).build()\n",
    "loaded pipeline": "from toolkit import load_pipeline\n\np = load_pipeline('p.yaml')\n",
    "list": f"from toolkit import from_function\n\n\n{FUNCTION}\n\nTOOLS = [from_function(f)]\n",
    "table": f"from toolkit import resolve_tools\n\n\n{FUNCTION}\n\nTOOLS = resolve_tools([f])\n",
    "comprehension": "from toolkit import from_function\n\nTOOLS = {f.__name__: from_function(f) for f in (len, abs)}\n",
    "annotated": "from toolkit import Tool\nfrom elsewhere import make\n\na: Tool = make()\n",
    "factory": "from toolkit import Tool\n\n\ndef make() -> Tool:\n    return unknown()\n\n\na = make()\n",
    "factory of a neighbour": "from factories import make\n\na = make()\n",
    "pair": "from toolkit import from_function\n\na, b = 1, from_function(len)\n",
    "into the globals": "from toolkit import from_function\n\nfor f in (len, abs):\n    globals()[f.__name__] = from_function(f)\n",
    "text tool": "class A:\n    name = 'a'\n    description = 'b'\n\n    def execute(self, text): ...\n",
    "text tool with its own name": (
        "class A:\n    description = 'b'\n\n    def __init__(self):\n        self.name = 'a'\n\n    def execute(self, text): ...\n"
    ),
    "text tool that is half inherited": "from classes import Half\n\n\nclass A(Half):\n    name = 'a'\n    description = 'b'\n",
    "gathering": "from tools import f\n",
    "gathering by name": "import os\nfrom tools import f\n\n__all__ = ['f']\nprint(os.name)\n",
    "gathering as itself": "import os\nfrom tools import f as f\n\nprint(os.name)\n",
    "gathering a star": "from tools import *\n",
}

OTHER = {
    "nothing": "",
    "function": FUNCTION,
    "import alone": "from toolkit import tool\n",
    "use of tools": "from tools import f\n\nprint(f('x'))\n",
    "use of a class": "from classes import Ours\n\nOurs().run('x')\n",
    "run of a pipeline": "from toolkit import load_pipeline\n\nresult = load_pipeline('p.yaml').run('x')\n",
    "use of what is loaded": "from toolkit import load_tools\n\ntools = load_tools('tools.py')\n",
    "result": "from toolkit import ToolResult\n\nresult = ToolResult('x')\n",
    "mark of another package": f"from elsewhere import tool\n\n\n@tool\n{FUNCTION}",
    "own mark": f"def tool(f):\n    return f\n\n\n@tool\n{FUNCTION}",
    "mark in a comment": f"# from toolkit import tool\n\n\n# @tool\n{FUNCTION}",
    "mark in a text": "'''\n@tool\n'''\n",
    "for a type checker": "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from toolkit import Tool\n\n    a = Tool()\n",
    "in the main program": "from toolkit import tool\n\nif __name__ == '__main__':\n\n    @tool\n    def f(): ...\n",
    "inside a function": "def later():\n    from toolkit import tool\n\n    @tool\n    def f(): ...\n",
    "half a text tool": "class Migration:\n    name = 'a'\n\n    def execute(self, text): ...\n",
    "annotation": "from toolkit import Tool\n\n\ndef f(tool: Tool) -> None: ...\n",
    "circle": "from circle import a\n\na = a\nb = a.b\n",
    "broken": "def f(:\n",
    "deep": "x = " + "(" * 500 + ")" * 500 + "\n",
}


@pytest.fixture
def neighbours(project):
    project.write("tools.py", DEFINING["mark"])
    project.write("marks.py", "from toolkit import tool as ours\n")
    project.write(
        "classes.py",
        "from toolkit import Tool\n\n\nclass Ours(Tool): ...\n\n\nclass Half:\n    def execute(self, text): ...\n",
    )
    project.write("factories.py", "from toolkit import from_function\n\n\ndef make():\n    return from_function(len)\n")
    return project


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize("kind", DEFINING)
def test_source_that_defines_tools_is_recognised(neighbours, kind):
    assert Recogniser().defines_tools(str(neighbours.write("subject.py", DEFINING[kind])))


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize("kind", OTHER)
def test_source_that_defines_none_is_not(neighbours, kind):
    name = "circle.py" if kind == "circle" else "subject.py"
    assert not Recogniser().defines_tools(str(neighbours.write(name, OTHER[kind])))


def test_package_that_offers_tools_of_its_modules_is_recognised(project):
    project.write("shop/__init__.py", "import os\nfrom .prices import f\nfrom . import rates\n\nprint(os.name)\n")
    project.write("shop/prices.py", DEFINING["mark"])
    project.write("shop/rates.py", "")
    assert Recogniser().defines_tools(str(project.folder / "shop/__init__.py"))
    assert not Recogniser().defines_tools(str(project.folder / "shop/rates.py"))


def test_file_that_makes_tools_in_ways_nobody_sees_speaks_of_them(project):
    subject = str(project.write("subject.py", "from toolkit import tool\n\nexec('@tool\\ndef f(): ...')\n"))
    assert (Recogniser().defines_tools(subject), Recogniser().may_define_tools(subject)) == (False, True)
    subject = str(project.write("subject.py", "from toolkit import load_tools\n\nload_tools('x.py')\n"))
    assert not Recogniser().may_define_tools(subject)


def test_another_kind_of_tools_is_a_line_in_the_table(project):
    frames = SourceMarks(
        packages=("frames",),
        decorators=("frames.Server().tool", "frames.mark"),
        classes=("frames.*.Base",),
        makers=("frames.make",),
    )
    recogniser = Recogniser([OUR_MARKS, frames])
    for name, text in {
        "object": f"from frames import Server\n\nserver = Server('x')\n\n\n@server.tool()\n{FUNCTION}",
        "mark": f"from frames import mark\n\n\n@mark\n{FUNCTION}",
        "class": "import frames.classes\n\n\nclass A(frames.classes.Base): ...\n",
        "maker": "import frames as fr\n\na = fr.make(1)\n",
        "ours": DEFINING["mark"],
    }.items():
        file = str(project.write(f"{name}.py", text))
        assert recogniser.defines_tools(file), name
        assert Recogniser().defines_tools(file) == (name == "ours")


def test_every_class_of_tools_and_every_maker_of_ours_is_in_the_table():
    missing = []
    for found in pkgutil.walk_packages(toolkit.__path__, "toolkit."):
        if ".lint" in found.name or ".serving" in found.name:
            continue
        module = importlib.import_module(found.name)
        for name, thing in vars(module).items():
            if name.startswith("_") or getattr(thing, "__module__", "") != found.name:
                continue
            if (
                inspect.isclass(thing)
                and issubclass(thing, Tool)
                and not is_among(f"{found.name}.{name}", OUR_MARKS.classes)
            ):
                missing.append(f"{found.name}.{name}")
    assert missing == [
        "toolkit.agents.files.declared_agents.DeclaredAgent",  # only files make one
    ]


def test_nothing_is_run_to_decide(project):
    project.write("shop/__init__.py", "raise SystemExit\n")
    project.write("shop/inner/__init__.py", "raise SystemExit\n")
    project.write("shop/inner/prices.py", f"raise SystemExit\n{DEFINING['mark']}")
    subject = project.write("subject.py", "from shop.inner.prices import f\n")
    assert Recogniser().defines_tools(str(subject))


def test_many_names_that_lead_to_one_another_take_no_time(project):
    lines = [f"a{number} = [a{number + 1}, a{number + 1}] if a{number + 1} else a{number + 1}" for number in range(400)]
    assert not Recogniser().defines_tools(str(project.write("subject.py", "\n".join(lines))))

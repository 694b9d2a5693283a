"""How users' files are imported, and what is said where they cannot be."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import toolkit
from toolkit.sources.modules import import_file  # private


def imported(path):
    module = import_file(path)
    assert isinstance(module, ModuleType), module
    return module


# --------------------------------------------------------------------------------------------------- where files belong


def test_file_in_a_package_is_a_member_of_it(project):
    project.write("corner_shop/__init__.py", "NAME = 'corner_shop'\n")
    project.write("corner_shop/inner/__init__.py")
    project.write(
        "corner_shop/inner/rates.py", "from .. import NAME\nfrom corner_shop.inner import __name__ as parent\n"
    )
    module = imported(Path("corner_shop/inner/rates.py"))
    assert (module.__name__, module.NAME, module.parent) == (
        "corner_shop.inner.rates",
        "corner_shop",
        "corner_shop.inner",
    )
    assert imported(Path("corner_shop/__init__.py")) is sys.modules["corner_shop"]


def test_packages_above_the_root_of_the_repository_are_not_run(project):
    project.write("outer/__init__.py", "raise RuntimeError\n")
    project.write("outer/clone/__init__.py", "NAME = 'clone'\n")
    project.write("outer/clone/rates.py", "from . import NAME\n")
    (project.folder / "outer/clone/.git").mkdir()
    assert imported(Path("outer/clone/rates.py")).NAME == "clone"


@pytest.mark.skipif(os.getuid() != 0, reason="only the administrator can give files away")
def test_packages_of_other_users_above_are_not_run(project):
    os.chown(project.write("outer/__init__.py", "raise RuntimeError\n"), 65534, 65534)
    project.write("outer/greengrocer/__init__.py")
    project.write("outer/greengrocer/prices.py")
    assert imported(Path("outer/greengrocer/prices.py")).__name__ == "greengrocer.prices"


def test_file_sees_its_neighbours(project):
    project.write("tools/rates.py", "RATE = 2\n")
    project.write("tools/prices.py", "import rates\n")
    assert imported(Path("tools/prices.py")).rates.RATE == 2


def test_file_written_after_its_folder_was_listed_is_found(project):
    for at in range(1, 4):
        project.write(f"later_{at}.py", "VALUE = 1\n")
        user = project.write(f"user_{at}.py", f"from later_{at} import VALUE\n")
        os.utime(project.folder, (at, at))  # long ago, and not when it was listed before
        assert imported(user).VALUE == 1
        project.write(f"soon_{at}.py", "VALUE = 2\n")
        assert imported(project.write(f"next_{at}.py", f"from soon_{at} import VALUE\n")).VALUE == 2


def test_same_file_is_run_once(project):
    project.write("counted.py", "import os\nos.environ['RUNS'] = os.environ.get('RUNS', '') + 'x'\n")
    project.write("user.py", "import counted\n")
    project.folder.joinpath("link.py").symlink_to("counted.py")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("RUNS", "")
        first = imported(Path("counted.py"))
        assert imported(project.folder / "counted.py") is first
        assert imported(Path("link.py")) is first
        assert imported(Path("user.py")).counted is first
        assert first.os.environ["RUNS"] == "x"


def test_file_named_like_an_installed_package_hides_it_from_nobody(project):
    project.write("json.py", "VALUE = 1\n")
    project.write("yaml.py", "VALUE = 2\n")
    assert imported(Path("json.py")).VALUE == 1
    assert imported(Path("yaml.py")).VALUE == 2
    assert importlib.import_module("json") is json
    assert hasattr(importlib.import_module("yaml"), "SafeLoader")


@pytest.mark.proof
def test_late_imports_of_the_library_are_not_hidden_by_users_files(project):
    project.tool("tools.py", "forecast")
    project.write("yaml.py", "raise RuntimeError\n")
    project.write("questionary.py", "raise RuntimeError\n")
    program = (
        "from toolkit.sources.opening import open_targets; from toolkit.settings.configuration import Configuration; "
        "print(list(open_targets(['tools.py'], Configuration()).tools)); import yaml, questionary; print(yaml.__name__)"
    )
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "['forecast']\nyaml\n"


def test_library_stays_the_same_where_its_own_folder_is_worked_in(project):
    project.tool("tools.py", "forecast")
    project.write("toolkit.toml", "")
    program = (
        "import sys, toolkit.events; from toolkit.sources.modules import import_named, imported_afresh, users_modules; "
        "from toolkit.sources.opening import open_targets; from toolkit.settings.configuration import Configuration; "
        f"from pathlib import Path; events = toolkit.events; import_named('bench', Path({OURS!r}).parent, is_permitted=True); "
        "print(list(open_targets(['tools.py'], Configuration()).tools), 'toolkit' in users_modules())\n"
        "with imported_afresh(): pass\n"
        "print(sys.modules['toolkit.events'] is events)"
    )
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "['forecast'] False\nTrue\n"


def test_files_of_one_name_in_two_folders_are_two_modules(project):
    for folder in ("a", "b"):
        project.write(f"{folder}/helpers.py", f"PLACE = '{folder}'\n")
        project.write(f"{folder}/tools.py", "from helpers import PLACE\n")
    assert [imported(Path(folder, "tools.py")).PLACE for folder in ("a", "b", "a")] == ["a", "b", "a"]


def test_files_of_folders_in_turn_see_their_own_neighbours(project):
    for folder in ("a", "b"):
        project.write(f"{folder}/helpers.py", f"PLACE = '{folder}'\n")
        os.utime(project.folder / folder, (1, 1))  # its listing is kept
    for at in range(3):
        for folder in ("a", "b"):
            file = project.write(f"{folder}/tools_{at}.py", "import helpers\nPLACE = helpers.PLACE\n")
            os.utime(project.folder / folder, (at + 2, at + 2))
            assert folder == imported(file).PLACE


def test_packages_of_one_name_in_two_folders_are_two_packages(project):
    for folder in ("a", "b"):
        project.write(f"{folder}/shop/__init__.py", f"PLACE = '{folder}'\n")
        project.write(f"{folder}/shop/tools.py", "from . import PLACE\n")
    assert [imported(Path(folder, "shop/tools.py")).PLACE for folder in ("a", "b")] == ["a", "b"]


def test_folders_of_one_name_without_an_init_are_two_packages(project):
    for folder in ("a", "b"):
        project.write(f"{folder}/parts/place.py", f"PLACE = '{folder}'\n")
        project.write(f"{folder}/tools.py", "from parts.place import PLACE\n")
    assert [imported(Path(folder, "tools.py")).PLACE for folder in ("a", "b")] == ["a", "b"]


def test_file_whose_name_is_no_identifier_can_be_imported(project):
    project.write("my-tools.v2.py", "VALUE = 1\n")
    assert imported(Path("my-tools.v2.py")).VALUE == 1


def test_scripts_guard_keeps_the_script_from_running(project):
    project.write("script.py", "VALUE = 1\nif __name__ == '__main__':\n    raise SystemExit\n")
    assert imported(Path("script.py")).VALUE == 1


def test_file_named_like_an_installed_package_is_one_problem_when_it_fails(project):
    project.write("json.py", "raise RuntimeError('no')\n")
    for _ in range(2):
        assert project.problems("json.py") == [
            f"json.py:1:1: error[TK002]: 'json.py' cannot be imported: RuntimeError: no ({WORK})"
        ]


def test_file_beside_a_package_of_its_name_is_the_one_that_was_named(project):
    project.write("shop.py", "WHICH = 'file'\n")
    project.write("shop/__init__.py", "WHICH = 'package'\n")
    assert [imported(Path(name)).WHICH for name in ("shop.py", "shop/__init__.py", "shop.py")] == [
        "file",
        "package",
        "file",
    ]


def test_module_that_fails_is_one_problem_with_its_place(project):
    project.write("shop/__init__.py")
    project.write("shop/prices.py", "from toolkit import tool\n1 / 0\n")
    assert project.problems("shop.prices", "shop.prices:price") == [
        f"shop/prices.py:2:1: error[TK002]: 'shop.prices' cannot be imported: ZeroDivisionError: division by zero ({WORK})"
    ]


def test_module_whose_package_fails_is_one_problem_with_its_place(project):
    project.write("shop/__init__.py", "import jsno\n")
    project.tool("shop/prices.py", "price")
    assert project.problems("shop.prices") == [
        (
            "shop/__init__.py:1:1: error[TK002]: 'shop.prices' cannot be imported: ModuleNotFoundError: No module named 'jsno' "
            "(did you mean 'json', or is it not installed?)"
        )
    ]


@pytest.mark.parametrize("module", ["nowhere.prices", "json.prices", "json.decoder.prices", "os.path.join"])
def test_module_that_does_not_exist_is_not_found(project, module):
    assert [problem.code for problem in project.open(f"{module}:price").problems] == ["TK001"]


def test_module_that_is_running_already_is_found(project):
    assert [problem.code for problem in project.open("__main__:nothing_of_this_name").problems] == ["TK001"]


# ----------------------------------------------------------------------------------------------- users' own toolkit/, cli/


def test_users_own_cli_folder_works(project):
    project.write("cli/__init__.py")
    project.write("cli/words.py", "WORD = 'mine'\n")
    project.tool("cli/tools.py", "shout", before="from cli.words import WORD")
    project.tool("tools.py", "whisper", before="from cli.words import WORD")
    assert project.problems("cli/tools.py", "tools.py") == []


def test_users_own_toolkit_folder_does_not_disturb_his_tools(project):
    project.write("toolkit/__init__.py")
    project.write("toolkit/mine.py", "WORD = 'mine'\n")
    project.tool("toolkit/tools.py", "shout", before="from .mine import WORD")
    project.tool("tools.py", "whisper")
    opened = project.open("tools.py", "toolkit/tools.py")
    assert [str(problem) for problem in opened.problems] == []
    assert list(opened.tools) == ["whisper", "shout"]


OURS = str(Path(toolkit.__file__).parent)


@pytest.mark.parametrize(
    ("statement", "place"),
    [
        ("from toolkit.mine import WORD", "1:1"),
        ("import toolkit.mine", "1:1"),
        ("from toolkit import mine", "1:1"),
        ("import toolkit; toolkit.mine", "1:17"),
    ],
)
def test_import_from_the_users_own_toolkit_folder_names_both_and_the_hint(project, statement, place):
    project.write("toolkit/__init__.py")
    project.write("toolkit/mine.py", "WORD = 'mine'\n")
    project.write("tools.py", f"{statement}\n")
    (problem,) = project.open("tools.py").problems
    assert str(problem) == (
        f"tools.py:{place}: error[TK006]: 'toolkit.mine' is looked for in the installed package 'toolkit', which hides "
        f"your own 'toolkit' (rename '{project.folder}/toolkit'; inside it, relative imports "
        "(`from .mine import …`) work too)"
    )
    assert [(str(place), what) for place, what in problem.related] == [
        ("toolkit", "yours, hidden"),
        (OURS, "the installed package"),
    ]


def test_module_of_the_users_own_toolkit_folder_is_reported_as_hidden(project):
    project.write("toolkit/mine.py", "WORD = 'mine'\n")
    assert [problem.code for problem in project.open("toolkit.mine").problems] == ["TK006"]


def test_misspelt_name_of_the_library_is_not_blamed_on_the_users_folder(project):
    project.write("toolkit/__init__.py")
    project.write("tools.py", "from toolkit import tol\n")
    assert project.problems("tools.py") == [
        (
            "tools.py:1:1: error[TK002]: 'tools.py' cannot be imported: ImportError: cannot import name 'tol' from 'toolkit' "
            "(did you mean 'tool' or 'toolbox'?)"
        )
    ]


# ------------------------------------------------------------------------------------------------ files that do not import

WORK = "this runs whenever the module is imported; move code that can fail into a tool"
SYNTAX = (
    "check this line and the one before it; if the file needs a newer Python than "
    f"{sys.version_info[0]}.{sys.version_info[1]}, install toolkit for that version"
)
GUARD = "move what a script does under `if __name__ == '__main__':`"

BAD_FILES = [
    ("def f(:\n", "1:7", "cannot be imported: SyntaxError: invalid syntax", SYNTAX),
    ("def f():\nreturn\n", "2:1", ("cannot be imported: IndentationError: expected an indented block after function "
     "definition on line 1"), SYNTAX),
    ("return 1\n", "1:1", "cannot be imported: SyntaxError: 'return' outside function", SYNTAX),
    ("# coding: nothing\n", "1", "cannot be imported: SyntaxError: unknown encoding: nothing", SYNTAX),
    ("x = 1\ny = '\0'\n", "2:6", "cannot be imported: SyntaxError: source code string cannot contain null bytes",
     "save it as UTF-8 text"),
    ("import jsno\n", "1:1", "cannot be imported: ModuleNotFoundError: No module named 'jsno'",
     "did you mean 'json', or is it not installed?"),
    ("import qqqqqqqq\n", "1:1", "cannot be imported: ModuleNotFoundError: No module named 'qqqqqqqq'",
     f"install it into {sys.prefix}"),
    ("import json.decodr\n", "1:1", "cannot be imported: ModuleNotFoundError: No module named 'json.decodr'",
     "did you mean 'decoder' or 'encoder'?"),
    ("from json import lods\n", "1:1", "cannot be imported: ImportError: cannot import name 'lods' from 'json'",
     "did you mean 'loads' or 'load' or 'codecs'?"),
    ("import os\nos.getcw()\n", "2:1", "cannot be imported: AttributeError: module 'os' has no attribute 'getcw'",
     "did you mean 'getcwd' or 'getcwdb'?"),
    ("prnt('x')\n", "1:1", "cannot be imported: NameError: name 'prnt' is not defined", "did you mean 'print'?"),
    ("qqqqqqqq\n", "1:1", "cannot be imported: NameError: name 'qqqqqqqq' is not defined", "define it or import it first"),
    ("é = 'é'; ü = 1 / 0\n", "1:14", "cannot be imported: ZeroDivisionError: division by zero", WORK),
    ("raise AssertionError('no')\n", "1:1", "cannot be imported: AssertionError: no", WORK),
    ("def f():\n    return 1 / 0\n\nf()\n", "2:12", "cannot be imported: ZeroDivisionError: division by zero", WORK),
    ("import json\njson.loads('{')\n", "2:1", ("cannot be imported: JSONDecodeError: Expecting property name enclosed in "
     "double quotes: line 1 column 2 (char 1)"), WORK),
    ("import sys\nsys.exit(3)\n", "2:1", "ends the program while it is imported: SystemExit: 3", GUARD),
    ("raise SystemExit\n", "1:1", "ends the program while it is imported: SystemExit", GUARD),
    ("class Odd(BaseException): pass\nraise Odd('a\\nb')\n", "2:1", "cannot be imported: Odd: a b", WORK),
    ("class Mute(Exception):\n    def __str__(self): raise self\nraise Mute\n", "3:1", "cannot be imported: Mute", WORK),
    ("def f(): f()\nf()\n", "1:10", "cannot be imported: RecursionError: maximum recursion depth exceeded", WORK),
    ("raise ValueError('x' * 1000)\n", "1:1", f"cannot be imported: ValueError: {'x' * 300}…", WORK),
    ("import sys\nsys.path.clear()\nraise KeyError('a')\n", "3:1", "cannot be imported: KeyError: 'a'", WORK),
]  # fmt: skip


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(("text", "place", "message", "hint"), BAD_FILES)
def test_file_that_does_not_import_is_one_problem_with_its_place_and_a_hint(project, text, place, message, hint):
    project.write("tools.py", text)
    assert project.problems("tools.py") == [f"tools.py:{place}: error[TK002]: 'tools.py' {message} ({hint})"]


def test_failing_neighbour_is_blamed_at_its_own_place(project):
    project.write("rates.py", "# rates\nRATE = 1 / 0\n")
    project.write("tools.py", "import rates\n")
    assert project.problems("tools.py") == [
        f"rates.py:2:8: error[TK002]: 'tools.py' cannot be imported: ZeroDivisionError: division by zero ({WORK})"
    ]


def test_modules_that_import_each_other_are_told_so(project):
    project.write("a.py", "from b import y\nx = 1\n")
    project.write("b.py", "from a import x\ny = 1\n")
    (problem,) = project.open("a.py").problems
    assert (str(problem.location), problem.hint) == (
        "b.py:1:1",
        "two modules import each other; move what both need into a third",
    )


def test_problems_that_a_module_raises_are_its_problems(project):
    project.write(
        "tools.py",
        """
        from toolkit import resolve_tools

        TOOLS = resolve_tools([3])
        """,
    )
    (problem,) = project.open("tools.py").problems
    assert (problem.code, str(problem.location)) == ("TK003", "tools.py:3:9")


def test_failed_file_can_be_imported_once_it_is_mended(project):
    project.write("tools.py", "raise RuntimeError\n")
    assert [problem.code for problem in project.open("tools.py").problems] == ["TK002"]
    project.tool("tools.py", "forecast")
    assert list(project.open("tools.py").tools) == ["forecast"]


def test_interrupt_while_importing_passes(project):
    project.write("tools.py", "raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        project.open("tools.py")


def test_local_values_are_in_no_problem(project):
    project.write("tools.py", "def f(token):\n    raise ValueError\n\nf('hunter2')\n")
    assert "hunter2" not in repr(project.open("tools.py"))


def test_unreadable_file_is_one_problem(project):
    project.write("tools.py").chmod(0)
    try:
        project.folder.joinpath("tools.py").read_bytes()
    except PermissionError:
        (problem,) = project.problems("tools.py")
        assert problem.startswith("tools.py: error[TK002]: 'tools.py' cannot be imported: PermissionError:")
    else:
        pytest.skip("nothing is unreadable for this user")

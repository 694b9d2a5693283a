"""What a user's own tool raises is told with its class and its line, and never with a traceback of ours."""

import json

import pytest

TOOLS = '''
from toolkit import tool


class Base(BaseException):
    pass


class Odd(Exception):
    def __str__(self):
        raise RuntimeError("no words")


@tool
def check(number: int = 1) -> str:
    """Checks."""
    assert number > 5
    return "ok"


@tool
def value() -> str:
    """Fails."""
    raise ValueError("bad value")


@tool
def base() -> str:
    """Fails."""
    raise Base("of its own")


@tool
def odd() -> str:
    """Fails."""
    raise Odd()


@tool
def generator() -> str:
    """Fails."""
    raise GeneratorExit


@tool
def todo() -> str:
    """Fails."""
    raise NotImplementedError


@tool
def secret(password: str) -> str:
    """Fails."""
    raise ValueError(f"wrong: {password}")
'''


@pytest.fixture
def tools(project):
    file = project / "tools.py"
    file.write_text(TOOLS.lstrip())
    return file


def drawn(message, line, source, column):
    return (
        f"error: {message}\n  --> tools.py:{line}:{column}\n   |\n{line} |     {source}\n"
        f"   |     {'^' * len(source)}\n   |\n"
    )


@pytest.mark.parametrize(
    ("name", "message", "line", "source"),
    [
        ("value", "ValueError: bad value", 23, 'raise ValueError("bad value")'),
        ("base", "Base: of its own", 29, 'raise Base("of its own")'),
        ("odd", "Odd", 35, "raise Odd()"),
        ("todo", "NotImplementedError", 47, "raise NotImplementedError"),
    ],
)
def test_the_class_and_the_line_are_named(program, tools, name, message, line, source):
    done = program("run", f"tools.py:{name}")
    assert (done.stdout, done.stderr, done.returncode) == ("", drawn(message, line, source, 5), 1)


def test_an_assertion_is_shown_by_its_line(program, tools):
    done = program("run", "tools.py:check", "number=2")
    assert done.returncode == 1
    assert done.stderr == (
        "error: AssertionError\n  --> tools.py:16:12\n   |\n16 |     assert number > 5\n   |            ^^^^^^^^^^\n   |\n"
    )


def test_an_exception_that_closes_generators_is_the_tools_too(program, tools):
    done = program("run", "tools.py:generator")
    assert (done.stderr, done.returncode) == ("error: GeneratorExit\n", 1)


@pytest.mark.parametrize("option", ["--debug", "-vv"])
def test_the_traceback_is_shown_on_demand(program, tools, option):
    done = program("run", "tools.py:value", option)
    assert done.returncode == 1
    assert done.stderr.startswith(
        "debug toolkit.tools.value: value raised\n"
        "  Traceback (most recent call last):\n"
        f'    File "{tools}", line 23, in value\n'
        '      raise ValueError("bad value")\n'
        "  ValueError: bad value\n"
        "warning toolkit.tools.value: "
    )


def test_a_traceback_has_no_secret_in_it_and_keeps_its_lines(program, tools):
    done = program("run", "tools.py:secret", "password=hunter2secret", "--debug")
    assert "hunter2secret" not in done.stderr
    assert "  Traceback (most recent call last):\n    File " in done.stderr


def test_programs_get_the_class_and_the_place(program, tools):
    done = program("run", "tools.py:value", "--format", "json")
    [problem] = json.loads(done.stderr)["problems"]
    assert problem["message"] == "ValueError: bad value"
    assert (problem["location"]["file"], problem["location"]["line"]) == ("tools.py", 23)


def test_a_step_names_the_class_and_the_line(program, tools):
    (tools.parent / "p.yaml").write_text(
        "toolkit: 1\ntools: [tools.py]\ninputs: {}\nsteps:\n  - for_each: ${{ [1, 2] }}\n    use: check\n"
        '    with: {number: "${{ item }}"}\n'
    )
    done = program("run", "p.yaml")
    assert "error: item 1 of 2: AssertionError\n  --> tools.py:16:12\n" in done.stderr
    assert "Traceback" not in done.stderr

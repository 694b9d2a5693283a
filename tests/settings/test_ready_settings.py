"""What a project's configuration says of the ready tools is what they keep to; every fault is told with its place."""

from toolkit.builtin import ready_tools
from toolkit.settings import ReadySettings, find_configuration


def test_options_of_a_ready_tool_hold_wherever_it_is_named(project):
    project.write("docs/long.txt", "12345678901")
    project.write("docs/short.txt", "here")
    project.write("toolkit.toml", "[builtin.file_read]\nbase = 'docs'\nmax_bytes = 10\n")
    tool = project.open("file_read", configuration=project.configured()).tools["file_read"]
    assert tool.run({"path": "short.txt"}).output == "here"
    assert tool.run({"path": "long.txt"}).error == "File too large: 11 bytes, at most 10"


def test_relative_paths_start_from_the_file(project, monkeypatch):
    project.write("docs/note.txt", "here")
    project.write("pyproject.toml", "[tool.toolkit.builtin.file_read]\nbase = 'docs'\n")
    (project.folder / "deep").mkdir()
    monkeypatch.chdir("deep")
    configuration, _ = find_configuration()
    opened = project.open("builtin", configuration=configuration)
    assert opened.tools["file_read"].run({"path": "note.txt"}).output == "here"


def test_a_name_of_ones_own_is_one_more_tool_of_a_kind(project):
    project.write("a/note.txt", "in a")
    project.write("b/note.txt", "in b")
    project.write(
        "toolkit.toml",
        """
        [builtin.file_read]
        base = "a"

        [builtin.read_b]
        kind = "file_read"
        base = "b"
        """,
    )
    configuration = project.configured()
    assert configuration.builtin["read_b"] == ReadySettings("file_read", {"base": project.folder / "b"})
    tools = project.open("builtin", configuration=configuration).tools
    assert [tools[name].run({"path": "note.txt"}).output for name in ("file_read", "read_b")] == ["in a", "in b"]
    assert (tools["read_b"].name, tools["read_b"].spec.source) == (
        "read_b",
        str(project.folder / "toolkit.toml"),
    )
    assert list(project.open("read_b", configuration=configuration).tools) == ["read_b"]
    assert project.problems("read_bb", configuration=configuration) == [
        "error[TK001]: nothing is named 'read_bb' (did you mean 'read_b'?)"
    ]


def test_a_tool_that_is_told_to_ask_asks(project):
    project.write("toolkit.toml", "[builtin.file_write]\nrequires_approval = true\n")
    tool = project.open("file_write", configuration=project.configured()).tools["file_write"]
    assert tool.spec.requires_approval


WRONG = """
builtin.calculator = 5

[builtin.file_raed]
base = "docs"

[builtin.file_write]
bse = "docs"
max_bytes = "1000"
requires_approval = 1

[builtin.mine]
base = "docs"

[builtin."my.own"]
kind = "file_reed"

[builtin.human_input]
timeout = 30

[builtin.other]
kind = 3
"""


def test_everything_wrong_is_told_at_once_with_its_place_and_hint(project):
    project.write("toolkit.toml", WRONG)
    _, problems = find_configuration(project.folder, {})
    assert [str(problem).removeprefix(f"{project.folder}/") for problem in problems] == [
        "toolkit.toml:1:1: error[TK005]: 'builtin.calculator' must be a table (write [builtin.calculator])",
        "toolkit.toml:3:2: error[TK005]: unknown ready tool 'builtin.file_raed' (did you mean 'file_read' or 'file_write'?)",
        "toolkit.toml:7:1: error[TK005]: unknown option 'builtin.file_write.bse' (did you mean 'base'?)",
        "toolkit.toml:8:1: error[TK005]: 'builtin.file_write.max_bytes' must be a whole number above zero (write max_bytes = 1000)",
        "toolkit.toml:9:1: error[TK005]: 'builtin.file_write.requires_approval' must be true or false (write requires_approval = true)",
        "toolkit.toml:11:2: error[TK005]: unknown ready tool 'builtin.mine' (to use your own name, set the ready tool: kind = 'calculator')",
        "toolkit.toml:14:2: error[TK005]: invalid tool name 'my.own': only letters, digits, underscores and hyphens are allowed (call it 'my_own')",
        "toolkit.toml:15:1: error[TK005]: 'builtin.my.own.kind' must be the name of a ready tool (did you mean 'file_read' or 'file_write'?)",
        "toolkit.toml:18:1: error[TK005]: 'builtin.human_input.timeout' must be a duration such as '500ms', '30s' or '5m', above zero and at most 720h (write '30s' for seconds)",
        f"toolkit.toml:21:1: error[TK005]: 'builtin.other.kind' must be the name of a ready tool (ready tools: {', '.join(map(repr, ready_tools()))})",
    ]


def test_tables_must_be_in_a_table(project):
    project.write("toolkit.toml", "builtin = ['file_read']\n")
    _, problems = find_configuration(project.folder, {})
    assert [(problem.message, problem.hint) for problem in problems] == [
        ("'builtin' must be a table", "write builtin = { file_read = { base = 'docs' } }")
    ]


def test_a_configured_tool_that_cannot_work_is_a_fault_of_the_configuration(project):
    project.write("toolkit.toml", "[builtin.file_read]\nbase = 'nowhere'\n")
    configuration = project.configured()
    assert project.problems("file_read", configuration=configuration) == [
        f"toolkit.toml:1:2: error[TK005]: the ready tool 'file_read' cannot be used with its configuration: the base directory '{project.folder}/nowhere' does not exist"
    ]
    opened = project.open("builtin", configuration=configuration)
    assert ("file_read" in opened.tools, "calculator" in opened.tools) == (False, True)
    assert [problem.code for problem in opened.problems if problem.severity == "error"] == ["TK005"]


def test_ready_tools_that_nobody_configured_are_not_imported_by_reading(project):
    import subprocess
    import sys

    project.write("toolkit.toml", "[builtin.calculator]\n")
    program = (
        "import sys; from toolkit.settings import find_configuration; print(find_configuration()[1]); "
        "print(sorted(name for name in sys.modules if name.startswith('toolkit.builtin.')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == ("[]\n['toolkit.builtin.calculator', 'toolkit.builtin.catalog', 'toolkit.builtin.options']\n")

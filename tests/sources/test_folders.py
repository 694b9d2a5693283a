"""Which files of a folder are looked at."""

import pytest

from toolkit import InvalidTools, load_tools
from toolkit.sources.targets import tool_files  # private


def files(project, folder="."):
    return [str(path) for path in tool_files(project.folder / folder)]


def relative(project, folder="."):
    root = f"{project.folder}/"
    return [name.removeprefix(root) for name in files(project, folder)]


def test_python_files_and_pipelines_are_found_in_order(project):
    for name in ("b.py", "a.py", "deep/er/c.py"):
        project.write(name)
    project.write("p.yaml", "steps: []\n")
    project.write("q.yml", "toolkit: 1\nname: q\n")
    assert relative(project) == ["a.py", "b.py", "deep/er/c.py", "p.yaml", "q.yml"]


def test_what_is_not_the_projects_own_is_left_out(project):
    project.write("kept.py")
    for name in (
        ".hidden.py",
        ".hidden/a.py",
        "__pycache__/a.py",
        "node_modules/a.py",
        "venv/lib/a.py",
        "lib/site-packages/a.py",
        "test_tools.py",
        "tools_test.py",
        "conftest.py",
        "setup.py",
        "notes.txt",
    ):
        project.write(name)
    project.write("venv/pyvenv.cfg")
    assert relative(project) == ["kept.py"]


def test_project_in_the_folder_of_a_virtual_environment_is_looked_at_without_the_environment(project):
    for name in (
        "tools.py",
        "shop/a.py",
        "scripts/run.py",
        "src/b.py",
        "bin/activate_this.py",
        "lib/python3.13/site-packages/b.py",
        "Lib/c.py",
    ):
        project.write(name)
    for name in (
        "plugins/one/pyvenv.cfg",
        "plugins/one/tools.py",
        "plugins/one/Scripts/d.py",
        "plugins/one/src/e.py",
        "pyvenv.cfg",
    ):
        project.write(name)
    assert relative(project) == [
        "plugins/one/tools.py",
        "scripts/run.py",
        "shop/a.py",
        "src/b.py",
        "tools.py",
    ]


def test_program_of_a_package_that_runs_when_it_is_imported_is_only_read(project):
    project.write("package/__init__.py", "")
    project.write(
        "package/__main__.py", "from toolkit import tool\n\n\n@tool\ndef find(): ...\n\n\nraise SystemExit(9)\n"
    )
    assert relative(project) == ["package/__init__.py", "package/__main__.py"]
    with pytest.raises(InvalidTools, match="no tools were found"):
        load_tools(str(project.folder))
    project.write(
        "package/__main__.py",
        "from toolkit import tool\n\n\n@tool\ndef find(): ...\n\n\nif __name__ == '__main__':\n    raise SystemExit(9)\n",
    )
    assert [*load_tools(str(project.folder))] == ["find"]


def test_python_files_of_tests_are_left_out_unless_their_folder_is_named(project):
    for name in (
        "tools.py",
        "tests/helpers.py",
        "shop/integration_tests/deep/server.py",
        "shop/test/part.py",
        "shop/latest/a.py",
    ):
        project.write(name, "")
    project.write("tests/pipeline.yaml", "steps: []\n")
    assert relative(project) == ["shop/latest/a.py", "tests/pipeline.yaml", "tools.py"]
    assert relative(project, "tests") == ["tests/helpers.py", "tests/pipeline.yaml"]


def test_yaml_of_another_kind_is_left_out(project):
    project.write("compose.yaml", "services:\n  steps: 1\n")
    project.write("action.yml", "runs:\n  steps: []\n")
    project.write("list.yaml", "- steps\n")
    project.write("empty.yaml")
    assert relative(project) == []


@pytest.mark.parametrize(
    ("text", "is_ours"),
    [
        ("agent: simple\n", True),
        ("agent: 'state machine'\n", True),
        ("\ufeffagent: playbook\n", True),
        ("agent: simpel\n", True),
        ("agent: researcher\ntools: [search]\n", True),
        ("agent: claude\ntoolkit: 1\n", True),
        ("agent: researcher\ninstrutcions: Search.\n", True),
        ("agent: researcher\ntools: [search]\nkits: [./cli]\n", False),
        ("agent: claude\nkits: [./cli]\n", False),
        ("name: x\nagent: claude\ndescription: y\n", False),
        ("agent:\n  name: claude\ntools: []\n", False),
    ],
)
def test_agent_file_has_a_kind_or_other_keys_of_agents(project, text, is_ours):
    project.write("clerk.yaml", text)
    assert relative(project) == (["clerk.yaml"] if is_ours else [])


def test_pipeline_with_broken_yaml_is_one_still(project):
    project.write("broken.yaml", "name: x\nsteps: [\n")
    project.write("quoted.yaml", '"steps" : [a]\n')
    project.write("marked.yaml", "\ufeffsteps: [a]\n")
    assert relative(project) == ["broken.yaml", "marked.yaml", "quoted.yaml"]


def test_file_that_two_names_lead_to_is_looked_at_once(project):
    project.write("a.py")
    (project.folder / "b.py").symlink_to("a.py")
    (project.folder / "loop").symlink_to(".")
    assert relative(project) == ["a.py"]

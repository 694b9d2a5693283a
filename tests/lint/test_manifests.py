"""Manifests are validated by their published schemas, compared with the code, and never read as tools."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

SERVER = {
    "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    "name": "io.github.harbour/weather",
    "description": "Says how the weather will be.",
    "version": "1.0.0",
    "tools": [{"name": "get_forecast", "inputSchema": {"type": "object"}}],
}
BUNDLE = {
    "manifest_version": "0.3",
    "name": "weather",
    "version": "1.0.0",
    "description": "Says how the weather will be.",
    "author": {"name": "Harbour"},
    "server": {"type": "node", "entry_point": "server.js", "mcp_config": {"command": "node"}},
    "tools": [{"name": "get_forecast", "description": "Returns the forecast."}],
}
PLUGIN = {"name": "weather", "tools": [{"name": "get_forecast", "description": "Returns the forecast."}]}


@pytest.fixture
def invoke(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments, **options):
        result = CliRunner().invoke(application(), arguments, **options)
        return result.exit_code, result.stdout, result.stderr

    return run


def write(place, data):
    Path(place).parent.mkdir(parents=True, exist_ok=True)
    Path(place).write_text(data if isinstance(data, str) else json.dumps(data), "utf-8")


MANIFESTS = {"server.json": SERVER, "manifest.json": BUNDLE, ".claude-plugin/plugin.json": PLUGIN}


@pytest.mark.parametrize("name", MANIFESTS)
def test_manifest_is_not_a_list_of_tools(invoke, name):
    write(name, MANIFESTS[name])
    named, whole = invoke("lint", name, "--no-cache"), invoke("lint", ".", "--no-cache")
    assert named == whole == (0, "All checks passed! (no tools)\n", "")
    code, out, told = invoke("schema", name)
    assert (code != 0, out, "get_forecast" in told) == (True, "", False)


@pytest.mark.parametrize("name", MANIFESTS)
def test_other_files_with_these_names_are_what_they_are(invoke, name):
    definitions = [{"name": "get_forecast", "description": "Return the forecast of the day.", "parameters": {}}]
    place = "plugin.json" if "/" in name else name
    write(place, definitions)
    assert "1 tool in 1 file" in invoke("lint", place, "--no-cache", "--exit-zero")[1]
    write(place, {"manifest_version": 3, "port": 80})
    assert invoke("lint", ".", "--no-cache")[1].endswith("(no tools)\n")


def test_broken_manifest_says_where(invoke):
    write(".claude-plugin/plugin.json", '{"name": "weather",}')
    assert invoke("lint", ".", "--format", "concise", "--quiet") == (
        1,
        ".claude-plugin/plugin.json:1:20: error[TK601] the JSON is broken: a key in double quotes is expected\n",
        "",
    )


@pytest.mark.parametrize(
    "version", ["2025-07-09", "2025-09-16", "2025-09-29", "2025-10-11", "2025-10-17", "2025-12-11"]
)
def test_each_published_version_of_the_schema_is_used(invoke, version):
    schema = f"https://static.modelcontextprotocol.io/schemas/{version}/server.schema.json"
    write("server.json", {**SERVER, "$schema": schema, "description": "d" * 101})
    code, out, _ = invoke("lint", "server.json", "--format", "concise", "--quiet")
    assert (code, "error[TK651] 'description' string should have at most 100 characters" in out) == (1, True)


def test_newer_version_of_the_schema_is_not_used(invoke):
    schema = "https://static.modelcontextprotocol.io/schemas/2031-01-01/server.schema.json"
    write("server.json", {"$schema": schema, "name": 1})
    assert invoke("lint", "server.json")[:2] == (0, "All checks passed! (no tools)\n")


def test_manifest_is_checked_as_it_is_written_in_an_editor(invoke):
    text = json.dumps({**SERVER, "name": "weather"})
    code, out, _ = invoke("lint", "-", "--stdin-filename", "server.json", "--format", "concise", "--quiet", input=text)
    assert (code, out[:45]) == (1, "server.json:1:101: error[TK651] 'name' string")


def test_bundle_without_a_project_file_has_its_code_beside_it(invoke):
    server = {"type": "python", "entry_point": "main.py"}
    write("manifest.json", BUNDLE | {"server": server | {"mcp_config": {"command": "python", "env": {"KEYS": "x"}}}})
    write("main.py", 'import os\n\nKEY = os.environ["KEY"]\n')
    assert invoke("lint", "manifest.json", "--no-cache", "--select", "TK653", "--format", "concise") == (
        0,
        (
            "manifest.json:1:238: warning[TK653] the code needs the environment variable 'KEY', which the manifest does not declare\n"
            "manifest.json:1:246: warning[TK653] no code of the project reads the environment variable 'KEYS'\n"
            "Found 2 warnings in 1 file. (no tools)\n"
        ),
        "",
    )


def test_union_names_what_is_wrong_with_the_form_that_is_meant(invoke):
    write(".claude-plugin/plugin.json", {"name": "weather", "skills": ["skills/a"], "hooks": {"SessionStart": "a.py"}})
    code, out, _ = invoke("lint", ".", "--no-cache", "--format", "concise")
    place = ".claude-plugin/plugin.json:1"
    pattern = r"string should match pattern '^\.\/.*'"
    assert (code, out.splitlines()[:-1]) == (
        0,
        [
            f"{place}:32: warning[TK651] 'skills[0]' {pattern}, not \"skills/a\"",
            f"{place}:71: warning[TK651] 'hooks.SessionStart' should be a valid list, not \"a.py\"",
        ],
    )


def test_union_of_objects_with_a_kind_names_what_is_wrong_with_that_kind(invoke):
    transport = {"type": "sse", "args": ["--http"]}
    package = {"registryType": "npm", "identifier": "weather", "version": "1.0.0", "transport": transport}
    write("server.json", {key: value for key, value in SERVER.items() if key != "tools"} | {"packages": [package]})
    found = json.loads(invoke("lint", ".", "--no-cache", "--select", "TK651", "--format", "json")[1])
    assert [one["message"] for one in found] == ["'packages[0].transport.url' is missing"]


def test_path_in_a_list_that_lacks_its_start_is_named(invoke):
    write(".claude-plugin/plugin.json", {"name": "weather", "commands": ["commands/a.md"]})
    _, out, _ = invoke("lint", ".", "--no-cache", "--format", "concise")
    message = "warning[TK651] 'commands[0]' string should match pattern '^\\.\\/.*', not \"commands/a.md\""
    assert out.splitlines()[:-1] == [f".claude-plugin/plugin.json:1:34: {message}"]


def test_name_in_a_sentence_and_a_version_in_development_are_no_mismatch(invoke):
    package = {"registryType": "pypi", "identifier": "weather", "version": "1.0.0", "transport": {"type": "stdio"}}
    write("server.json", {key: value for key, value in SERVER.items() if key != "tools"} | {"packages": [package]})
    write("pyproject.toml", '[project]\nname = "weather"\nversion = "1.1.0.dev2"\nreadme = "README.md"\n')
    write("README.md", "The marker of the registry is `mcp-name: io.github.harbour/weather`.\n")
    code, out, _ = invoke("lint", ".", "--no-cache", "--format", "concise")
    assert (code, out) == (0, "All checks passed! (no tools)\n")


@pytest.mark.parametrize("script", [".github/workflows/release.yml", "scripts/bundle.py", "Makefile"])
def test_entry_point_that_a_script_of_the_project_writes_is_not_missing(invoke, script):
    server = {"type": "python", "entry_point": "server/main.py", "mcp_config": {"command": "python"}}
    write("manifest.json", {**BUNDLE, "server": server})
    missing = invoke("lint", "manifest.json", "--no-cache", "--select", "TK652", "--format", "concise", "--quiet")[1]
    assert missing.endswith("warning[TK652] there is no file 'server/main.py'\n")
    write(script, "cp main.py build/server/main.pyc")
    assert invoke("lint", "manifest.json", "--no-cache", "--select", "TK652", "--format", "concise", "--quiet")[1]
    for text in ("cp main.py build/server/main.py", "mkdir mcpb-build/server; cp -r code/* mcpb-build/server/"):
        write(script, text)
        assert (
            invoke("lint", "manifest.json", "--no-cache", "--select", "TK652")[1] == "All checks passed! (no tools)\n"
        )
    write("server/other.py", "")
    assert invoke("lint", "manifest.json", "--no-cache", "--select", "TK652", "--format", "concise", "--quiet")[1]

"""Skills of a project, served to the SDK's own client: the Skills extension of MCP."""

import asyncio
import base64
import hashlib
import subprocess
from typing import Any, Literal

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError

from tests.mcp.served import PROGRAM, environment, over_stdio, until

TOOLS = '''
from toolkit import tool


@tool(read_only=True)
def get_forecast(city: str) -> str:
    """Return the weather forecast for a city."""
    return f"Sunny in {city}."
'''
SKILL = """---
name: forecast
description: Says how the weather will be.
metadata:
  version: "1.0"
---

Read [units](references/units.md).
"""
UNITS, PICTURE = "Degrees Celsius.\n", b"\x89PNG\xff"


class ListSkills(types.Request[types.PaginatedRequestParams, Literal["skills/list"]]):
    method: Literal["skills/list"] = "skills/list"
    params: types.PaginatedRequestParams = types.PaginatedRequestParams()


class UriParams(types.RequestParams):
    uri: str


class GetSkill(types.Request[UriParams, Literal["skills/get"]]):
    method: Literal["skills/get"] = "skills/get"
    params: UriParams


class Answer(types.CacheableResult):
    result_type: str
    skills: list[dict[str, Any]] | None = None
    skill: dict[str, Any] | None = None


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "skills" / "forecast"
    (folder / "references").mkdir(parents=True)
    (folder / ".cache").mkdir()
    (folder / "SKILL.md").write_text(SKILL, "utf-8")
    (folder / "references" / "units.md").write_text(UNITS, "utf-8")
    (folder / "references" / "sun 1.png").write_bytes(PICTURE)
    (folder / ".env").write_text("KEY=1", "utf-8")
    (folder / ".cache" / "old.md").write_text("old", "utf-8")
    (tmp_path / "tools.py").write_text(TOOLS, "utf-8")
    (tmp_path / "toolkit.toml").write_text('sources = ["tools.py"]\nskills = ["skills"]\n', "utf-8")
    return tmp_path


def record(path, data):
    return {
        "uri": f"skill://forecast/{path}",
        "digest": f"sha256:{hashlib.sha256(data).hexdigest()}",
        "size": len(data),
    }


ENTRY: dict[str, Any] = {
    "uri": "skill://forecast/SKILL.md",
    "frontmatter": {
        "name": "forecast",
        "description": "Says how the weather will be.",
        "metadata": {"version": "1.0"},
    },
    "resources": [
        record("SKILL.md", SKILL.encode()),
        record("references/sun%201.png", PICTURE),
        record("references/units.md", UNITS.encode()),
    ],
}


def test_client_lists_and_reads_a_skill(project):
    async def talk():
        async with over_stdio(project) as client:
            declared = client.server_capabilities.extensions
            listed = await client.session.send_request(ListSkills(), Answer)
            got = await client.session.send_request(GetSkill(params=UriParams(uri=ENTRY["uri"])), Answer)
            read = [(await client.read_resource(one["uri"])).contents[0] for one in ENTRY["resources"]]
            return declared, listed, got, read, (await client.list_resources()).resources

    declared, listed, got, (main, picture, units), resources = asyncio.run(talk())
    assert declared == {"io.modelcontextprotocol/skills": {}}
    assert (listed.skills, got.skill) == ([ENTRY], ENTRY)
    assert (listed.result_type, listed.ttl_ms, listed.cache_scope) == ("complete", 0, "private")
    assert (main.mime_type, main.text) == ("text/markdown", SKILL)
    assert (picture.mime_type, base64.b64decode(picture.blob)) == ("image/png", PICTURE)
    assert (units.mime_type, units.text) == ("text/markdown", UNITS)
    assert [(one.uri, one.name, one.description) for one in resources] == [
        ("skill://forecast/SKILL.md", "forecast", "Says how the weather will be."),
        ("skill://forecast/references/sun%201.png", "forecast/references/sun 1.png", None),
        ("skill://forecast/references/units.md", "forecast/references/units.md", None),
    ]


def test_nothing_else_can_be_read(project):
    (project / "secret.md").write_text("secret", "utf-8")
    uris = [
        "skill://forecast/.env",
        "skill://forecast/../../secret.md",
        "skill://forecast/%2e%2e/%2e%2e/secret.md",
        "skill://forecast//SKILL.md",
        "skill://forecast",
        (project / "secret.md").as_uri(),
    ]

    async def talk():
        async with over_stdio(project) as client:
            for uri in uris:
                with pytest.raises(MCPError, match="No resource is served") as found:
                    await client.read_resource(uri)
                assert found.value.error.code == types.INVALID_PARAMS
            params = UriParams(uri="skill://forecast/references/units.md")
            with pytest.raises(MCPError, match="No skill is served at 'skill://forecast/references/units"):
                await client.session.send_request(GetSkill(params=params), Answer)

    asyncio.run(talk())


def test_older_protocol_has_the_resources_only(project):
    async def talk():
        async with over_stdio(project, mode="legacy") as client:
            with pytest.raises(MCPError, match="Method not found"):
                await client.session.send_request(ListSkills(), Answer)
            return (await client.read_resource("skill://forecast/SKILL.md")).contents[0].text

    assert asyncio.run(talk()) == SKILL


def test_skills_are_served_only_if_they_are_configured(project):
    (project / "toolkit.toml").write_text('sources = ["tools.py"]\n', "utf-8")

    async def talk():
        async with over_stdio(project) as client:
            capabilities = client.server_capabilities
            return capabilities.resources, capabilities.extensions

    assert asyncio.run(talk()) == (None, None)


def refusal(project):
    served = subprocess.run(
        PROGRAM, cwd=project, env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    return served.returncode, served.stdout, served.stderr.replace(str(project), "PROJECT")


def test_link_in_a_skill_keeps_the_server_from_starting(project):
    (project / "secret.md").write_text("secret", "utf-8")
    link = project / "skills" / "forecast" / "references" / "link.md"
    link.symlink_to(project / "secret.md")
    expected = (
        "error[TK005]: the skill 'forecast' cannot be served: it is a link, or neither a file nor a folder\n"
        " --> skills/forecast/references/link.md\n"
    )
    assert refusal(project) == (2, "", expected)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("../elsewhere", "'skills': 'PROJECT/../elsewhere' is not in the project"),
        ("none", "'skills': 'PROJECT/none' has no skills"),
    ],
)
def test_folder_must_have_skills_of_the_project(project, setting, message):
    (project / "toolkit.toml").write_text(f'sources = ["tools.py"]\nskills = ["{setting}"]\n', "utf-8")
    assert refusal(project) == (2, "", f"error[TK005]: {message}\n")


def test_skill_that_breaks_the_specification_is_not_served(project):
    (project / "skills" / "forecast" / "SKILL.md").write_text(SKILL.replace("name: forecast", "name: rain"), "utf-8")
    code, out, told = refusal(project)
    assert (code, out, told.splitlines()[0]) == (
        2,
        "",
        "error[TK005]: the skill is named 'rain', but its folder 'forecast'",
    )


@pytest.mark.proof
def test_edited_skill_is_served_after_a_reload(project):
    async def talk():
        with (project / "log").open("w") as log:
            async with over_stdio(project, "--reload", errlog=log) as client:
                (project / "skills/forecast/SKILL.md").write_text(SKILL.replace("will be", "was"), "utf-8")
                (project / "skills/forecast/references/units.md").unlink()
                await until(lambda: "reloaded" in (project / "log").read_text("utf-8"))
                read = await client.read_resource(ENTRY["uri"])
                return read.contents[0].text, (await client.list_resources()).resources

    text, resources = asyncio.run(talk())
    assert text == SKILL.replace("will be", "was")
    assert [(one.uri, one.description) for one in resources] == [
        ("skill://forecast/SKILL.md", "Says how the weather was."),
        ("skill://forecast/references/sun%201.png", None),
    ]
    assert (project / "log").read_text("utf-8").splitlines()[-1] == "reloaded: get_forecast"

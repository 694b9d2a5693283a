"""The conformance suite of the protocol, as it is published: the scenarios that we claim, of server and client."""

import json
import os
import re
import subprocess
import sys
from itertools import chain
from pathlib import Path
from shutil import copytree

import pytest

from tests.mcp.raw import PATIENCE
from tests.mcp.serving import Listening

FIXTURES = Path(__file__).parent / "conformance"
PAGE = Path(__file__).parents[2] / "docs/mcp-security.md"
SERVER = {
    "2025-11-25": {
        "server-initialize": 3,
        "server-session-lifecycle": 3,
        "ping": 2,
        "tools-list": 3,
        "tools-call-simple-text": 2,
        "tools-call-error": 2,
        "tools-call-with-progress": 2,
        "tools-call-elicitation": 2,
        "json-schema-2020-12": 8,
        "server-sse-multiple-streams": 1,
        "dns-rebinding-protection": 2,
        "tools-call-image": 2,
        "tools-call-audio": 2,
        "tools-call-embedded-resource": 2,
        "tools-call-mixed-content": 2,
        "resources-list": 2,
        "resources-read-text": 2,
        "resources-read-binary": 2,
        "resources-templates-read": 2,
        "prompts-list": 2,
        "prompts-get-simple": 2,
        "prompts-get-with-args": 2,
        "prompts-get-embedded-resource": 2,
        "prompts-get-with-image": 2,
    },
    "2026-07-28": {
        "tools-list": 4,
        "tools-call-simple-text": 2,
        "tools-call-error": 2,
        "tools-call-with-progress": 2,
        "json-schema-2020-12": 8,
        "server-sse-multiple-streams": 1,
        "dns-rebinding-protection": 2,
        "tools-call-image": 2,
        "tools-call-audio": 2,
        "tools-call-embedded-resource": 2,
        "tools-call-mixed-content": 2,
        "resources-list": 2,
        "resources-read-text": 2,
        "resources-read-binary": 2,
        "resources-templates-read": 2,
        "prompts-list": 2,
        "prompts-get-simple": 2,
        "prompts-get-with-args": 2,
        "prompts-get-embedded-resource": 2,
        "prompts-get-with-image": 2,
        "sep-2164-resource-not-found": 4,
        "caching": 8,
        "http-header-validation": 14,
        "http-custom-header-server-validation": 10,
        "input-required-result-request-state": 3,
        "input-required-result-multi-round": 4,
        "input-required-result-missing-input-response": 2,
        "input-required-result-result-type": 2,
        "input-required-result-unsupported-methods": 2,
        "input-required-result-tampered-state": 2,
        "input-required-result-validate-input": 3,
    },
}
"""How many checks of each scenario pass, by the version of the protocol that is spoken. Resources, prompts, pictures and
sound are those of a server behind ours."""
UNCLAIMED = {
    "2025-11-25": {
        "completion-complete",
        "elicitation-sep1034-defaults",
        "elicitation-sep1330-enums",
        "logging-set-level",
        "resources-subscribe",
        "resources-unsubscribe",
        "server-sse-polling",
        "tools-call-sampling",
        "tools-call-with-logging",
    },
    "2026-07-28": {
        "completion-complete",
        "input-required-result-basic-elicitation",
        "input-required-result-basic-list-roots",
        "input-required-result-basic-sampling",
        "input-required-result-capability-check",
        "input-required-result-ignore-extra-params",
        "input-required-result-multiple-input-requests",
        "input-required-result-non-tool-request",
    },
}
"""The other scenarios of each version; the page names each with the reason."""
IN_PART = {
    "server-stateless": {"sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400"}
}
"""The checks of a scenario that fail: these are of a tool that needs a model of the client's, which none of ours does."""
CLIENT = {
    "tools_call": {"tool-add-numbers"},
    "initialize": {"mcp-client-initialization"},
    "sse-retry": {"client-sse-graceful-reconnect", "client-sse-last-event-id"},
    "request-metadata": {
        "sep-2575-http-client-sends-version-header",
        "sep-2575-client-populates-meta",
        "sep-2575-client-sends-client-info",
        "sep-2575-http-version-header-matches-meta",
        "sep-2575-client-declares-elicitation-capability",
        "sep-2575-client-retry-supported-version",
    },
    "http-standard-headers": {"sep-2243-client-includes-standard-headers"},
    "http-custom-headers": {
        "sep-2243-client-supports-custom-headers",
        "sep-2243-client-mirrors-designated-params",
        "sep-2243-client-encode-values",
        "sep-2243-client-base64-unsafe",
    },
    "http-invalid-tool-headers": {
        "sep-2243-x-mcp-header-primitive-only",
        "sep-2243-x-mcp-header-unique",
        "sep-2243-x-mcp-header-charset",
    },
    "json-schema-ref-no-deref": {"sep-2106-no-network-ref-deref"},
}
"""Which checks of each scenario must pass; how quickly a busy machine reconnects says nothing of us, and where no null is
taken, we send none (`sep-2243-client-omit-null`)."""
SIGN_IN = [
    *("metadata-default", "metadata-var1", "metadata-var2", "metadata-var3", "metadata-issuer-mismatch", "basic-cimd"),
    *("scope-from-www-authenticate", "scope-from-scopes-supported", "scope-omitted-when-undefined", "scope-step-up"),
    *("scope-retry-limit", "offline-access-scope", "offline-access-not-supported", "pre-registration"),
    *("token-endpoint-auth-basic", "token-endpoint-auth-post", "token-endpoint-auth-none", "resource-mismatch"),
    *("iss-supported", "iss-not-advertised", "iss-supported-missing", "iss-wrong-issuer", "iss-unexpected"),
    *("iss-normalized", "authorization-server-migration", "client-credentials-jwt", "client-credentials-basic"),
    *("2025-03-26-oauth-metadata-backcompat", "2025-03-26-oauth-endpoint-fallback"),
]
"""The scenarios `auth/…` of clients of which every check passes."""
NO_SIGN_IN = ["enterprise-managed-authorization", "dpop", "dpop-nonce", "wif-jwt-bearer"]
"""The others: extensions of the protocol that are not built."""


def checks_in(folder):
    """Return the checks by the scenario of a folder of results."""
    return {
        re.sub(r"-\d{4}-\d\d-\d\dT.*", "", file.parent.name): json.loads(file.read_text("utf-8"))
        for file in folder.rglob("checks.json")
    }


def passed(checks):
    """Return which checks have passed."""
    return [check["id"] for check in checks if check["status"] == "SUCCESS"]


def failed(checks):
    """Return which checks have failed, or nearly so."""
    return {check["id"] for check in checks if check["status"] in {"FAILURE", "WARNING"}}


CONTENTS = ("image_content", "audio_content", "embedded_resource", "multiple_content_types")


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = copytree(FIXTURES, tmp_path_factory.mktemp("conformance") / "project")
    table = {"command": sys.executable, "args": ["behind.py"], "cwd": ".", "prefix": ""}
    table |= {"resources": ["test://*"], "prompts": ["test_*"]}
    lines = [f"{name} = {json.dumps(value)}" for name, value in table.items()]
    (folder / "toolkit.toml").write_text("\n".join(["[mcp.behind]", *lines]), "utf-8")
    approved = [word for name in CONTENTS for word in ("--approve", f"test_{name}")]
    server = Listening(folder, "behind", "--start", "behind", *approved)
    yield f"http://127.0.0.1:{server.port}/mcp"
    server.close()


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("version", SERVER)
def test_server_passes_the_scenarios_that_we_claim(peer, served, tmp_path, figure, version):
    suite = peer("conformance")
    options = ["--url", served, "--suite", "all", "--spec-version", version, "-o", tmp_path]
    finished = subprocess.run(
        [*suite.command, "server", *options],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE * 2,
        check=False,
    )
    results = {name.removeprefix("server-"): checks for name, checks in checks_in(tmp_path).items()}
    claimed = SERVER[version]
    others = results.keys() - claimed.keys() - IN_PART.keys() - {name.removeprefix("server-") for name in claimed}
    assert others == UNCLAIMED[version]
    well = {name: len(passed(results.get(name, []))) for name in claimed if not failed(results.get(name, []))}
    assert well == claimed, finished.stdout.decode()[-5000:]
    figure(f"{suite}: {version}, {len(claimed)} scenarios of servers, {sum(claimed.values())} checks, all passed")
    for name in IN_PART.keys() & results.keys():
        checks = results[name]
        refused = {check["id"] for check in checks if check["status"] == "FAILURE"}
        assert refused == IN_PART[name], finished.stdout.decode()[-5000:]
        figure(f"{suite}: {name} of servers, {len(passed(checks))} checks passed, {len(refused)} not")


def as_client(suite, program, scenario, folder):
    """Start a program as the client of a scenario; return the checks, and what the suite has printed."""
    finished = subprocess.run(
        [
            *suite.command,
            "client",
            "--command",
            f"{sys.executable} {FIXTURES / program}",
            "--scenario",
            scenario,
            "-o",
            folder,
        ],
        stdin=subprocess.DEVNULL,
        env={name: value for name, value in os.environ.items() if not name.startswith("TOOLKIT_")},
        capture_output=True,
        timeout=PATIENCE * 2,
        check=False,
    )
    [checks] = checks_in(folder).values() or [[]]
    return checks, finished.stdout.decode()


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("scenario", CLIENT)
def test_client_passes_the_scenarios_that_we_claim(peer, tmp_path, figure, scenario):
    suite = peer("conformance")
    checks, printed = as_client(suite, "client.py", scenario, tmp_path)
    assert set(passed(checks)) >= CLIENT[scenario], printed[-5000:]
    figure(f"{suite}: {scenario} of clients, {len(passed(checks))} checks passed")


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("scenario", SIGN_IN)
def test_client_passes_the_scenarios_of_signing_in(peer, tmp_path, figure, scenario):
    suite = peer("conformance")
    checks, printed = as_client(suite, "signing_in.py", f"auth/{scenario}", tmp_path)
    assert passed(checks), printed[-5000:]
    assert failed(checks) == set(), printed[-5000:]
    figure(f"{suite}: auth/{scenario} of clients, {len(passed(checks))} checks passed")


@pytest.mark.proof
def test_every_scenario_of_signing_in_is_claimed_or_left_out(peer):
    suite = peer("conformance")
    listed = subprocess.run([*suite.command, "list"], capture_output=True, encoding="utf-8", check=True).stdout
    assert set(re.findall(r"- auth/(\S+)", listed)) == {*SIGN_IN, *NO_SIGN_IN}


def test_page_names_every_scenario_that_we_claim():
    text = PAGE.read_text("utf-8")
    assert [
        name
        for name in {*chain(*SERVER.values(), *UNCLAIMED.values()), *IN_PART, *CLIENT, *SIGN_IN, *NO_SIGN_IN}
        if f"`{name}`" not in text
    ] == []

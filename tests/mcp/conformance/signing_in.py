"""What the conformance suite starts as a client that signs in: `toolkit` on a terminal, with a browser that follows.

The server's address comes last. Whenever `toolkit` asks whether to sign in, the answer is yes.
"""

import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pexpect

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.terminals import MENU_END, PROMPT, on_a_terminal

DOCUMENT = "https://conformance-test.local/client-metadata.json"
"""The address of the client's metadata document, as the suite knows it."""
SCENARIO = os.environ.get("MCP_CONFORMANCE_SCENARIO", "")
BROWSER = Path(__file__).with_name("browser.py")
MOST_SIGN_INS = 4


def settings(context):
    """Return the lines about signing in that a scenario needs."""
    if SCENARIO.startswith("auth/client-credentials"):
        secret = {"private_key": "${KEY}", "algorithm": context.get("signing_algorithm", "ES256")}
        if "client_secret" in context:
            secret = {"client_secret": "${KEY}"}
        values = {"grant": "client_credentials", "client_id": context["client_id"], "issuer": issuer()} | secret
    elif "client_id" in context:
        values = {"client_id": context["client_id"], "client_secret": "${KEY}", "issuer": issuer()}
    else:
        values = {"client_id": DOCUMENT}
    return f"auth = {{ {', '.join(f'{name} = {json.dumps(value)}' for name, value in values.items())} }}"


def issuer():
    """Return the authorization server that the server names, which a user would know."""
    from urllib.request import urlopen

    address = sys.argv[-1].replace("/mcp", "/.well-known/oauth-protected-resource/mcp")
    with urlopen(address) as answer:  # noqa: S310 - a page of the suite on the loopback interface
        return json.load(answer)["authorization_servers"][0]


def toolkit(folder, *words, **environment):
    """Run a command on the server, allowed beforehand, on a terminal; return its exit code."""
    child = on_a_terminal(folder, *words, "--start", "peer", environment={"BROWSER": str(BROWSER), **environment})
    for _ in range(MOST_SIGN_INS):
        if child.expect_exact([MENU_END, pexpect.EOF]) == 1:
            break
        child.expect_exact(PROMPT)
        child.send("o\r")
    else:
        child.expect(pexpect.EOF)
    sys.stdout.write(child.before)
    child.close()
    return child.exitstatus


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
        table = f"[mcp.peer]\nurl = '{sys.argv[-1]}'\n{settings(context)}\n"
        Path(folder, "toolkit.toml").write_text(table, "utf-8")
        home = {"XDG_STATE_HOME": f"{folder}/state", "XDG_CONFIG_HOME": f"{folder}/home", "CI": ""}
        key = {"KEY": context.get("client_secret") or context.get("private_key_pem") or ""}
        toolkit(folder, "mcp", "login", "peer", **home, **key)
        sys.exit(toolkit(folder, "run", "peer.test-tool", "--yes", **home, **key))

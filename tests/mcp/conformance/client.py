"""What the conformance suite starts as a client: `toolkit`, on the server whose address comes last."""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from toolkit_cli.main import main

COMMANDS = {
    "initialize": ["list", "peer"],
    "tools_call": ["run", "peer.add_numbers", "a=5", "b=3"],
    "sse-retry": ["run", "peer.test_reconnection"],
    "elicitation-sep1034-client-defaults": ["run", "peer.test_client_elicitation_defaults"],
}

if __name__ == "__main__":
    command = COMMANDS[os.environ["MCP_CONFORMANCE_SCENARIO"]]
    with TemporaryDirectory() as folder:
        Path(folder, "toolkit.toml").write_text(f"[mcp.peer]\nurl = '{sys.argv[-1]}'\n", "utf-8")
        os.chdir(folder)
        answers = ["--yes"] if command[0] == "run" else []
        sys.exit(main([*command, "--start", "peer", *answers]))

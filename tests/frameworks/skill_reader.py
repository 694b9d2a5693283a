"""Read the skills of a server with FastMCP's client, which verifies their digests: run where FastMCP 4 is installed."""

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.skills.client import SkillsClientExtension


async def main():
    async with Client(StdioTransport(sys.argv[1], sys.argv[2:]), extensions=[SkillsClientExtension()]) as client:
        uris = [one.uri for one in await client.list_skills()]
        skills = [await client.read_skill(uri) for uri in uris]
        sys.stdout.write(json.dumps([[one.name, one.description, sorted(one.files)] for one in skills]))


asyncio.run(main())

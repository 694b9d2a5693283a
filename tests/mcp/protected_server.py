"""An MCP server over HTTP that accepts only the tokens of an authorization server: the SDK's, in a thread."""

import json
import threading

import uvicorn
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import MCPServer

from tests.mcp.authorization_server import AuthorizationServer


class ProtectedServer:
    """A server with the tools `look`, which needs the scope `read`, and `change`, which needs `write`.

    Attributes:
        calls: The bearer token of each request, in order; `None` for one without.
        revoked: Tokens that it does not accept any more.
    """

    def __init__(self, authorization: AuthorizationServer):
        self.calls: list[str | None] = []
        self.revoked: set[str] = set()
        self._authorization = authorization
        self._server = uvicorn.Server(uvicorn.Config(self._answer, port=0, interface="asgi3", log_level="critical"))

    def __enter__(self):
        socket = self._server.config.bind_socket()
        self.url = f"http://127.0.0.1:{socket.getsockname()[1]}/mcp"
        self._app = self._application()
        self._thread = threading.Thread(target=self._server.run, args=([socket],))
        self._thread.start()
        while not self._server.started:
            self._thread.join(0.01)
        return self

    def __exit__(self, *_):
        self._server.should_exit = True
        self._thread.join()

    async def verify_token(self, token):
        """Return what a token allows, as the SDK asks."""
        try:
            claims = self._authorization.claims_of(token)
        except ValueError:
            return None
        if claims["aud"] != self.url or token in self.revoked:
            return None
        return AccessToken(token=token, client_id=claims["client_id"], scopes=(claims["scope"] or "").split())

    def _application(self):
        addresses = {"issuer_url": self._authorization.issuer, "resource_server_url": self.url}
        settings = AuthSettings.model_validate(addresses | {"validate_token_resource": False})  # `verify_token` does it
        server = MCPServer("desk", token_verifier=self, auth=settings, log_level="CRITICAL")

        @server.tool()
        def look(number: int) -> str:
            """Look at a ticket."""
            return f"ticket {number} is open"

        @server.tool()
        def change(number: int) -> str:
            """Change a ticket."""
            return f"ticket {number} is closed"

        @server.tool()
        def reveal() -> str:
            """Show the token of the caller, as a careless server would."""
            return f"your token is {self.calls[-1]}"

        return server.streamable_http_app()

    async def _answer(self, scope, receive, send):
        if scope["type"] != "http" or scope["path"] != "/mcp":
            await self._app(scope, receive, send)
            return
        sent = dict(scope["headers"]).get(b"authorization", b"").decode().removeprefix("Bearer ") or None
        self.calls.append(sent)
        body, messages = b"", []
        while not messages or messages[-1].get("more_body"):
            messages.append(await receive())
            body += messages[-1].get("body", b"")
        if sent is not None and (missing := await self._missing_scope(sent, body)):
            await _refuse(send, missing)
            return

        async def again():
            return messages.pop(0) if messages else await receive()

        await self._app(scope, again, send)

    async def _missing_scope(self, token, body):
        asked = json.loads(body) if body else {}
        known = await self.verify_token(token)
        changes = asked.get("method") == "tools/call" and asked["params"]["name"] == "change"
        return "write" if changes and known is not None and "write" not in known.scopes else None


async def _refuse(send, scope):
    header = f'Bearer error="insufficient_scope", scope="{scope}"'.encode()
    headers = [(b"www-authenticate", header), (b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": b"{}"})

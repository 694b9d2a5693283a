"""A server behind ours, with the resources, prompts and contents that the conformance suite of the protocol asks for."""

import base64

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp_types import AudioContent, EmbeddedResource, ImageContent, TextContent, TextResourceContents

PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
SOUND = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
server = MCPServer("behind", log_level="ERROR")


def embedded(uri: str) -> EmbeddedResource:
    """Return a resource as a part of an answer."""
    contents = TextResourceContents(uri=uri, mime_type="text/plain", text="Embedded resource content for testing.")
    return EmbeddedResource(type="resource", resource=contents)


@server.tool()
def test_image_content() -> ImageContent:
    """Return a picture."""
    return ImageContent(type="image", data=PICTURE, mime_type="image/png")


@server.tool()
def test_audio_content() -> AudioContent:
    """Return a sound."""
    return AudioContent(type="audio", data=SOUND, mime_type="audio/wav")


@server.tool()
def test_embedded_resource() -> EmbeddedResource:
    """Return a resource."""
    return embedded("test://embedded-resource")


@server.tool(structured_output=False)
def test_multiple_content_types() -> list[TextContent | ImageContent | EmbeddedResource]:
    """Return contents of several kinds."""
    text = TextContent(type="text", text="Multiple content types test:")
    return [text, test_image_content(), embedded("test://mixed-content-resource")]


@server.resource("test://static-text", mime_type="text/plain")
def static_text() -> str:
    """A text."""
    return "This is the content of the static text resource."


@server.resource("test://static-binary", mime_type="image/png")
def static_binary() -> bytes:
    """A picture."""
    return base64.b64decode(PICTURE)


@server.resource("test://template/{id}/data", mime_type="application/json")
def template(id: str) -> str:
    """Data."""
    return f'{{"id": "{id}", "templateTest": true, "data": "Data for ID: {id}"}}'


@server.prompt("test_simple_prompt")
def simple_prompt() -> str:
    """A prompt."""
    return "This is a simple prompt for testing."


@server.prompt("test_prompt_with_arguments")
def prompt_with_arguments(arg1: str, arg2: str) -> str:
    """A prompt with arguments."""
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


@server.prompt("test_prompt_with_embedded_resource")
def prompt_with_resource(resourceUri: str) -> list[UserMessage]:  # noqa: N803 - the suite calls it so
    """A prompt with a resource."""
    return [UserMessage(embedded(resourceUri)), UserMessage("Please process the embedded resource above.")]


@server.prompt("test_prompt_with_image")
def prompt_with_image() -> list[UserMessage]:
    """A prompt with a picture."""
    return [UserMessage(test_image_content()), UserMessage("Please analyze the image above.")]


if __name__ == "__main__":
    server.run("stdio")

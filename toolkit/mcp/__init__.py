"""The Model Context Protocol, both ways: tools of other servers, and our tools for other clients."""

"""Serving: our tools for the clients of the Model Context Protocol, over stdio and streamable HTTP."""

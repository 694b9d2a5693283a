"""Serving: how the command opens, carries and describes a server."""

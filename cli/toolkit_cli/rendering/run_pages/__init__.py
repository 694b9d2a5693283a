"""Renders a run as a self-contained HTML page, which needs no server, network or other files."""

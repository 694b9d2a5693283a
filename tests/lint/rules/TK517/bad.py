"""Tools that a model cannot call without a secret."""

from typing import Annotated

from pydantic import Field

from toolkit import tool


@tool(read_only=True)
def count_mails(user: str, password: str) -> str:
    """Count the unread mails of a user."""
    return f"{user} {password}"


@tool(read_only=True)
def list_files(host: str, api_key: str | None = None, apiSecret: Annotated[str, Field(description="A.")] = "") -> str:
    """List the files of a server."""
    return f"{host} {api_key} {apiSecret}"


@tool(read_only=True)
def list_issues(token: Annotated[str, "A personal access token."]) -> str:
    """List the open issues."""
    return token

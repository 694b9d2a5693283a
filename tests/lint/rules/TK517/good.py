"""Parameters that only sound like secrets, and tools whose purpose is the secret."""

from typing import Annotated

from toolkit import tool


@tool(read_only=True)
def read_talk(token: Annotated[str, "The token of the conversation."], page_token: str = "", max_tokens: int = 9) -> str:
    """Read the messages of a conversation."""
    return f"{token} {page_token} {max_tokens}"


@tool(read_only=True)
def list_files(host: str, use_password: bool, auth_env_var: str, auth: str, primary_key: str, key_path: str) -> str:
    """List the files of a server."""
    return f"{host} {use_password} {auth_env_var} {auth} {primary_key} {key_path}"


@tool(read_only=True)
def check_password(password: str) -> str:
    """Say how strong a password is."""
    return password


@tool(read_only=True)
def encrypt_file(path: str, password: str) -> str:
    """Encrypt a file."""
    return f"{path} {password}"

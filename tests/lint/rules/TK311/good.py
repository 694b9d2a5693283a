from toolkit import tool


@tool
def list_files(folder: str, hidden: bool = False, deep: bool | None = None, links: bool = True) -> str:
    """List the files of a folder."""
    return f"{folder} {hidden} {deep} {links}"

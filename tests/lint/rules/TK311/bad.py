from toolkit import tool


@tool
def list_files(folder: str, by_size: bool = False, by_date: bool = False, by_name: bool = True) -> str:
    """List the files of a folder in some order."""
    return f"{folder} {by_size} {by_date} {by_name}"

from toolkit import tool


@tool
def list_files(folder: str, hidden: bool = False, deep: bool | None = None, links: bool = True) -> str:
    """List the files of a folder."""
    return f"{folder} {hidden} {deep} {links}"


@tool
def format_text(text: str, bold: bool = False, italic: bool = False, underline: bool = False) -> str:
    """Format a text."""
    if bold and italic:
        text = text.upper()
    return f"{text} {bold} {italic} {underline}"


@tool
def search(text: str, contacts: bool = True, non_contacts: bool = False) -> str:
    """Search among people."""
    return f"{text} {contacts} {non_contacts}"

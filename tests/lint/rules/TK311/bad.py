from toolkit import tool


@tool
def list_files(folder: str, by_size: bool = False, by_date: bool = False, by_name: bool = True) -> str:
    """List the files of a folder in some order."""
    return f"{folder} {by_size} {by_date} {by_name}"


@tool
def print_page(page: str, color: bool = True, no_color: bool = False) -> str:
    """Print a page of the report."""
    return f"{page} {color} {no_color}"


@tool
def save_text(text: str, to_file: bool = True, to_caller: bool = False) -> str:
    """Save a text, or return it."""
    if to_file and to_caller:
        raise ValueError("a text goes to one place")
    return text


@tool
def show_page(images: bool, links: bool, dates: bool, authors: bool, notes: bool, sources: bool) -> str:
    """Show parts of the page that is open."""
    return f"{images} {links} {dates} {authors} {notes} {sources}"

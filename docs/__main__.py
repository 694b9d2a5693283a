"""Write the pages that are generated: `python -m docs`."""

from docs.generators import pages
from docs.generators.regions import DOCS


def main() -> None:
    """Write the pages, and delete those of rules that are gone."""
    written = pages()
    for place, text in written.items():
        (DOCS / place).write_text(text, "utf-8")
    for file in DOCS.glob("rules/*.md"):
        if f"rules/{file.name}" not in written:
            file.unlink()


if __name__ == "__main__":
    main()

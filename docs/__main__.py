"""Write the generated pages, including those of the API, which are only part of the site: `python -m docs`."""

from docs.generators import api, pages
from docs.generators.regions import DOCS


def main() -> None:
    """Write all pages, and delete those of rules that no longer exist."""
    written = pages()
    (DOCS / "api").mkdir(exist_ok=True)
    for place, text in (written | api.pages()).items():
        (DOCS / place).write_text(text, "utf-8")
    for file in DOCS.glob("rules/*.md"):
        if f"rules/{file.name}" not in written:
            file.unlink()


if __name__ == "__main__":
    main()

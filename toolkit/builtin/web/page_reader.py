"""A program that parses one web page and returns its content.

    python -I -S page_reader.py        reads a request as JSON from standard input, writes the content as JSON

HTML parsers are written in C and process untrusted input: a page of a few megabytes can keep a parser busy for minutes
or crash it. So pages are parsed in a separate process, which can be killed and whose memory is limited.

This module imports nothing from the rest of the library so that it starts fast.
"""

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

MEMORY = 1024 * 1024 * 1024
"""Maximum memory of the process, in bytes."""

MAX_LINKS = 100
_MAX_LABEL = 200
_SKIPPED = {"script", "style", "nav", "footer", "header", "template", "svg", "iframe", "object", "head"}
_BLOCKS = {
    *("address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "div", "dl"),
    *("dt", "fieldset", "figcaption", "figure", "form", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "legend", "li"),
    *("main", "noscript", "ol", "option", "p", "pre", "search", "section", "select", "summary", "table", "tbody"),
    *("td", "textarea", "tfoot", "th", "thead", "title", "tr", "ul"),
}
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_MARKS = {"b": "**", "strong": "**", "i": "*", "em": "*", "code": "`", "kbd": "`", "samp": "`"}
_BLANKS = re.compile(r"[ \t\n\r\f\v\u00a0]+")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def read_page(
    html: str, url: str, *, markdown: bool = False, extractor: str = "page", most: int = 1_000_000
) -> dict[str, Any]:
    """Return the `title`, `text` and `links` of a page, and in `is_more` whether the text was cut off.

    Args:
        html: The page.
        url: The URL of the page, to resolve relative links.
        markdown: Whether to keep headings, lists, links and emphasis as Markdown.
        extractor: `page` for the page without menus, headers and footers, `article` for only its main text.
        most: Maximum number of characters of text.
    """
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(html)
    titled = tree.css_first("title")
    title = plain(titled.text())[:_MAX_LABEL] if titled is not None else ""
    base = tree.css_first("base[href]")
    base_url = _join(url, base.attributes.get("href") or "") if base else url
    links: dict[str, str] = {}
    text = _article(html, markdown=markdown) if extractor == "article" else ""
    if tree.body is not None:
        writer = _Writer(base_url or url, most, markdown=markdown)
        text, links = text or writer.of(tree.body), writer.links
    for anchor in tree.css("a[href]"):  # adds the links in menus and other skipped parts at the end
        if len(links) >= MAX_LINKS:
            break
        _record_link(links, anchor, base_url or url)
    found = [{"url": target, "text": label} for target, label in list(links.items())[:MAX_LINKS]]
    return {"title": title, "text": text[:most], "links": found, "is_more": len(text) > most}


def plain(text: str) -> str:
    """Return text on one line, with single spaces and without control characters."""
    return _CONTROLS.sub("", _BLANKS.sub(" ", text)).strip()


def without_controls(text: str) -> str:
    """Return text without control characters, except for line breaks and tabs."""
    return _CONTROLS.sub("", text.replace("\r\n", "\n"))


def _article(html: str, *, markdown: bool) -> str:
    from trafilatura import extract

    text = extract(html, output_format="markdown" if markdown else "txt", include_links=markdown) or ""
    return without_controls(text).strip() if markdown else plain(text)


def _record_link(links: dict[str, str], anchor: Any, base: str) -> str | None:
    """Record the target of a link with its label, and return the target; `None` if it is not an HTTP URL."""
    target = _join(base, anchor.attributes.get("href") or "")
    if target is not None and not links.get(target):
        links[target] = plain(anchor.text(deep=True))[:_MAX_LABEL]
    return target


def _join(base: str, reference: str) -> str | None:
    """Resolve a reference to an absolute URL without its fragment, or return `None` if that is not an HTTP URL."""
    try:
        target = urldefrag(urljoin(base, plain(reference))).url
        is_web = urlsplit(target).scheme in {"http", "https"} and bool(urlsplit(target).hostname)
    except ValueError:
        return None
    return target if is_web and not re.search(r"[\s<>()]", target) else None


class _Writer:
    """Writes the text of a tree block by block, without recursion since a tree can be arbitrarily deep."""

    def __init__(self, base: str, most: int, *, markdown: bool) -> None:
        self._base = base
        self._room = most
        self._markdown = markdown
        self.links: dict[str, str] = {}
        self._blocks: list[str] = []
        self._pieces: list[str] = []
        self._lists: list[int | None] = []
        self._quotes = 0
        self._preformatted = 0
        self._prefix = ""
        self._row: list[str] | None = None

    def of(self, body: Any) -> str:
        pending: list[Callable[[], None]] = [lambda: self._enter(body, pending)]
        while pending and self._room >= 0:  # the rest of a large page is not written for its first lines
            pending.pop()()
        self._end_block()
        return "\n".join(self._spaced()).strip() if self._markdown else plain(" ".join(self._blocks))

    def _enter(self, node: Any, pending: list[Callable[[], None]]) -> None:
        if node.tag == "-text":
            self._pieces.append(node.text_content or "")
            return
        if node.tag.startswith("-") or node.tag in _SKIPPED or "hidden" in node.attributes:
            return
        self._open(node)
        pending.append(lambda: self._close(node))
        children = list(node.iter(include_text=True))
        pending += [lambda child=child: self._enter(child, pending) for child in reversed(children)]  # type: ignore[misc]

    def _open(self, node: Any) -> None:
        tag = node.tag
        if tag in _BLOCKS:
            self._end_block()
        if tag == "br":
            self._pieces.append("\n" if self._preformatted else " ")
        elif tag == "a" and _record_link(self.links, node, self._base) and self._markdown:
            self._pieces.append("[")
        if self._markdown:
            self._open_marked(node)

    def _open_marked(self, node: Any) -> None:
        match node.tag:
            case "ul":
                self._lists.append(None)
            case "ol":
                self._lists.append(0)
            case "li":
                self._prefix = self._bullet()
            case "blockquote":
                self._quotes += 1
            case "pre":
                self._preformatted += 1
            case "tr":
                self._row = []
            case "hr":
                self._blocks.append("---")
            case tag:
                self._prefix = _HEADINGS.get(tag, self._prefix)
                self._pieces += self._opening(node)

    def _opening(self, node: Any) -> Iterator[str]:
        if node.tag in _MARKS and not self._preformatted:
            yield _MARKS[node.tag]
        elif node.tag == "img" and (label := plain(node.attributes.get("alt") or "")):
            yield f"[image: {label}]"

    def _close(self, node: Any) -> None:
        tag = node.tag
        if self._markdown and tag in _MARKS and not self._preformatted:
            self._pieces.append(_MARKS[tag])
        elif self._markdown and tag == "a" and (target := _join(self._base, node.attributes.get("href") or "")):
            self._pieces.append(f"]({target})")
        if tag in _BLOCKS:
            self._end_block(is_cell=tag in {"td", "th"})
        if self._markdown:
            self._close_marked(tag)

    def _close_marked(self, tag: str) -> None:
        if tag in {"ul", "ol"}:
            self._lists.pop()
        elif tag == "blockquote":
            self._quotes -= 1
        elif tag == "pre":
            self._preformatted -= 1
        elif tag == "tr":
            self._end_row()
        elif tag == "li" or tag in _HEADINGS:
            self._prefix = ""

    def _end_row(self) -> None:
        if self._row:
            is_first = not self._blocks or not self._blocks[-1].startswith("| ")
            self._blocks.append(f"| {' | '.join(self._row)} |")
            if is_first:
                self._blocks.append(f"| {' | '.join('---' for _ in self._row)} |")
        self._row = None

    def _bullet(self) -> str:
        indent = "  " * max(len(self._lists) - 1, 0)
        if not self._lists or self._lists[-1] is None:
            return f"{indent}- "
        self._lists[-1] += 1
        return f"{indent}{self._lists[-1]}. "

    def _end_block(self, *, is_cell: bool = False) -> None:
        written = "".join(self._pieces)
        self._room -= len(plain(written))
        self._pieces = []
        if self._preformatted:
            code = without_controls(written).strip("\n")
            if code.strip():
                self._blocks.append(f"```\n{code}\n```")
            return
        text = re.sub(r"\*\*\s*\*\*|`\s*`|\[\s*\]\(\S*\)", "", plain(written)).strip()
        if self._row is not None:
            if is_cell or text:
                self._row.append(text.replace("|", "\\|"))
        elif text:
            quote = "> " * min(self._quotes, 10)
            self._blocks.append(f"{quote}{self._prefix}{text}")
            self._prefix = ""

    def _spaced(self) -> Iterator[str]:
        """Yield the blocks, with a blank line between them except between table rows or between list items."""
        before = ""
        for block in self._blocks:
            kind = "row" if block.startswith("| ") else "item" if re.match(r"[> ]*(-|\d+\.) ", block) else ""
            if before and not (kind and kind == before):
                yield ""
            yield block
            before = kind or "other"


def main() -> None:
    """Answer the request on standard input."""
    from resource import RLIMIT_AS, setrlimit  # this module is also imported on Windows

    request = json.load(sys.stdin)
    sys.path[:] = request["path"]
    with suppress(OSError, ValueError):  # not every system supports this limit
        setrlimit(RLIMIT_AS, (MEMORY, MEMORY))
    found = read_page(
        request["html"],
        request["url"],
        markdown=request["markdown"],
        extractor=request["extractor"],
        most=request["most"],
    )
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()

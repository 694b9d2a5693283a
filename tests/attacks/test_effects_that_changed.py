"""Effects that are not the ones that were shown."""

import asyncio
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from tests.volumes import examples
from toolkit import Continue, Edit, ReviewRequest, Tool, ToolContext, ToolResult, ToolSpec
from toolkit.approvals import AllowAll, Preview
from toolkit.builtin import CodeEdit, FileWrite
from toolkit.wrappers import ShortenedTool, TimedTool


class Meanwhile:
    """Says yes after something has happened while the question was open."""

    def __init__(self, happens: Callable[[], object], decision: Continue | Edit | None = None) -> None:
        """Keep what happens, and the answer; an edit is looked at first, or not."""
        self.happens = happens
        self.decision = decision or Continue()
        self.looks_at_edit = False
        self.effects: list[str | None] = []

    async def review(self, request: ReviewRequest) -> Continue | Edit:
        """Let it happen, then answer."""
        self.effects.append(request.preview)
        if isinstance(self.decision, Edit) and self.looks_at_edit:
            self.effects.append(request.preview_of(self.decision.arguments))
        self.happens()
        return self.decision


def write_new(file: Path) -> None:
    """Let a thousand lines arrive."""
    file.write_text("important\n" * 1000)


def replace_by_rename(file: Path) -> None:
    """Put another file in its place."""
    (file.parent / "other").write_text("important\n")
    (file.parent / "other").rename(file)


def delete(file: Path) -> None:
    """Take it away."""
    file.unlink(missing_ok=True)


def make_larger_than_allowed(file: Path) -> None:
    """Let more arrive than a file may have."""
    file.write_bytes(b"x" * 3000)


def make_a_directory(file: Path) -> None:
    """Put a directory in its place."""
    file.unlink(missing_ok=True)
    file.mkdir()


def make_a_link(file: Path) -> None:
    """Put a link in its place."""
    (file.parent / "elsewhere").write_text("important\n")
    file.unlink(missing_ok=True)
    file.symlink_to("elsewhere")


def make_something_not_text(file: Path) -> None:
    """Let bytes arrive that are not text."""
    file.write_bytes(b"\xff\xfe\x00important")


HAPPENINGS = [
    write_new,
    replace_by_rename,
    delete,
    make_larger_than_allowed,
    make_a_directory,
    make_a_link,
    make_something_not_text,
]
CALLS: list[tuple[type[FileWrite] | type[CodeEdit], dict[str, Any]]] = [
    (FileWrite, {"path": "a.txt", "content": "new\n"}),
    (FileWrite, {"path": "a.txt", "content": "new\n", "append": True}),
    (CodeEdit, {"path": "a.txt", "command": "write", "content": "new\n"}),
    (CodeEdit, {"path": "a.txt", "command": "replace_lines", "content": "new\n", "start_line": 1, "end_line": 1}),
    (CodeEdit, {"path": "a.txt", "command": "find_replace", "content": "new", "find": "old"}),
]


def content_of(folder: Path) -> dict[str, object]:
    """Return all that is in a folder."""
    return {
        file.name: "directory" if file.is_dir() else (file.is_symlink(), file.read_bytes())
        for file in sorted(folder.iterdir())
    }


@pytest.mark.proof
def test_what_changed_while_the_question_was_open_is_not_touched(tmp_path, attacks):
    wrappings: list[Callable[[Tool], Tool]] = [
        lambda tool: tool,
        lambda tool: TimedTool(tool.with_name("renamed"), 60),
    ]
    cases = product(CALLS, HAPPENINGS, (True, False), wrappings)
    for number, ((kind, arguments), happen, is_there, wrap) in enumerate(cases):
        if not is_there and (kind is CodeEdit and arguments["command"] != "write"):
            continue
        if not is_there and happen is delete:
            continue
        folder = tmp_path / str(number)
        folder.mkdir()
        if is_there:
            (folder / "a.txt").write_text("old\n")
        after: list[dict[str, object]] = []

        def happens(happen=happen, folder=folder, after=after) -> None:
            happen(folder / "a.txt")
            after.append(content_of(folder))

        called = wrap(kind(folder, max_bytes=2000) if happen is make_larger_than_allowed else kind(folder))
        result = called.run(arguments, ToolContext(reviewer=Meanwhile(happens)))
        held = not result.succeeded and content_of(folder) == after[0]
        attacks.count(f"{kind.__name__} {arguments} {happen.__name__}: {result.text}", held=held)


def test_an_edited_call_is_held_to_what_was_shown_last(tmp_path, attacks):
    spellings = ("a.txt", "./a.txt", "sub/../a.txt", "b.txt")
    for number, ((kind, arguments), path, looks) in enumerate(product(CALLS[:3], spellings, (True, False))):
        folder = tmp_path / str(number)
        (folder / "sub").mkdir(parents=True)
        for name in ("a.txt", "b.txt"):
            (folder / name).write_text("old\n")
        edited = {**arguments, "path": path, "content": "edited\n"}
        if path == "b.txt" and not looks:
            continue  # of that file nobody was shown anything
        reviewer = Meanwhile(lambda folder=folder, path=path: write_new(folder / path), Edit(edited))  # type: ignore[misc]
        reviewer.looks_at_edit = looks
        result = kind(folder).run(arguments, ToolContext(reviewer=reviewer))
        held = not result.succeeded and (folder / path).read_text() == "important\n" * 1000
        attacks.count(f"{kind.__name__} {edited}: {result.text}", held=held)


def test_what_is_as_it_was_shown_is_written(tmp_path):
    for kind, arguments in CALLS:
        (tmp_path / "a.txt").write_text("old\n")
        assert kind(tmp_path).run(arguments, ToolContext(reviewer=Meanwhile(lambda: None))).succeeded
        assert "new" in (tmp_path / "a.txt").read_text()
    (tmp_path / "a.txt").unlink()
    assert FileWrite(tmp_path).run(CALLS[0][1], ToolContext(reviewer=Meanwhile(lambda: None))).succeeded
    assert (tmp_path / "a.txt").stat().st_nlink == 1
    assert list(tmp_path.iterdir()) == [tmp_path / "a.txt"]


def test_where_nobody_is_shown_anything_there_is_nothing_to_compare(tmp_path):
    (tmp_path / "a.txt").write_text("old\n")
    assert FileWrite(tmp_path).run(CALLS[0][1], ToolContext(policy=AllowAll("--yes"))).succeeded
    assert FileWrite(tmp_path).run(CALLS[0][1]).succeeded


def test_the_failure_says_what_happened(tmp_path):
    reviewer = Meanwhile(lambda: write_new(tmp_path / "a.txt"))
    result = FileWrite(tmp_path).run(CALLS[0][1], ToolContext(reviewer=reviewer))
    message = "a.txt has changed since it was shown; nothing was written"
    assert result == ToolResult.failure(message, "conflict")


def test_of_two_calls_that_were_shown_the_same_file_only_one_is_made(tmp_path, attacks):
    class Together:
        def __init__(self) -> None:
            self.open = 0
            self.all_open = asyncio.Event()

        async def review(self, request: ReviewRequest) -> Continue:
            self.open += 1
            if self.open == 20:
                self.all_open.set()
            await self.all_open.wait()
            return Continue()

    kinds: tuple[type[FileWrite | CodeEdit], ...] = (FileWrite, CodeEdit)
    for kind, content in product(kinds, ("old\n", None)):
        file = tmp_path / "a.txt"
        file.unlink(missing_ok=True)
        if content is not None:
            file.write_text(content)
        extra = {"command": "write"} if kind is CodeEdit else {}
        writing: Tool = kind(tmp_path)

        async def main(writing: Tool = writing, extra: dict[str, str] = extra) -> list[ToolResult]:
            context = ToolContext(reviewer=Together())
            calls = ({"path": "a.txt", "content": f"{number}\n", **extra} for number in range(20))
            return await asyncio.gather(*(writing.call(call, context) for call in calls))

        results = asyncio.run(main())
        made = [number for number, result in enumerate(results) if result.succeeded]
        codes = {result.error_code for result in results if not result.succeeded}
        held = len(made) == 1 and codes == {"conflict"} and file.read_text() == f"{made[0]}\n"
        attacks.count(f"{kind.__name__} on {content!r}: {made} {codes}", held=held)


class Page(Tool):
    """A tool of one's own whose effect depends on a state that others change: it publishes over what is there."""

    spec = ToolSpec("publish", "Publishes.", destructive=True)

    def __init__(self) -> None:
        """Begin with the first version."""
        self.version = 1

    def parse(self, arguments: Any) -> dict[str, Any]:
        """Take nothing."""
        return {}

    def describe(self, parsed: Any) -> dict[str, Any]:
        """Take nothing."""
        return {}

    def preview(self, parsed: Any, context: ToolContext) -> Preview:
        """Say which version is replaced."""
        return Preview("replaces the page", state={"page": str(self.version)})

    async def perform(self, parsed: Any, context: ToolContext) -> ToolResult:
        """Publish, if the version is still the one that was shown."""
        if context.shown_state("page") not in {None, str(self.version)}:
            return ToolResult.failure("the page has changed", "conflict")
        self.version += 1
        return ToolResult(f"version {self.version}")


@settings(max_examples=examples(50))
@given(st.lists(st.booleans(), min_size=1, max_size=6), st.booleans())
def test_any_tool_can_hold_its_effect_to_what_was_shown(changes, is_wrapped):
    page = Page()
    called: Tool = ShortenedTool(page, 100) if is_wrapped else page
    for changes_meanwhile in changes:

        def happens(changes_meanwhile: bool = changes_meanwhile) -> None:
            page.version += changes_meanwhile

        before = page.version
        result = called.run("{}", ToolContext(reviewer=Meanwhile(happens)))
        assert result.succeeded is not changes_meanwhile
        assert page.version == before + 1


def test_a_page_is_published_where_nobody_was_shown_anything():
    page = Page()
    assert page.run("{}").output == "version 2"

"""Heads: how every file that describes a tool begins: the version of its format, its name and its inputs."""

from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.documents.nodes import Mapping, plain
from toolkit.documents.shapes import ShapeReader, Word
from toolkit.tools.names import legal_name, name_problem

if TYPE_CHECKING:
    from toolkit.tools.inputs import Input

FORMAT_VERSION = 1


class HeadReader(ShapeReader):
    """Reads the keys that files of all kinds of tools have."""

    def check_version(self, root: Mapping) -> None:
        """Report a format that is not known; a file need not name its own."""
        node = root.get("toolkit")
        if node is not None and plain(node) != FORMAT_VERSION:
            self.report(node.location, f"this is a format that is not known; 'toolkit' must be {FORMAT_VERSION}")

    def name(self, root: Mapping, otherwise: str) -> Word:
        """Read the name of the tool: that of the file where none is written, and `otherwise` where it is not text."""
        node = root.get("name")
        if node is None:
            return Word(legal_name(Path(root.location.file).stem), root.location)
        text = self.text(node, "'name'")
        if text is None:
            return Word(otherwise, node.location)
        if problem := name_problem(text, node.location):
            self.problems.append(problem)
        return Word(text, node.location)

    def description(self, owner: Mapping) -> str:
        """Read what something does; empty if not described."""
        node = owner.get("description")
        return "" if node is None else self.text(node, "'description'") or ""

    def inputs(self, root: Mapping, key: str = "inputs", each: str = "input") -> "tuple[Input, ...] | None":
        """Read what a mapping of data is made of, if the file declares it."""
        node = root.get(key)
        if node is None:
            return None
        from toolkit.tools.inputs import InputReader  # noqa: PLC0415 - many tools take one text

        return InputReader(self.problems, key, each).read(node)

"""Reads the keys at the beginning of every file that defines a tool: format version, name, description and inputs."""

from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.documents.nodes import UNKNOWN_VERSION, Mapping, is_known_version, plain
from toolkit.documents.shapes import ShapeReader, Word
from toolkit.tools.definition.names import legal_name, name_problem

if TYPE_CHECKING:
    from toolkit.tools.inputs import Input


class HeadReader(ShapeReader):
    """Reads the keys that all files have in common."""

    def check_version(self, root: Mapping) -> None:
        """Report an unknown format version; the version is optional."""
        node = root.get("toolkit")
        if node is not None and not is_known_version(plain(node)):
            self.report(node.location, UNKNOWN_VERSION)

    def name(self, root: Mapping, otherwise: str) -> Word:
        """Read the name of the tool; without one, return the file's name, and `otherwise` if it is not a string."""
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
        """Read the description, or return an empty string if there is none."""
        node = owner.get("description")
        return "" if node is None else self.text(node, "'description'") or ""

    def inputs(self, root: Mapping, key: str = "inputs", each: str = "input") -> "tuple[Input, ...] | None":
        """Read the declarations of a mapping of data, or return `None` if there are none."""
        node = root.get(key)
        if node is None:
            return None
        from toolkit.tools.inputs import InputReader  # many tools declare no inputs

        return InputReader(self.problems, key, each).read(node)

"""Plain data in a file that can contain `${{ }}` anywhere.

Every value keeps its node, so that problems are reported at the exact character.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from toolkit import documents
from toolkit.codes import BAD_EXPRESSION
from toolkit.documents import Node, Scalar
from toolkit.errors import ToolExecutionError
from toolkit.pipelines.expressions import ExpressionError, parse_template
from toolkit.pipelines.expressions.json_values import written_number
from toolkit.problems import Location, Problem

if TYPE_CHECKING:
    from toolkit.pipelines.expressions import Expression, Reference, Template


def written_data(node: Node) -> Any:
    """Return the plain data of a node, with numbers that keep the digits of the file."""
    match node:
        case Scalar(value=float() as number):
            return written_number(node.text, number)
        case Scalar():
            return node.value
        case documents.Sequence(items=items):
            return [written_data(item) for item in items]
        case documents.Mapping(entries=entries):
            return {name: written_data(entry.value) for name, entry in entries.items()}


OPENING = "${{"


class ConstantValue(NamedTuple):
    """Data without expressions."""

    data: Any
    node: Node

    def render(self, roots: Mapping[str, Any]) -> Any:
        return self.data


class TemplateValue(NamedTuple):
    """A string with expressions in it. If it is a single expression, its value keeps its type."""

    template: "Template"
    node: Scalar

    def render(self, roots: Mapping[str, Any]) -> Any:
        """Return the string with its expressions evaluated.

        Raises:
            ToolExecutionError: If an expression fails. The message contains its location.
        """
        try:
            return self.template.render(roots)
        except ExpressionError as error:
            place = self.node.locate(error.offset, error.length)
            raise ToolExecutionError(f"{error} at {place}", code="expression") from error


class ListValue(NamedTuple):
    """A list that contains an expression."""

    items: "tuple[Value, ...]"
    node: Node

    def render(self, roots: Mapping[str, Any]) -> Any:
        """Return the list with every item rendered."""
        return [item.render(roots) for item in self.items]


class MappingValue(NamedTuple):
    """A mapping that contains an expression, or whose entries are needed one by one."""

    entries: "dict[str, Value]"
    keys: dict[str, Scalar]
    node: Node

    def render(self, roots: Mapping[str, Any]) -> dict[str, Any]:
        """Return the mapping with every entry rendered."""
        return {name: value.render(roots) for name, value in self.entries.items()}


class UnreadableValue(NamedTuple):
    """A string with an invalid expression, which has been reported already."""

    node: Scalar

    def render(self, roots: Mapping[str, Any]) -> Any:
        """Return `None`. No plan contains such a value, so this never runs."""
        return None


Value = ConstantValue | TemplateValue | ListValue | MappingValue | UnreadableValue


class LocatedExpression(NamedTuple):
    """An expression and its offset in the scalar that contains it."""

    expression: "Expression"
    offset: int
    scalar: Scalar

    @property
    def location(self) -> Location:
        """The location of the expression, without `${{ }}`."""
        return self.scalar.locate(self.offset, len(self.expression.source))

    def locate(self, reference: "Reference") -> Location:
        """Return the location of one of its references."""
        return self.scalar.locate(self.offset + reference.offset, reference.length)


def read_value(node: Node, problems: list[Problem]) -> Value:
    """Read a value from a node. Invalid expressions are reported and become an `UnreadableValue`."""
    match node:
        case documents.Scalar():
            return _read_scalar(node, problems)
        case documents.Sequence():
            items = tuple(read_value(item, problems) for item in node.items)
            if all(isinstance(item, ConstantValue) for item in items):
                return ConstantValue(written_data(node), node)
            return ListValue(items, node)
        case documents.Mapping():
            mapping = read_mapping(node, problems)
            if all(isinstance(value, ConstantValue) for value in mapping.entries.values()):
                return ConstantValue(written_data(node), node)
            return mapping


def read_mapping(node: documents.Mapping, problems: list[Problem]) -> MappingValue:
    """Read a mapping whose entries are needed one by one."""
    return MappingValue(
        {name: read_value(entry.value, problems) for name, entry in node.entries.items()},
        {name: entry.key for name, entry in node.entries.items()},
        node,
    )


def _read_scalar(node: Scalar, problems: list[Problem]) -> Value:
    if not isinstance(node.value, str) or OPENING not in node.value:
        return ConstantValue(written_data(node), node)
    template = read_template(node, problems)
    return UnreadableValue(node) if template is None else TemplateValue(template, node)


def read_template(node: Scalar, problems: list[Problem]) -> "Template | None":
    """Parse the template of a string, or report why it is invalid and return `None`."""
    try:
        return parse_template(node.text)
    except ExpressionError as error:
        problems.append(
            Problem(BAD_EXPRESSION, error.message, node.locate(error.offset, error.length), hint=error.hint),
        )
        return None


def expressions_in(value: Value | None) -> Iterator[LocatedExpression]:
    """Yield every expression inside a value, in source order."""
    match value:
        case TemplateValue():
            for expression, offset in value.template.expressions:
                yield LocatedExpression(expression, offset, value.node)
        case ListValue():
            for item in value.items:
                yield from expressions_in(item)
        case MappingValue():
            for entry in value.entries.values():
                yield from expressions_in(entry)
        case _:
            return


def written_in(value: Value | None) -> Any:
    """Return the literal data of a value, with `None` in place of everything that is not known before the run."""
    match value:
        case ConstantValue(data):
            return data
        case ListValue(items=items):
            return [written_in(item) for item in items]
        case MappingValue(entries=entries):
            return {name: written_in(entry) for name, entry in entries.items()}
        case _:
            return None


def is_constant(value: Value | None) -> bool:
    """Return whether a value contains no expression."""
    match value:
        case None | ConstantValue():
            return True
        case MappingValue():
            return all(is_constant(entry) for entry in value.entries.values())
        case _:
            return False

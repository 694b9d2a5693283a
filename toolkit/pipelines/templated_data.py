"""Templated data: what may stand in a file where data is wanted: plain data, with `${{ }}` anywhere inside.

A value knows the node it was written as, so that whatever is wrong with it is reported at the very character.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from toolkit import documents
from toolkit.codes import BAD_EXPRESSION
from toolkit.documents import Node, Scalar
from toolkit.errors import ToolExecutionError
from toolkit.pipelines.written_numbers import written_data
from toolkit.problems import Location, Problem

if TYPE_CHECKING:
    from toolkit.pipelines.expressions import Expression, Reference, Template

OPENING = "${{"


class ConstantValue(NamedTuple):
    """Data that is known before anything runs."""

    data: Any
    node: Node

    def render(self, roots: Mapping[str, Any]) -> Any:  # noqa: ARG002 - it needs none
        return self.data


class TemplateValue(NamedTuple):
    """A text with expressions in it; one that is exactly one expression keeps that one's type."""

    template: "Template"
    node: Scalar

    def render(self, roots: Mapping[str, Any]) -> Any:
        """Return what the text becomes with these roots.

        Raises:
            ToolExecutionError: If an expression fails; the message has its place.
        """
        from toolkit.pipelines.expressions import ExpressionError  # noqa: PLC0415 - plain chains need none

        try:
            return self.template.render(roots)
        except ExpressionError as error:
            place = self.node.locate(error.offset, error.length)
            raise ToolExecutionError(f"{error} at {place}", code="expression") from error


class ListValue(NamedTuple):
    """A list that has an expression somewhere inside."""

    items: "tuple[Value, ...]"
    node: Node

    def render(self, roots: Mapping[str, Any]) -> Any:
        """Return the list with every item rendered."""
        return [item.render(roots) for item in self.items]


class MappingValue(NamedTuple):
    """A mapping that has an expression somewhere inside, or whose entries are looked at one by one."""

    entries: "dict[str, Value]"
    keys: dict[str, Scalar]
    node: Node

    def render(self, roots: Mapping[str, Any]) -> dict[str, Any]:
        """Return the mapping with every entry rendered."""
        return {name: value.render(roots) for name, value in self.entries.items()}


class UnreadableValue(NamedTuple):
    """A text with a bad expression, which has been reported; nothing more is known of it."""

    node: Scalar

    def render(self, roots: Mapping[str, Any]) -> Any:  # noqa: ARG002 - it never comes to this
        """Return nothing: no plan has such a value."""
        return None


Value = ConstantValue | TemplateValue | ListValue | MappingValue | UnreadableValue


class LocatedExpression(NamedTuple):
    """An expression and where it begins in the scalar that holds it."""

    expression: "Expression"
    offset: int
    scalar: Scalar

    @property
    def location(self) -> Location:
        """The place of the expression's own text, without `${{ }}`."""
        return self.scalar.locate(self.offset, len(self.expression.source))

    def locate(self, reference: "Reference") -> Location:
        """Return the place of one of its references."""
        return self.scalar.locate(self.offset + reference.offset, reference.length)


def read_value(node: Node, problems: list[Problem]) -> Value:
    """Return the value that a node stands for; a bad expression is reported and becomes nothing."""
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
    """Return a mapping whose entries can be looked at one by one."""
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
    """Return the template that a text is, or `None` after reporting why there is none."""
    from toolkit.pipelines.expressions import ExpressionError, parse_template  # noqa: PLC0415 - plain chains need none

    try:
        return parse_template(node.text)
    except ExpressionError as error:
        problems.append(
            Problem(BAD_EXPRESSION, error.message, node.locate(error.offset, error.length), hint=error.hint),
        )
        return None


def expressions_in(value: Value | None) -> Iterator[LocatedExpression]:
    """Yield every expression inside a value, in the order in which they are written."""
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
    """Return the mappings and lists that a value is written as, with nothing in the place of what is not known yet."""
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
    """Return whether a value is known before anything runs."""
    match value:
        case None | ConstantValue():
            return True
        case MappingValue():
            return all(is_constant(entry) for entry in value.entries.values())
        case _:
            return False

"""Shapes: lists and mappings with templates in them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolkit.pipelines.expressions.templates import Template, parse_template


@dataclass(frozen=True, slots=True)
class Shape:
    """Plain data in which any text may be a template.

    Attributes:
        content: A Template, a list or a mapping of such contents, or any other plain value, which stands for itself.
    """

    content: Any

    def render(self, roots: Mapping[str, Any]) -> Any:
        """Return the data with every template rendered.

        Raises:
            ExpressionError: A template cannot be rendered.
        """
        return _rendered(self.content, roots)

    @property
    def templates(self) -> tuple[Template, ...]:
        """Every template in it."""
        return tuple(_templates_in(self.content))


def parse_shape(data: Any) -> Shape:
    """Parse every text in plain data as a template; keys are left as they are.

    Raises:
        ExpressionError: A text is no valid template.
    """
    return Shape(_parsed(data))


def _parsed(data: Any) -> Any:
    if isinstance(data, str):
        return parse_template(data)
    if isinstance(data, (list, tuple)):
        return [_parsed(item) for item in data]
    if isinstance(data, Mapping):
        return {key: _parsed(value) for key, value in data.items()}
    return data


def _rendered(content: Any, roots: Mapping[str, Any]) -> Any:
    if isinstance(content, Template):
        return content.render(roots)
    if isinstance(content, (list, tuple)):
        return [_rendered(item, roots) for item in content]
    if isinstance(content, Mapping):
        return {key: _rendered(value, roots) for key, value in content.items()}
    return content


def _templates_in(content: Any) -> Iterator[Template]:
    if isinstance(content, Template):
        yield content
    elif isinstance(content, (list, tuple)):
        for item in content:
            yield from _templates_in(item)
    elif isinstance(content, Mapping):
        for value in content.values():
            yield from _templates_in(value)

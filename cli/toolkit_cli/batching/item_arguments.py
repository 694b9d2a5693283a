"""How an item of a batch becomes the arguments of a call."""

from collections.abc import Mapping
from typing import Any

from toolkit.batches.items import Item
from toolkit.problems import did_you_mean
from toolkit.tools.base import Tool
from toolkit.tools.call_secrets import learn_arguments
from toolkit_cli import console
from toolkit_cli.arguments.conversion import Schemas
from toolkit_cli.arguments.text_places import text_place


class ItemArguments:
    """Turns items into arguments.

    A record supplies arguments by name; any other value becomes the tool's only open argument or its text input.
    Arguments for all items fill in what an item leaves out.
    """

    def __init__(self, tool: Tool, common: Mapping[str, Any], *, are_texts: bool) -> None:
        """Determine which arguments the items have to supply.

        Args:
            tool: The tool.
            common: The arguments for all items.
            are_texts: Whether the values in records are strings, as in CSV files.
        """
        self._tool, self._common, self._are_texts = tool, common, are_texts
        self._schemas = Schemas(tool.spec.parameters)
        self._names = tool.spec.properties.keys()
        self._takes_any = bool(tool.spec.parameters.get("additionalProperties"))
        still_open = [name for name in tool.spec.required if name not in common]
        place = text_place(tool, self._schemas, common)
        self._only = place.parameter or (still_open[0] if len(still_open) == 1 else None)
        self._takes_record = self._only_record()

    def of(self, item: Item) -> Mapping[str, Any] | str:
        """Return the arguments for an item, or an error message."""
        if item.fault is not None:
            return item.fault
        value = item.value
        if isinstance(value, dict) and not self._takes_record:
            arguments = self._of_record(value)
        elif self._only is None:
            arguments = f"{self._tool.name} takes several arguments, so the item has to be a record with their names"
        else:
            arguments = {**self._common, self._only: self._of_text(value) if isinstance(value, str) else value}
        if self._tool.hidden_parameters and not isinstance(arguments, str):
            learn_arguments(console.redactor(), self._tool, arguments)
        return arguments

    def _only_record(self) -> bool:
        """Return whether the only open argument is itself an object: then a record is its value."""
        names = self._names - self._common.keys()
        name = next(iter(names), "")
        takes_record = self._schemas.of(name).kinds() == {"object"}
        return len(names) == 1 and takes_record and self._only == name

    def _of_record(self, record: dict[str, Any]) -> Mapping[str, Any] | str:
        if not self._takes_any and not record.keys() <= self._names:
            return self._unknown(next(name for name in record if name not in self._names))
        if self._are_texts:
            record = {
                name: self._schemas.value(text, self._schemas.of(name))
                for name, text in record.items()
                if text or name in self._tool.spec.required
            }
        return {**self._common, **record} if self._common else record

    def _of_text(self, text: str) -> Any:
        return self._schemas.value(text, self._schemas.of(str(self._only)))

    def _unknown(self, name: str) -> str:
        takes = f"it takes {', '.join(self._names)}" if self._names else "it takes none"
        return f"{self._tool.name} has no argument '{name}' ({did_you_mean(name, self._names, otherwise=takes)})"

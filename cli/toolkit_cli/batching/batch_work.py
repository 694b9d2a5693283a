"""The inputs of a batch: the tool, the items, and the options."""

from typing import NamedTuple

from toolkit.batches.item_files import ItemFile
from toolkit.runs.run import OutputChannel
from toolkit.tools.base import Tool
from toolkit.tools.context import ToolContext
from toolkit_cli.batching.item_arguments import ItemArguments
from toolkit_cli.batching.item_results import BatchOptions


class BatchWork(NamedTuple):
    """What a batch needs to run.

    Attributes:
        tool: The tool to call for each item.
        items: The open file of items.
        arguments: Turns an item into the arguments of a call.
        context: The context of the calls.
        options: The options from the command line.
        run: The run id.
        channel: Receives messages from tools to the user.
    """

    tool: Tool
    items: ItemFile
    arguments: ItemArguments
    context: ToolContext
    options: BatchOptions
    run: str
    channel: OutputChannel | None = None

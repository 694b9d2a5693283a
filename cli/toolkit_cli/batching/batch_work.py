"""Batch work: what a batch calls for each item, and with what."""

from typing import NamedTuple

from toolkit.batches.item_files import ItemFile
from toolkit.runs.run import OutputChannel
from toolkit.tools.base import Tool
from toolkit.tools.context import ToolContext
from toolkit_cli.batching.item_arguments import ItemArguments
from toolkit_cli.batching.item_results import BatchOptions


class BatchWork(NamedTuple):
    """What a batch calls for each item, and with what.

    Attributes:
        tool: What is called for every item.
        items: The items, open.
        arguments: Makes arguments of an item.
        context: What the calls are made with.
        options: The options of the command line.
        run: The id of the run.
        channel: Receives what tools say to the user.
    """

    tool: Tool
    items: ItemFile
    arguments: ItemArguments
    context: ToolContext
    options: BatchOptions
    run: str
    channel: OutputChannel | None = None

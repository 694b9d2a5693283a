"""A small book of birds, and notes on what was read in it."""

from dataclasses import dataclass
from typing import Annotated

from toolkit import ToolContext, tool

PAGES = {
    "Barn owl": "White and silent. It hunts voles at dusk, by ear alone, and nests in towers and barns.",
    "Tawny owl": "Brown, at home in old woods. Its call is the one that everybody takes for an owl's.",
    "Swift": "It eats, drinks and sleeps in the air, and comes down only to breed.",
}


@dataclass(frozen=True)
class Note:
    """What was found out about a bird."""

    bird: str
    text: str


@tool(read_only=True)
def find_birds(word: Annotated[str, "What their name or page must have in it, such as 'owl'"]) -> list[str]:
    """List the birds of the book that have to do with a word."""
    return [bird for bird, page in PAGES.items() if word.casefold() in f"{bird} {page}".casefold()]


@tool(read_only=True)
def read_page(bird: Annotated[str, "Its name, as the book has it"]) -> str:
    """Read the page of a bird."""
    return PAGES[bird]


@tool(read_only=True)
def keep_note(
    bird: Annotated[str, "The bird that it is about"],
    text: Annotated[str, "What was found out, in a sentence"],
    context: ToolContext,
) -> Note:
    """Keep what was found out for everybody who works on the same task."""
    note = Note(bird, text)
    if context.run is not None:
        context.run.blackboard.add(note, name="note")
    return note

"""Tools of a library, in toolboxes: a model sees one tool, `library`, and looks inside when it wants to."""

from datetime import date
from typing import Annotated, TypedDict

from toolkit import tool, toolbox


class Loan(TypedDict):
    """A book that somebody has taken home."""

    reader: str
    title: str
    due: date


@toolbox(
    name="library",
    description="The library's desk: loans, and letters to readers.",
    usage_notes="Find out what is overdue before you write to anybody.",
)
class Library:
    """What stands at the desk."""

    @tool(read_only=True)
    def write_reminder(self, loan: Loan) -> str:
        """Write a reminder to the reader of a loan."""
        return f"Dear {loan['reader']}, '{loan['title']}' was due on {loan['due']}."

    @toolbox(name="loans", description="What is lent, and to whom.")
    class Loans:
        """The drawer with the cards."""

        @tool(read_only=True)
        def overdue(self, loans: list[Loan], day: Annotated[date, "The day, usually today"]) -> list[Loan]:
            """Find the loans that were due before a day, the oldest first."""
            return sorted((loan for loan in loans if loan["due"] < day), key=lambda loan: loan["due"])

        @tool(read_only=True)
        def of_reader(self, loans: list[Loan], reader: Annotated[str, "The reader's name"]) -> list[Loan]:
            """Find what a reader has at home."""
            return [loan for loan in loans if loan["reader"] == reader]

"""`same again` answers the questions about the very same call that were waiting for their turn, and no others."""

import asyncio

from toolkit import Continue, Reject, ReviewRequest, ToolContext, resolve_tools, tool


class Console:
    """Answers the first question for the whole run, and any other with no; one at a time, as a console does."""

    one_at_a_time = True

    def __init__(self) -> None:
        self.asked: list[dict[str, str]] = []

    async def review(self, request: ReviewRequest) -> Continue | Reject:
        self.asked.append(dict(request.arguments))
        await asyncio.sleep(0)  # gives the others the time to line up
        return Continue(same_again=True) if len(self.asked) == 1 else Reject("another call")


@tool(requires_approval=True)
async def publish(page: str) -> str:
    """Publish a page."""
    return f"published {page}"


def test_same_again_answers_the_same_calls_that_wait_and_no_others() -> None:
    console = Console()
    context = ToolContext(reviewer=console)
    publishing = resolve_tools([publish])["publish"]

    async def publish_all() -> list[str]:
        calls = (publishing.call({"page": page}, context) for page in ("a", "a", "b", "a"))
        return [result.text for result in await asyncio.gather(*calls)]

    assert sorted(asyncio.run(publish_all())) == [
        "Error: Rejected by reviewer: another call",
        "published a",
        "published a",
        "published a",
    ]
    assert sorted(call["page"] for call in console.asked) == ["a", "b"]

"""Artifacts: what tools make goes to a sink as well, filtered and transformed; the result stays as it is."""

from dataclasses import dataclass

import pytest

from toolkit import ConfigurationError, ToolContext, ToolResult, from_function
from toolkit.disclosure import UnfoldingTool
from toolkit.runs import Run
from toolkit.wrappers import (
    ArtifactSinkingTool,
    AssetTracker,
    BlackboardSink,
    CompositeSink,
    ListSink,
    publish_to_blackboard,
    sink_artifacts,
    track_assets,
)


@dataclass(frozen=True)
class Hit:
    id: str
    score: float


HITS = [Hit("a", 0.9), Hit("b", 0.2), Hit("c", 0.7)]


def search(query: str) -> list[Hit]:
    """Search."""
    return [hit for hit in HITS if query in ("*", hit.id)]


def best() -> Hit:
    """Give the best."""
    return HITS[0]


def test_every_element_of_a_collection_goes_to_the_sink_in_order():
    sink = ListSink()
    tool = sink_artifacts(from_function(search), sink)
    assert tool.run({"query": "*"}) == from_function(search).run({"query": "*"})
    assert sink.artifacts == HITS


def test_type_filter_and_transform_say_what_is_taken():
    kept = []
    tool = ArtifactSinkingTool(
        from_function(search), kept.append, Hit, where=lambda hit: hit.score > 0.5, transform=lambda hit: hit.id
    )
    assert tool.run({"query": "*"}).artifact == HITS
    assert kept == ["a", "c"]
    ArtifactSinkingTool(from_function(search), kept.append, str).run({"query": "*"})
    assert kept == ["a", "c"]


def test_a_mapping_is_one_artifact_and_a_text_is_none():
    def table() -> dict[str, int]:
        """Give a table."""
        return {"a": 1}

    def text() -> str:
        """Give a text."""
        return "a"

    sink = ListSink()
    sink_artifacts(from_function(table), sink).run()
    sink_artifacts(from_function(text), sink).run()
    assert sink.artifacts == [{"a": 1}]


def test_failed_calls_have_no_artifacts():
    def fail() -> ToolResult:
        """Fail."""
        return ToolResult("", "no", artifact=HITS[0])

    sink = ListSink()
    assert sink_artifacts(from_function(fail), sink).run().error == "no"
    assert sink.artifacts == []


def test_revealed_tools_are_no_artifacts():
    sink = ListSink()
    facade = sink_artifacts(UnfoldingTool.of("hits", "Hits.", [from_function(search)]), sink)
    assert facade.run().artifact.facade == "hits"
    assert sink.artifacts == []


def test_artifacts_go_to_the_blackboard_of_the_run():
    run = Run()
    tool = publish_to_blackboard(from_function(best), Hit, name="best")
    tool.run({}, ToolContext(run=run))
    assert (run.blackboard.get("best"), run.blackboard.last("Hit")) == (HITS[0], HITS[0])


def test_without_a_run_nothing_is_done():
    called = []

    def make() -> int:
        """Make."""
        called.append(1)
        return 1

    for sink in (BlackboardSink(), CompositeSink(ListSink(), BlackboardSink())):
        with pytest.raises(ConfigurationError, match="the call does not belong to a run"):
            sink_artifacts(from_function(make), sink).run()
    assert called == []


def test_a_composite_hands_to_all_its_sinks():
    kept, collected, run = [], ListSink(), Run()
    sink = CompositeSink(kept.append, collected, BlackboardSink())
    sink_artifacts(from_function(best), sink).run({}, ToolContext(run=run))
    assert (kept, collected.artifacts, list(run.blackboard)) == ([HITS[0]], [HITS[0]], [HITS[0]])


def test_a_sink_that_fails_says_that_the_work_is_done():
    def full(_):
        raise OSError("disk full")

    result = sink_artifacts(from_function(best), full).run()
    assert result.error == "the tool succeeded, but its artifacts could not be stored: disk full"


def test_assets_are_tracked_once_by_their_id():
    tracker = AssetTracker()
    found, top = track_assets(tracker, [from_function(search), from_function(best)], where=lambda hit: hit.score > 0.5)
    found.run({"query": "*"})
    top.run()
    assert tracker.assets == [HITS[0], HITS[2]]
    assert tracker.add(Hit("a", 0.1)) is False
    assert tracker.add(Hit("d", 0.1)) is True
    assert [asset.id for asset in tracker.assets] == ["a", "c", "d"]


def test_what_has_no_id_is_no_asset():
    def number() -> int:
        """Give a number."""
        return 7

    tracker = AssetTracker()
    [tool] = track_assets(tracker, [from_function(number)], where=lambda asset: asset.id > 0)
    assert tool.run().output == "7"
    sink_artifacts(from_function(number), tracker).run()
    assert tracker.assets == []


@pytest.mark.parametrize("kind", ["Hit", None, list[Hit]])
def test_a_kind_that_is_not_a_class_is_refused_before_the_tool_runs(kind):
    with pytest.raises(ConfigurationError, match=r"^the type of the artifacts must be a class, not "):
        sink_artifacts(from_function(lambda: 1, name="one", description="One."), print, kind)


@pytest.mark.parametrize("sink", [None, []])
def test_what_cannot_receive_artifacts_is_not_a_sink(sink):
    with pytest.raises(ConfigurationError, match=r"^a sink must be a Sink or a function, not "):
        CompositeSink(ListSink(), sink)


def test_async_sinks_and_conditions_are_refused_rather_than_forgotten():
    async def later(_):
        return False

    made = from_function(lambda: 1, name="one", description="One.")
    with pytest.raises(ConfigurationError, match=r"^a sink must be a plain function, not an async one$"):
        sink_artifacts(made, later).run()  # type: ignore[arg-type]
    with pytest.raises(
        ConfigurationError, match=r"^the condition of a sink must be a plain function, not an async one$"
    ):
        sink_artifacts(made, print, where=later).run()

"""The direct way of plain text steps gives what the long way gives, whatever the steps do."""

from hypothesis import given, settings, strategies as st

from toolkit import ErrorStrategy, ExitEarlyError, Pipeline, ToolContext, ToolResult
from toolkit.approvals import ByRisk
from toolkit.tools import RecordingMetrics, TextTool


class Step(TextTool):
    description = "Does what it was told."

    def __init__(self, name, does):
        self.name = name
        self.does = does

    def execute(self, text):
        if isinstance(self.does, type):
            raise self.does("enough")
        return self.does(text) if callable(self.does) else self.does


behaviours = st.one_of(
    st.text(max_size=5),
    st.just(None),
    st.sampled_from([str.upper, lambda text: text + text, lambda text: ToolResult.success("data", structured=[text])]),
    st.builds(ToolResult.failure, st.text(max_size=5), st.sampled_from([None, "E1", "timeout", "rejected"])),
    st.sampled_from([ValueError, ExitEarlyError]),
)


def outcome(pipeline, text, **context):
    """Return everything that a run shows: its result or what it raised, and what was recorded."""
    metrics = RecordingMetrics()
    try:
        result = pipeline.run({"input": text}, ToolContext(metrics=metrics, **context))
    except ExitEarlyError as error:
        result = (error.reason, error.outputs)
    return result, metrics.operations()


@settings(deadline=None)
@given(
    does=st.lists(behaviours, max_size=5),
    text=st.text(max_size=5),
    strategy=st.sampled_from(ErrorStrategy),
)
def test_both_ways_give_the_same(does, text, strategy):
    builder = Pipeline.builder().name("chain").description("A chain.").error_strategy(strategy)
    for number, one in enumerate(does):
        builder.step(Step(f"step_{number}", one))
    pipeline = builder.build()
    direct = outcome(pipeline, text)
    assert outcome(pipeline, text, listener=lambda event: None) == direct
    assert outcome(pipeline, text, policy=ByRisk()) == direct

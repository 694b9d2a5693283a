"""Items that fail and are skipped are reported: in the result, the events, and through nested pipelines."""

from toolkit import ToolContext
from toolkit.events import ItemFinished, StepFinished
from toolkit.tools import SkippedItem, Skips

ODD = """
inputs: {numbers: {type: array, items: {type: integer}}}
steps:
  - id: odd
    for_each: ${{ inputs.numbers }}
    on_item_error: skip
    use: odd
    with: {number: "${{ item }}"}
"""
SKIPPED = SkippedItem(1, "2", "2 is even", "even")


def test_result_has_the_items_that_were_skipped(bench):
    result = bench.run(ODD, {"numbers": [1, 2, 3]})
    assert (result.structured, result.skips) == ([1, 3], (Skips("odd", 3, (SKIPPED,)),))
    assert result.text == "Some items were skipped. step 'odd': 2 of 3, 1 skipped: item 2 (2): 2 is even\n[1,3]"


def test_nothing_is_remarked_where_nothing_was_skipped(bench):
    result = bench.run(ODD, {"numbers": [1, 3]})
    assert (result.text, result.skips) == ("[1,3]", ())


def test_skips_come_through_nested_pipelines_and_what_follows_them(bench):
    bench.write(ODD, "inner.yaml")
    text = """
    inputs: {}
    steps:
      - {id: first, use: ./inner.yaml, with: {numbers: [1, 2]}, adapt: "${{ len(result) }}"}
      - id: all
        for_each: ${{ [[1], [4, 5]] }}
        use: ./inner.yaml
        with: {numbers: "${{ item }}"}
      - parallel: {side: [{id: last, use: ./inner.yaml, with: {numbers: [6]}}]}
      - set: done
    """
    expected = (
        Skips("first/odd", 2, (SKIPPED,)),
        Skips("all/[1]/odd", 2, (SkippedItem(0, "4", "4 is even", "even"),)),
        Skips("parallel/side/last/odd", 1, (SkippedItem(0, "6", "6 is even", "even"),)),
    )
    pipeline, _ = bench.read(text)  # what the steps give is lost on purpose, of which it warns
    assert pipeline is not None
    assert pipeline.run({}).skips == expected
    assert pipeline.run({}, ToolContext(listener=lambda _: None)).skips == expected


def test_events_have_the_items_that_were_skipped(bench):
    heard = []
    bench.run(ODD, {"numbers": [1, 2]}, listener=heard.append)
    [finished] = [event for event in heard if isinstance(event, StepFinished)]
    record = {"index": 1, "item": "2", "error": "2 is even", "error_code": "even"}
    assert (finished.items, finished.skipped) == (2, [record])
    items = [event for event in heard if isinstance(event, ItemFinished)]
    assert [(item.item, item.output, item.error) for item in items] == [("1", "1", None), ("2", "", "2 is even")]


def test_failed_step_after_skips_still_reports_them(bench):
    result = bench.run(ODD + "  - fail\n", {"numbers": [2]})
    assert (result.error, result.skips) == ("no []", (Skips("odd", 1, (SKIPPED._replace(place=0),)),))


def test_long_items_are_cut(bench):
    result = bench.run(ODD.replace("type: integer", "type: string").replace("use: odd", "use: fail").replace(
        'with: {number: "${{ item }}"}', 'with: {input: "${{ item }}"}'
    ), {"numbers": ["x" * 100]})  # fmt: skip
    assert result.skips[0].items[0].item == "x" * 59 + "…"

"""Two whole pipelines as people write them, planned and run with small stand-ins for their tools."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from toolkit import Continue, Reject, ToolContext, ToolExecutionError, resolve_tools, tool
from toolkit.approvals import ScriptedReviewer
from toolkit.pipelines import mermaid_of, outline_of, read_pipeline

CASES = Path(__file__).parent / "cases" / "good"


@tool
def web_scrape(url: str) -> str:
    """Return the text of a page."""
    return f"All about {url} and more."


@tool
def summarize(text: str, style: str = "plain", max_words: int = 50) -> str:
    """Condense a text."""
    return f"{style}: {' '.join(text.split()[:3])} ({max_words})"


@dataclass
class Issue:
    number: int
    title: str
    body: str


@dataclass
class Page:
    issues: list[Issue]


@dataclass
class Label:
    label: str


@tool
def list_issues(repo: str, limit: int) -> Page:
    """List open issues."""
    issues = [
        Issue(1, "crash", "It broke."),
        Issue(2, "help", "How?"),
        Issue(3, "???", ""),
        Issue(4, "crash again", ""),
    ]
    return Page(issues[:limit])


@tool
def classify(text: str, labels: list[str]) -> Label:
    """Label an issue."""
    if "???" in text:
        raise ToolExecutionError("cannot tell")
    return Label(labels[0] if "crash" in text else labels[2])


@tool
def comment(repo: str, body: str) -> str:
    """Post a comment."""
    return f"{repo}: {body}"


@pytest.fixture
def shape(bench):
    bench.opening.tools = resolve_tools([web_scrape, summarize, list_issues, classify, comment])

    def load(name):
        pipeline, problems = read_pipeline(CASES / name / "pipeline.yaml", bench.opening)
        assert problems == []
        return pipeline

    return load


def test_a_page_is_fetched_and_condensed(shape):
    digest = shape("page_digest")
    assert digest.run({"url": "https://example.org/"}).output == "plain: All about https://example.org/ (120)"
    assert digest.run({"url": "example"}).error == "Invalid parameter 'url': it is not a valid uri: 'example'"


def test_issues_are_labelled_and_a_comment_is_posted_after_a_yes(shape):
    reviewer = ScriptedReviewer([Continue()])
    result = shape("triage_issues").run({"repo": "a/b"}, ToolContext(reviewer=reviewer))
    assert result.structured == {"bugs": [1, 4], "posted": True}
    [request] = reviewer.requests
    assert request.text == "Post a comment naming 2 bugs in a/b?"
    assert request.arguments == {"repo": "a/b", "body": "Bugs: [1,4]"}


def test_a_no_to_the_comment_ends_the_run(shape):
    result = shape("triage_issues").run({"repo": "a/b"}, ToolContext(reviewer=ScriptedReviewer([Reject("not now")])))
    assert (result.error, result.error_code) == ("Rejected by reviewer: not now", "rejected")
    assert [(one.step, one.of, [item.place for item in one.items]) for one in result.skips] == [("label", 4, [2])]


def test_without_bugs_nobody_is_asked(shape):
    result = shape("triage_issues").run({"repo": "a/b", "limit": 0})
    assert result.structured == {"bugs": [], "posted": False}


def test_a_pipeline_can_be_looked_at(shape):
    outline = outline_of(shape("triage_issues").plan)
    assert outline.inputs == ("repo", "limit")
    assert outline.ends == ("bugs", "post")
    assert outline.output == '{"bugs": "${{ steps.bugs.output }}", "posted": "${{ steps.post.status == \'ok\' }}"}'
    assert [(step.path, step.kind, step.tool, step.sources, step.notes) for step in outline.steps] == [
        ("list", "use", "list_issues", ("inputs.repo", "inputs.limit"), ("3 attempts", "at most 30s")),
        (
            "label",
            "use",
            "classify",
            ("list",),
            (
                "for each of ${{ steps.list.output.issues }}, 4 at a time, skipping failed items",
                'its result becomes {"number": "${{ item.number }}", "label": "${{ result.label }}"}',
            ),
        ),
        ("bugs", "set", None, ("label",), ()),
        (
            "post",
            "use",
            "comment",
            ("bugs", "inputs.repo"),
            (
                "only if ${{ len(steps.bugs.output) > 0 }}",
                "asks first: Post a comment naming ${{ len(steps.bugs.output) }} bugs in ${{ inputs.repo }}?",
                "continues after a failure",
            ),
        ),
    ]
    assert outline.steps[3].arguments == {
        "repo": "${{ inputs.repo }}",
        "body": "Bugs: ${{ json(steps.bugs.output) }}",
    }


def test_the_pipe_is_seen_in_the_outline(shape):
    first, second = outline_of(shape("page_digest").plan).steps
    assert (first.sources, first.piped) == (("inputs.url",), "url")
    assert (second.sources, second.piped, second.arguments) == (("web_scrape",), "text", {"max_words": "120"})


def test_a_pipeline_is_drawn(bench):
    text = """
    steps:
      - upper
      - id: both
        parallel:
          left: [reverse, {use: repeat, when: "${{ len(prev) > 1 }}"}]
          right: {id: right, use: later}
      - {approve: "Is this \\"good\\" & <safe>?"}
      - {id: last, set: "${{ prev.left + input }}"}
    on_failure: [upper]
    """
    assert (
        mermaid_of(bench.load(text).plan)
        == """\
flowchart TD
    n1(["input"])
    n2["1 · upper"]
    n3{{"2 · both"}}
    subgraph n4["left"]
        n5["1 · reverse"]
        n6["2 · repeat"]
    end
    subgraph n7["right"]
        n8["1 · right: later"]
    end
    n9{"3 · approve<br/>asks: Is this #quot;good#quot; #amp; #lt;safe#gt;?"}
    n10[/"4 · last"/]
    n11(["output"])
    n1 --> n2
    n2 --> n3
    n3 --> n5
    n5 -->|"only if ${{ len(prev) #gt; 1 }}"| n6
    n3 --> n8
    n6 --> n9
    n8 --> n9
    n9 --> n10
    n1 --> n10
    n10 --> n11
    subgraph failure["on_failure"]
        n12["1 · upper"]
    end
"""
    )

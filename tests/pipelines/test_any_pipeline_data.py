"""Whatever YAML holds, it becomes a plan or problems with places, and never an exception."""

from pathlib import Path

import yaml
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.volumes import examples
from toolkit.documents.keys import names_of  # private
from toolkit.pipelines import mermaid_of, outline_of, read_pipeline, taints_of
from toolkit.pipelines.pipeline_format import DEFAULTS, TOP_KEYS  # private
from toolkit.pipelines.step_keys import (  # private
    APPROVE_KEYS,
    RETRY_KEYS,
    STEP_KEYS,  # private
)

WORDS = [
    "upper",
    "add",
    "norm",
    "list_issues",
    "delete",
    "a",
    "b",
    "30s",
    "fail",
    "continue",
    "${{ prev }}",
    "${{ item.title }} and ${{ index }}",
    "${{ steps.a.output }}",
    "${{ [x for x in inputs.a] }}",
    "${{ error.message",
    "${{ result.x[0] }}",
    "${{ env.REGION }}",
    "./pipeline.yaml",
]
KEYS = [
    *TOP_KEYS,
    *STEP_KEYS,
    *names_of((*RETRY_KEYS, *APPROVE_KEYS, *DEFAULTS)),
    "value",
    "type",
    "a",
    "input",
    "text",
]

leaves = (
    st.none()
    | st.booleans()
    | st.integers(-3, 200)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(WORDS)
    | st.text(max_size=8)
)
data = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=5), inner, max_size=5)
    ),
    max_leaves=25,
)
steps = st.lists(
    st.sampled_from(WORDS) | st.dictionaries(st.sampled_from(STEP_KEYS), data, min_size=1, max_size=5), max_size=5
)
pipelines = st.fixed_dictionaries(
    {"steps": steps}, optional={name: data for name in TOP_KEYS if name != "steps"} | {"on_failure": steps}
)

settled = settings(
    max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def check(path, opening):
    pipeline, problems = read_pipeline(path, opening)
    assert (pipeline is None) == any(problem.severity == "error" for problem in problems)
    assert all(problem.location is not None for problem in problems)
    if pipeline is not None:
        assert len(outline_of(pipeline.plan).steps) == len(pipeline.steps)
        assert taints_of(pipeline.plan).keys() <= {step.path for step in pipeline.plan.walk()}
        assert mermaid_of(pipeline.plan).startswith("flowchart TD\n")
        assert pipeline.spec.parameters["type"] == "object"


@settled
@given(document=data | pipelines)
def test_any_data_becomes_a_plan_or_problems(bench, document):
    check(bench.write(yaml.safe_dump(document, allow_unicode=True)), bench.opening)


@settled
@given(document=pipelines)
def test_any_plan_that_exists_runs_to_a_result(bench, document):
    bench.opening.tools.pop("forever", None)
    pipeline, _ = read_pipeline(bench.write(yaml.safe_dump(document, allow_unicode=True)), bench.opening)
    if pipeline is not None and not any(step.definition.retry for step in pipeline.plan.walk()):
        from toolkit import ToolContext
        from toolkit.approvals import AutoReviewer

        result = pipeline.run({"input": "some text"}, ToolContext(reviewer=AutoReviewer()))
        assert isinstance(result.output, str)


@settled
@given(text=st.text(max_size=60))
def test_any_text_becomes_a_plan_or_problems(bench, text):
    path = Path(bench.folder / "pipeline.yaml")
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    check(path, bench.opening)

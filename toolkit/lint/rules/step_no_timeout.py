"""TK617: a step calls something outside without a timeout."""

from collections.abc import Iterator

from toolkit.codes import STEP_NO_TIMEOUT
from toolkit.lint.definitions.pipeline_files import PipelineFile, PipelineStep
from toolkit.lint.rule import Rule
from toolkit.pipelines.step_edits import with_key
from toolkit.problems import Problem

_CHECKED = (".yaml", ".yml")
"""How the sources of pipelines and agents end, whose own steps and limits count instead."""


class StepNoTimeout(Rule):
    """A step calls a tool that reaches beyond this machine, and there is no `timeout`.

    ## Why

    The server may never answer, and then the pipeline waits forever without a message. Many tools have their own
    limit, but only the pipeline knows how long it can wait. Set `timeout` in the step, or for all steps under
    `defaults`. The fix sets 30 seconds. It is unsafe, because a call that takes longer fails from then on.

    ## Example

    ```yaml
    name: page
    description: Fetch a page of the web.
    steps:
      - web_scrape
    ```

    ## Instead

    ```yaml
    name: page
    description: Fetch a page of the web.
    steps:
      - use: web_scrape
        timeout: 10s
    ```

    ## Source

    - CWE-400, [uncontrolled resource consumption](https://cwe.mitre.org/data/definitions/400.html) (checked 2026-11-22)
    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-22)
    """

    code = STEP_NO_TIMEOUT
    severity = "info"
    needs_import = True
    default = False
    fix = "unsafe"

    def check_pipeline(self, pipeline: PipelineFile) -> Iterator[Problem]:
        for step in pipeline.steps or ():
            if step.timeout is None and _waits(step):
                message = f"step {step.path!r} calls something outside without a timeout"
                fix = with_key(pipeline.node_at(step.location), "timeout", "30s", is_safe=False)
                hint = "set a timeout for the step, or for all steps under 'defaults'"
                yield self.problem(message, step.location, hint=hint, fix=fix)


def _waits(step: PipelineStep) -> bool:
    tool = step.tool
    return tool is not None and bool(tool.open_world) and not (tool.source or "").endswith(_CHECKED)

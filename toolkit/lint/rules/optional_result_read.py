"""TK613: a pipeline reads the output of a step that may not have run."""

import re
from collections.abc import Iterator

from toolkit.codes import OPTIONAL_RESULT_READ
from toolkit.documents.nodes import Mapping, Node, Scalar, Sequence
from toolkit.lint.definitions.pipeline_files import PipelineFile
from toolkit.lint.rule import Rule
from toolkit.problems import Problem

_READ = re.compile(r"\bsteps\.(\w+)\.(?:output|text)\b")


class OptionalResultRead(Rule):
    """An expression reads the output of a step that may be skipped or may fail, without checking its status.

    ## Why

    A step with `when` may not run, and one with `on_error: continue` may have failed: its output is then empty, and
    a step that reads it fails later or, worse, continues with it. `steps.NAME.status` says what happened;
    `default(…)` gives a value for the other case.

    ## Example

    ```yaml
    name: total
    description: Calculate what a text asks for, if it asks for something.
    steps:
      - id: sum
        use: calculator
        when: ${{ len(input) > 0 }}
      - set: The sum is ${{ steps.sum.output }}
    ```

    ## Instead

    ```yaml
    name: total
    description: Calculate what a text asks for, if it asks for something.
    steps:
      - id: sum
        use: calculator
        when: ${{ len(input) > 0 }}
      - set: The sum is ${{ default(steps.sum.output, 'not known') }}
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-22)
    """

    code = OPTIONAL_RESULT_READ

    def check_pipeline(self, pipeline: PipelineFile) -> Iterator[Problem]:
        root = pipeline.root
        if root is None:
            return
        uncertain = {name: why for step in _steps(root.get("steps")) for name, why in _uncertain(step)}
        for scalar, conditions in _texts(root, "") if uncertain else ():
            for found in _READ.finditer(scalar.text):
                name = found[1]
                if (
                    name in uncertain
                    and f"steps.{name}.status" not in conditions
                    and not _has_default(scalar.text, found.start())
                ):
                    message = f"step {name!r} {uncertain[name]}, but its output is always read"
                    place = scalar.locate(found.start(), len(found[0]))
                    hint = f"check steps.{name}.status in 'when', or write default({found[0]}, …)"
                    yield self.problem(message, place, hint=hint)


def _steps(node: Node | None) -> Iterator[Mapping]:
    for item in node.items if isinstance(node, Sequence) else ():
        if isinstance(item, Mapping):
            yield item


def _uncertain(step: Mapping) -> Iterator[tuple[str, str]]:
    name, on_error = step.get("id"), step.get("on_error")
    if not isinstance(name, Scalar) or isinstance(on_error, Mapping):
        return
    if "when" in step.entries:
        yield name.text, "may be skipped"
    elif isinstance(on_error, Scalar) and on_error.text == "continue":
        yield name.text, "may fail without ending the pipeline"


def _texts(node: Node, conditions: str) -> Iterator[tuple[Scalar, str]]:
    """Yield every string and the conditions under which it is evaluated: its own, and those of the steps around it."""
    match node:
        case Scalar(value=str()):
            yield node, f"{conditions} {node.text}"
        case Sequence():
            for item in node.items:
                yield from _texts(item, conditions)
        case Mapping():
            when = node.get("when")
            inner = f"{conditions} {when.text}" if isinstance(when, Scalar) else conditions
            for entry in node.entries.values():
                yield from _texts(entry.value, inner)


def _has_default(text: str, start: int) -> bool:
    return text[:start].rstrip().endswith("default(")

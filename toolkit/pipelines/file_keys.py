"""Tables of the top-level keys of a pipeline's file and of its `defaults`."""

from typing import Final

from toolkit.documents.schemas import NAME, closed, reference
from toolkit.pipelines.definitions import ErrorStrategy
from toolkit.pipelines.keys import PARALLEL, read_parallel, read_timeout
from toolkit.pipelines.rows import Row, names_of
from toolkit.tools.heads import FORMAT_VERSION

# fmt: off
DEFAULT_ROWS: Final = (
    Row("timeout", "time limit for each call", reference("duration"), "timeout", read_timeout),
    Row("retry", "how failed calls are retried",
        reference("retry"), "retry", lambda reader, entry: reader.retry(entry.value)),
    Row("max_parallel", "maximum number of list items that run in parallel", PARALLEL, "max_parallel", read_parallel),
)
TOP_ROWS: Final = (
    Row("toolkit", "the version of the format; optional", {"const": FORMAT_VERSION}),
    Row("name", "the name of the tool; the file's stem by default",
        {"type": "string", "pattern": "^[A-Za-z0-9_][A-Za-z0-9_-]*$"}),
    Row("description", "what the pipeline does and when to use it", {"type": "string"}),
    Row("tools", "sources of tools to open, relative to the file", {"type": "array", "items": {"type": "string"}}),
    Row("inputs", "the inputs: a JSON Schema fragment for each name; by default a string `input` if a step reads it",
        {"type": ["object", "null"], "propertyNames": {"pattern": NAME}, "additionalProperties": reference("input")}),
    Row("defaults", "default `timeout`, `retry` and `max_parallel` for all steps",
        closed({row.name: row.described for row in DEFAULT_ROWS})),
    Row("error_strategy", "what happens after a step fails: `fail_fast` (by default) or `continue_on_failure`",
        {"enum": [strategy.value for strategy in ErrorStrategy]}),
    Row("steps", "the steps, in order; each receives the output of the one before", reference("steps")),
    Row("output", "the output of the pipeline, with `${{ }}` in it; by default the last step's result", {}),
    Row("on_failure", "steps that run after the pipeline has failed; they can read `error`", reference("steps")),
)
# fmt: on
TOP_KEYS: Final = names_of(TOP_ROWS)
DEFAULT_KEYS: Final = names_of(DEFAULT_ROWS)

"""File keys: a row for each key at the top of a pipeline's file, and for each of its `defaults`."""

from typing import Final

from toolkit.documents.schemas import NAME, closed, reference
from toolkit.pipelines.definitions import ErrorStrategy
from toolkit.pipelines.keys import PARALLEL, read_parallel, read_timeout
from toolkit.pipelines.rows import Row, names_of
from toolkit.tools.heads import FORMAT_VERSION

# fmt: off
DEFAULT_ROWS: Final = (
    Row("timeout", "how long each call may take", reference("duration"), "timeout", read_timeout),
    Row("retry", "how each failed call is tried again",
        reference("retry"), "retry", lambda reader, entry: reader.retry(entry.value)),
    Row("max_parallel", "how many items of a list run side by side", PARALLEL, "max_parallel", read_parallel),
)
TOP_ROWS: Final = (
    Row("toolkit", "the version of the format; optional", {"const": FORMAT_VERSION}),
    Row("name", "what the tool is called by; the file's stem by default",
        {"type": "string", "pattern": "^[A-Za-z0-9_-]+$"}),
    Row("description", "what it does and when to use it", {"type": "string"}),
    Row("tools", "sources of tools to open, relative to the file", {"type": "array", "items": {"type": "string"}}),
    Row("inputs", "its inputs: a JSON Schema fragment for each name; by default one text `input` if a step reads it",
        {"type": ["object", "null"], "propertyNames": {"pattern": NAME}, "additionalProperties": reference("input")}),
    Row("defaults", "default `timeout`, `retry` and `max_parallel` for all steps",
        closed({row.name: row.described for row in DEFAULT_ROWS})),
    Row("error_strategy", "what happens after a step has failed: `fail_fast` (by default) or `continue_on_failure`",
        {"enum": [strategy.value for strategy in ErrorStrategy]}),
    Row("steps", "what runs, in order; each step receives the output of the one before", reference("steps")),
    Row("output", "the output of the pipeline, with `${{ }}` in it; by default the last step's result", {}),
    Row("on_failure", "steps that run when it has failed; they can read `error`", reference("steps")),
)
# fmt: on
TOP_KEYS: Final = names_of(TOP_ROWS)
DEFAULT_KEYS: Final = names_of(DEFAULT_ROWS)

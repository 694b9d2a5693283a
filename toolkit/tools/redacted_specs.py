"""Redacted specifications: what a model is sent of a tool, without the secrets that stand in it."""

from dataclasses import replace

from toolkit.redactors.redactor import Redactor
from toolkit.tools.secret_arguments import secrets_of_schema
from toolkit.tools.spec import ToolSpec


def redacted_spec(spec: ToolSpec, redactor: Redactor) -> ToolSpec:
    """Return a specification as a model is sent it: without the secrets that stand in it."""
    redactor.learn(*secrets_of_schema(spec.parameters))
    texts = redactor.data([spec.description, spec.parameters, spec.output_schema, list(spec.examples)])
    description, parameters, output_schema, examples = texts
    return replace(
        spec, description=description, parameters=parameters, output_schema=output_schema, examples=tuple(examples)
    )

"""Redacts the secrets in the definition of a tool that a model receives."""

from dataclasses import replace

from toolkit.redactors.redactor import Redactor
from toolkit.tools.secret_arguments import secrets_of_schema
from toolkit.tools.spec import ToolSpec


def redacted_spec(spec: ToolSpec, redactor: Redactor) -> ToolSpec:
    """Return a specification with its secrets redacted, as a model receives it."""
    redactor.learn(*secrets_of_schema(spec.parameters))
    texts = redactor.data([spec.description, spec.parameters, spec.output_schema, list(spec.examples)])
    description, parameters, output_schema, examples = texts
    return replace(
        spec, description=description, parameters=parameters, output_schema=output_schema, examples=tuple(examples)
    )

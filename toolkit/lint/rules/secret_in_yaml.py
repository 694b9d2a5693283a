"""TK620: a secret in a pipeline."""

from collections.abc import Iterator

from toolkit.codes import SECRET_IN_YAML
from toolkit.documents.nodes import scalars_in
from toolkit.lint.clues.secrets_in_text import secrets_in
from toolkit.lint.definitions.pipeline_files import PipelineFile
from toolkit.lint.rule import Rule
from toolkit.problems import Problem


class SecretInYaml(Rule):
    """A pipeline contains a key, a token or a password.

    ## Why

    The file is kept in version control and read by many people, and its values appear in plans, questions and logs. A
    pipeline can read the environment instead: `${{ env.NAME }}`, for names that the configuration lists.

    ## Example

    ```yaml
    name: rates
    description: Fetch the exchange rates of the day.
    inputs: {}
    steps:
      - set: "https://shop:s3cr3t-Pa55w0rd@rates.shop.test/today"
    ```

    ## Instead

    ```yaml
    name: rates
    description: Say where the exchange rates of the day are.
    inputs: {}
    steps:
      - set: "https://rates.shop.test/today"
    ```

    ## Source

    - CWE-798, [Use of hard-coded credentials](https://cwe.mitre.org/data/definitions/798.html) (checked 2026-11-22)
    """

    code = SECRET_IN_YAML
    severity = "error"

    def check_pipeline(self, pipeline: PipelineFile) -> Iterator[Problem]:
        for scalar in scalars_in(pipeline.root) if pipeline.root is not None else ():
            for found in secrets_in(scalar.text) if isinstance(scalar.value, str) else ():
                place = scalar.locate(found.start, found.length)
                hint = "revoke it, and read it from the environment: ${{ env.NAME }}"
                yield self.problem(f"the pipeline contains {found.what}", place, hint=hint)

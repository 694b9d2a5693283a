"""TK633: a lock can never open."""

from toolkit.lint.rule import Rule


class ClosedForEver(Rule):
    """A lock can never open.

    ## Why

    It waits for tools that wait for it, so none of them can ever be called.

    ## Example

    ```yaml
    agent: playbook
    name: clerk
    description: Work out sums, then read JSON.
    tools: [calculator, json_parser]
    locks:
      calculator: json_parser
      json_parser: calculator
    ```

    ## Instead

    ```yaml
    agent: playbook
    name: clerk
    description: Work out sums, then read JSON.
    tools: [calculator, json_parser]
    locks:
      json_parser: calculator
    ```

    ## Source

    - the format of agents, [Agents in YAML](../agent-files.md) (checked 2026-11-22)
    """

    code = "TK633"
    name = "closed-for-ever"
    severity = "error"

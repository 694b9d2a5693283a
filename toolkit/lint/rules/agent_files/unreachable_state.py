"""TK632: no tool leads to a state."""

from toolkit.lint.rule import Rule


class UnreachableState(Rule):
    """No tool leads to a state.

    ## Why

    The agent is never in it, so what may be done there is never done. Often a transition was forgotten.

    ## Example

    ```yaml
    agent: state_machine
    name: clerk
    description: Work out sums, then read JSON.
    tools: [calculator, json_parser]
    states:
      adding: [calculator]
      reading: [json_parser]
    ```

    ## Instead

    ```yaml
    agent: state_machine
    name: clerk
    description: Work out sums, then read JSON.
    tools: [calculator, json_parser]
    states:
      adding: {calculator: reading}
      reading: [json_parser]
    ```

    ## Source

    - the format of agents, [Agents in YAML](../agent-files.md) (checked 2026-11-22)
    """

    code = "TK632"
    name = "unreachable-state"
    severity = "warning"

"""TK634: a tool of a state machine is in none of its states."""

from toolkit.lint.rule import Rule


class InNoState(Rule):
    """A tool of a state machine is in none of its states.

    ## Why

    It could never be called, so the model is not offered it. A file with many tools may be named for the sake of a few;
    one of which no state has any is named for nothing.

    ## Example

    ```yaml
    agent: state_machine
    name: clerk
    description: Work out sums, then be done.
    tools: [calculator, json_parser]
    states:
      working: {calculator: done}
      done: {}
    ```

    ## Instead

    ```yaml
    agent: state_machine
    name: clerk
    description: Work out sums, then be done.
    tools: [calculator, json_parser]
    states:
      working: {calculator: done}
      done: {}
    everywhere: [json_parser]
    ```

    ## Source

    - the format of agents, [Agents in YAML](../agent-files.md) (checked 2026-11-22)
    """

    code = "TK634"
    name = "in-no-state"
    severity = "warning"

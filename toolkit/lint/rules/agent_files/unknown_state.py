"""TK631: a state is named that there is not."""

from toolkit.lint.rule import Rule


class UnknownState(Rule):
    """A state is named that there is not.

    ## Why

    The agent cannot be made: it would have to be in a state without tools.

    ## Example

    ```yaml
    agent: state_machine
    name: clerk
    description: Work out sums, then be done.
    tools: [calculator]
    states:
      working: {calculator: dnoe}
      done: {}
    ```

    ## Instead

    ```yaml
    agent: state_machine
    name: clerk
    description: Work out sums, then be done.
    tools: [calculator]
    states:
      working: {calculator: done}
      done: {}
    ```

    ## Source

    - the format of agents, [Agents in YAML](../agent-files.md) (checked 2026-11-22)
    """

    code = "TK631"
    name = "unknown-state"
    severity = "error"
    fix = "unsafe"

"""What reading an agent's file finds in its states and locks. Documented here, found where agents are read."""

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

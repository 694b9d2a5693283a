"""TK618: a value looks like something else than it is: `on`, `no`, `12:30`, `1.10`, `{{ x }}`."""

from toolkit.lint.rule import Rule


class Yaml11Trap(Rule):
    """A value looks like something else than it is: `on`, `no`, `12:30`, `1.10`, `{{ x }}`.

    ## Why

    Half of the world's YAML is read as version 1.1, in which `no` is false and `12:30` is 750. Here these are text, and
    a reader who expects the other should be told; what a number loses (`1.10` is 1.1) it loses in every version.

    ## Example

    ```yaml
    name: times
    description: Tell the time of the meeting.
    inputs: {}
    steps:
      - set: 12:30
    ```

    ## Instead

    ```yaml
    name: times
    description: Tell the time of the meeting.
    inputs: {}
    steps:
      - set: "12:30"
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK618"
    name = "yaml-1.1-trap"
    severity = "warning"
    fix = "unsafe"

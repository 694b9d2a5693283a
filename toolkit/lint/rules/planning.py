"""What planning finds: everything that is wrong with a pipeline. Documented here, found where pipelines are planned."""

from toolkit.lint.rule import Rule


class BrokenDocument(Rule):
    """The YAML or JSON cannot be read: it is malformed, too deep or too large.

    ## Why

    Nothing in a file that cannot be read can be checked. YAML is read with the scalars of version 1.2, without tags and
    merge keys, and within limits, so that no file can eat the machine.

    ## Example

    ```yaml
    name: shout
    steps: [calculator
    ```

    ## Instead

    ```yaml
    name: shout
    description: Calculate what a text asks for.
    steps: [calculator]
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK601"
    name = "broken-document"
    severity = "error"


class UnknownKey(Rule):
    """A key is unknown, or a value has no form that there is.

    ## Why

    A misspelled key would be ignored, and the pipeline would do something else than it says. The message names the
    nearest key.

    ## Example

    ```yaml
    name: sums
    description: Calculate what a text asks for.
    stesp: []
    steps: [calculator]
    ```

    ## Instead

    ```yaml
    name: sums
    description: Calculate what a text asks for.
    steps: [calculator]
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK602"
    name = "unknown-key"
    severity = "error"
    fix = "unsafe"


class DuplicateKey(Rule):
    """A key, or the id of a step, stands twice.

    ## Why

    Most readers keep the last one and say nothing, so half of what is written has no effect.

    ## Example

    ```yaml
    name: sums
    name: totals
    description: Calculate what a text asks for.
    steps: [calculator]
    ```

    ## Instead

    ```yaml
    name: sums
    description: Calculate what a text asks for.
    steps: [calculator]
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK603"
    name = "duplicate-key"
    severity = "error"


class UnknownTool(Rule):
    """A step names a tool that is not known.

    ## Why

    The pipeline cannot be planned. Tools come from the pipeline's own `tools:`, the configured sources, and those that
    are ready.

    ## Example

    ```yaml
    name: sums
    description: Calculate what a text asks for.
    steps: [calculater]
    ```

    ## Instead

    ```yaml
    name: sums
    description: Calculate what a text asks for.
    steps: [calculator]
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK604"
    name = "unknown-tool"
    severity = "error"
    fix = "unsafe"


class UnknownReference(Rule):
    """An expression refers to a step or an input that is not there, or not yet.

    ## Why

    It would fail when the pipeline runs, after the steps before it have taken effect. A reference reaches back only: to
    inputs, to `prev`, and to steps with an id that come before.

    ## Example

    ```yaml
    name: sums
    description: Calculate what a text asks for.
    steps:
      - set: ${{ steps.first.output }}
      - {id: first, use: calculator}
    ```

    ## Instead

    ```yaml
    name: sums
    description: Calculate what a text asks for.
    steps:
      - {id: first, use: calculator}
      - set: ${{ steps.first.output }}
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK605"
    name = "unknown-reference"
    severity = "error"


class BadExpression(Rule):
    """An expression in `${{ }}` has a mistake, or does what expressions may not.

    ## Why

    Expressions are a small part of Python over plain data: no methods, no imports, no attributes beyond the data's own.
    The message points at the very character.

    ## Example

    ```yaml
    name: sums
    description: Calculate what a text asks for.
    steps:
      - set: ${{ inputs.input + }}
    ```

    ## Instead

    ```yaml
    name: sums
    description: Calculate what a text asks for.
    steps:
      - set: ${{ inputs.input + '!' }}
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK606"
    name = "bad-expression"
    severity = "error"


class TypeMismatch(Rule):
    """A value has another type than the place where it goes.

    ## Why

    The call would be refused when the pipeline runs.

    ## Example

    ```yaml
    name: notes
    description: Read the notes of a day.
    inputs: {}
    steps:
      - use: file_read
        with: {path: [1, 2]}
    ```

    ## Instead

    ```yaml
    name: notes
    description: Read the notes of a day.
    inputs: {}
    steps:
      - use: file_read
        with: {path: notes/monday.md}
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK607"
    name = "type-mismatch"
    severity = "error"


class MissingArgument(Rule):
    """A step leaves out an argument that its tool needs.

    ## Why

    The call would be refused when the pipeline runs.

    ## Example

    ```yaml
    name: notes
    description: Write a note into a file.
    steps:
      - use: file_write
        approve: true
        with: {path: note.txt}
    ```

    ## Instead

    ```yaml
    name: notes
    description: Write a note into a file.
    steps:
      - use: file_write
        approve: true
        with: {path: note.txt, content: "${{ prev }}"}
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK608"
    name = "missing-argument"
    severity = "error"


class UnknownArgument(Rule):
    """A step gives an argument that its tool does not have.

    ## Why

    It would be ignored. The message names the nearest one that exists.

    ## Example

    ```yaml
    name: sums
    description: Calculate what a text asks for.
    steps:
      - use: calculator
        with: {inptu: 1 + 2}
    ```

    ## Instead

    ```yaml
    name: sums
    description: Calculate what a text asks for.
    inputs: {}
    steps:
      - use: calculator
        with: {input: 1 + 2}
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK609"
    name = "unknown-argument"
    severity = "error"


class AmbiguousPipe(Rule):
    """It is not clear what the output of the step before does, or it is lost.

    ## Why

    The output of a step goes into the one parameter of the next that takes text. Where there is none, or more than one,
    the pipeline must say it, with `pipe` or `${{ prev }}`; where it goes nowhere, the step before may well be needless
    (a warning).

    ## Example

    ```yaml
    name: sums
    description: Calculate two things.
    steps:
      - use: calculator
      - use: calculator
        with: {input: 1 + 2}
    ```

    ## Instead

    ```yaml
    name: sums
    description: Calculate two things.
    steps:
      - use: calculator
      - use: calculator
        with: {input: "${{ prev }} + 2"}
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK610"
    name = "ambiguous-pipe"
    severity = "error"
    fix = "unsafe"


class UnreachableStep(Rule):
    """A step never runs.

    ## Why

    Its condition is always false, or its list is always empty.

    ## Example

    ```yaml
    name: sums
    description: Calculate what a text asks for.
    steps:
      - use: calculator
        when: ${{ 1 > 2 }}
    ```

    ## Instead

    ```yaml
    name: sums
    description: Calculate what a text asks for.
    steps:
      - use: calculator
        when: ${{ inputs.input != '' }}
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK611"
    name = "unreachable-step"
    severity = "warning"


class UnusedInput(Rule):
    """An input of a pipeline is never used.

    ## Why

    Whoever runs the pipeline must still give it, and a model is told of it.

    ## Example

    ```yaml
    name: sums
    description: Calculate what a text asks for.
    inputs:
      terms: {type: string}
      digits: {type: integer}
    steps:
      - use: calculator
        with: {input: "${{ inputs.terms }}"}
    ```

    ## Instead

    ```yaml
    name: sums
    description: Calculate what a text asks for.
    inputs:
      terms: {type: string}
    steps:
      - use: calculator
        with: {input: "${{ inputs.terms }}"}
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK612"
    name = "unused-input"
    severity = "warning"


class DestructiveStepWithoutApprove(Rule):
    """A step calls a destructive tool and has no `approve`.

    ## Why

    The tool asks of its own accord, but with its own words. The pipeline knows what is at stake here, and can say it in
    the question.

    ## Example

    ```yaml
    name: notes
    description: Write a note into a file.
    steps:
      - use: file_write
        with: {path: note.txt, content: "${{ prev }}"}
    ```

    ## Instead

    ```yaml
    name: notes
    description: Write a note into a file.
    steps:
      - use: file_write
        approve: Overwrite the note?
        with: {path: note.txt, content: "${{ prev }}"}
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK614"
    name = "destructive-step-without-approve"
    severity = "warning"
    fix = "safe"


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


class ConcurrentQuestion(Rule):
    """A step asks for approval while others run beside it.

    ## Why

    Questions are put one at a time, so the others wait, and nobody who answers knows what else has happened meanwhile.
    Ask once before.

    ## Example

    ```yaml
    name: notes
    description: Write two notes into files.
    steps:
      - parallel:
          one:
            - use: file_write
              approve: Overwrite the first note?
              with: {path: one.txt, content: "${{ prev }}"}
          two:
            - set: ${{ prev }}
    ```

    ## Instead

    ```yaml
    name: notes
    description: Write a note into a file.
    steps:
      - use: file_write
        approve: Overwrite the note?
        with: {path: one.txt, content: "${{ prev }}"}
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK621"
    name = "concurrent-question"
    severity = "warning"


class CircleOfPipelines(Rule):
    """Pipelines call one another in a circle, or too deep.

    ## Why

    They would never end.

    ## Example

    ```yaml
    name: circle
    description: Lead back to itself.
    steps:
      - use: ./pipeline.yaml
    ```

    ## Instead

    ```yaml
    name: circle
    description: Calculate what a text asks for.
    steps:
      - use: calculator
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK622"
    name = "circle-of-pipelines"
    severity = "error"

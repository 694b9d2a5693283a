"""TK005: a setting in `toolkit.toml`, in `[tool.toolkit]` or in a variable is wrong."""

from toolkit.lint.rule import Rule


class BadConfiguration(Rule):
    """A setting in `toolkit.toml`, in `[tool.toolkit]` or in a variable is wrong.

    ## Why

    A misspelled key would change nothing, without a word. So every key is known, and an unknown one is told with the
    nearest that exists.

    ## Example

    ```toml
    [tool.toolkit.lint]
    ignroe = ["TK202"]
    ```

    ## Instead

    ```toml
    [tool.toolkit.lint]
    ignore = ["TK202"]
    ```

    ## Source

    - this project's own (checked 2026-11-21)
    """

    code = "TK005"
    name = "bad-configuration"
    severity = "error"

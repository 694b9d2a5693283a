"""TK001: there is no such file, folder, name or module."""

from toolkit.lint.rule import Rule


class NotFound(Rule):
    """There is no such file, folder, name or module.

    ## Why

    What is not there cannot be checked, and a check that silently skips it would pass for the wrong reason. The message
    names what is near.

    ## Example

    ```sh
    toolkit lint tols.py
    ```

    ## Instead

    ```sh
    toolkit lint tools.py
    ```

    ## Source

    - this project's own (checked 2026-11-21)
    """

    code = "TK001"
    name = "not-found"
    severity = "error"

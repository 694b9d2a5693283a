"""TK007: a group of tools needs a permission that nobody has granted."""

from toolkit.lint.rule import Rule


class PermissionNotGranted(Rule):
    """A group of tools needs a permission that nobody has granted.

    ## Why

    A group says what it must reach: the internet, or files and programs of this machine. Opening it without that would
    give tools that fail, and opening it with that unasked would give a project's file more than the user has allowed.

    ## Example

    ```sh
    toolkit run news.headlines
    ```

    ## Instead

    ```sh
    toolkit run news.headlines --grant internet_access
    ```

    ## Source

    - this project's own (checked 2026-11-21)
    """

    code = "TK007"
    name = "permission-not-granted"
    severity = "error"

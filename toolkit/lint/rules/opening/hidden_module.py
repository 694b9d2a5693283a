"""TK006: a file or folder of your own is called `toolkit`, and one hides the other."""

from toolkit.lint.rule import Rule


class HiddenModule(Rule):
    """A file or folder of your own is called `toolkit`, and one hides the other.

    ## Why

    An import of `toolkit` leads to the installed package, so your own folder of that name cannot be reached, or the
    other way round.

    ## Example

    ```sh
    toolkit/__init__.py
    tools.py        # from toolkit import prices
    ```

    ## Instead

    ```sh
    shop_tools/__init__.py
    tools.py        # from shop_tools import prices
    ```

    ## Source

    - this project's own (checked 2026-11-21)
    """

    code = "TK006"
    name = "hidden-module"
    severity = "error"

"""What opening finds: targets, modules and settings. Documented here, found where files are opened."""

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


class DoesNotImport(Rule):
    '''A Python file cannot be opened: it has a syntax error, raises, exits, crashes or never ends.

    ## Why

    None of its tools can be used. Files are opened in a process of their own, so that such a file hides no other. What
    may fail belongs into a tool, and what a script does under `if __name__ == '__main__':`.

    ## Example

    ```python
    from toolkit import tool

    RATES = {"EUR": 1.0}["USD"]


    @tool
    def rate(currency: str) -> float:
        """Return the exchange rate of a currency.

        Args:
            currency: Its code of three letters, such as `EUR`.
        """
        return RATES
    ```

    ## Instead

    ```python
    from toolkit import tool

    RATES = {"EUR": 1.0, "USD": 1.1}


    @tool
    def rate(currency: str) -> float:
        """Return the exchange rate of a currency.

        Args:
            currency: Its code of three letters, such as `EUR`.
        """
        return RATES[currency]
    ```

    ## Source

    - this project's own (checked 2026-11-21)
    '''

    code = "TK002"
    name = "does-not-import"
    severity = "error"


class NotATool(Rule):
    """What is meant as a tool is none.

    ## Why

    A thing is a tool if it is marked with `@tool`, has a name, a description and `execute(text)`, or is a Tool; an
    entry of a JSON file, if it has a name and the form that a provider takes. Anything else is never offered to a
    model.

    ## Example

    ```json
    [{"title": "forecast", "description": "Forecast tomorrow's weather in a city."}]
    ```

    ## Instead

    ```json
    [{"name": "forecast", "description": "Forecast tomorrow's weather in the capital.", "parameters": {"type": "object", "properties": {}}}]
    ```

    ## Source

    - this project's own (checked 2026-11-21)
    """

    code = "TK003"
    name = "not-a-tool"
    severity = "error"


class NoTools(Rule):
    '''A file or a folder that was named has no tools.

    ## Why

    Nothing in it was checked. Often the mark is missing, or the path is not the one that was meant. Files without tools
    in a folder are no news.

    ## Example

    ```python
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city."""
        return f"sun in {city}"
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city.

        Args:
            city: The name of the city, such as `Oslo`.
        """
        return f"sun in {city}"
    ```

    ## Source

    - this project's own (checked 2026-11-21)
    '''

    code = "TK004"
    name = "no-tools"
    severity = "warning"


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


class IncompleteGroup(Rule):
    """A group of tools lacks a tool that it says it requires.

    ## Why

    Whoever opens the group relies on that tool. It was renamed, or its source was not opened.

    ## Example

    ```toml
    [tool.toolkit.groups.prices]
    sources = ["price_tools.py"]
    required = ["pirce"]
    ```

    ## Instead

    ```toml
    [tool.toolkit.groups.prices]
    sources = ["price_tools.py"]
    required = ["price"]
    ```

    ## Source

    - this project's own (checked 2026-11-21)
    """

    code = "TK008"
    name = "incomplete-group"
    severity = "error"


class ServerNotAllowed(Rule):
    """An MCP server that the project names may not be started, or contacted, yet.

    ## Why

    A repository must not choose what runs on the machine of whoever clones it, nor where the secrets of their
    environment go. So the server of a project's file waits for its user's leave.

    ## Example

    ```toml
    [tool.toolkit.mcp.time]
    command = "uvx"
    args = ["mcp-server-time"]
    ```

    ## Instead

    Give leave, once you have looked at the command line: `--start time`, `TOOLKIT_MCP_START=time`, "always" where you
    are asked, or the same table in your own `~/.config/toolkit/config.toml`.

    ## Source

    - CVE-2025-59536, CVE-2025-61260: programs that ran what a repository named before anybody had agreed
    - this project's own (checked 2026-11-22)
    """

    code = "TK011"
    name = "server-not-allowed"
    severity = "error"


class ServerUnreachable(Rule):
    """An MCP server cannot be started or reached, or does not speak the protocol.

    ## Why

    Its tools are not known, so nothing about them was checked. Other servers, and other tools, are not affected.

    ## Example

    ```toml
    [tool.toolkit.mcp.time]
    command = "no-such-program"
    ```

    ## Instead

    `toolkit mcp ping time` tells the reason, with the last line that the server has written.

    ## Source

    - this project's own (checked 2026-11-22)
    """

    code = "TK012"
    name = "server-unreachable"
    severity = "error"

"""TK203: a description that is longer than some providers accept."""

from collections.abc import Iterator

from toolkit.codes import LONG_DESCRIPTION
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Problem


class LongDescription(Rule):
    """A description is longer than 1,024 characters.

    ## Why

    Every request contains every description, so you pay for a long one each time, and it hides what matters. Some
    gateways reject or cut descriptions of more than 1,024 characters. Describe parameters at the parameter, put
    examples into `examples`, and let another tool return a manual.

    The limit is `max-description-length` in `[tool.toolkit.lint]`.

    ## Example

    ```python
    from toolkit import tool

    MANUAL = "Search the catalogue of the shop. " + "Words in quotes are searched for literally. " * 30


    @tool(description=MANUAL)
    def search(words: str) -> list[str]:
        return [words]
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool(description="Search the catalogue of the shop; `search_manual` explains the language of queries.")
    def search(words: str) -> list[str]:
        return [words]
    ```

    ## Source

    - OpenAI, [Function calling](https://platform.openai.com/docs/guides/function-calling): functions count against the
      model's context and are billed as input tokens (checked 2026-11-21)
    - the default is the limit that Azure OpenAI and several gateways enforce for the description of a function
    """

    code = LONG_DESCRIPTION
    limits = {"max-description-length": 1024}

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        most = self.limit("max-description-length")
        length = len(tool.description or "")
        if length <= most:
            return
        text = next((one for one in tool.texts if one.kind == "description"), None)
        place = text and text.written.locate(most, length - most)
        yield self.problem(
            f"the description of {tool.name!r} has {length:,} characters, {length - most:,} more than {most:,}",
            place or tool.location,
            hint=f"move details to the parameters{'' if tool.framework else ' and examples to `examples`'}",
        )

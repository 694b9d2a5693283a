"""TK318: a definition that costs more tokens than it is worth."""

from collections.abc import Iterator, Sequence

from toolkit.amounts import tokens_of_data
from toolkit.codes import TOKEN_COST
from toolkit.lint.clues.provider_objections import name_of, sent_together, tokens_of
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Problem


class TokenCost(Rule):
    '''The definition of a tool costs many tokens: more than 400, or more than 10,000 for all of one source.

    ## Why

    Definitions are sent with every request of a conversation, used or not. You pay for them each time, and they fill
    the context. Costs are estimated at four bytes per token of what `toolkit schema` prints, and
    `toolkit lint --compat` shows them all. The limits are `max-tokens` and `max-toolset-tokens` in
    `[tool.toolkit.lint]`. The default of the latter is a twentieth of a context of 200,000 tokens.

    ## Example

    ```python
    from toolkit import tool


    @tool
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city.

        The forecast comes from a model of the atmosphere that divides the earth into cells of nine kilometres. It is run
        four times a day, and takes in what satellites, balloons, ships, buoys, aircraft and stations on the ground have
        measured. Each run takes about two hours, and is published as soon as it is ready. The first runs of this model
        were made in the year 1979, on a machine that had less memory than a wrist watch has today, and they were
        right for three days; today it is right for ten. The cells lie in layers, of which there are one hundred and
        thirty-seven from the ground up to eighty kilometres, and for each of them wind, temperature, humidity, cloud
        water and ozone are calculated anew for every seven and a half minutes. What happens inside a cell, such as a
        shower, is not calculated but estimated from what is known about showers in general, and that is why a forecast
        of rain for one street is no more than a guess. Mountains are as high as the mean of their cell, so that it is
        often colder on a summit than the forecast says, and lakes that are smaller than a cell are not there at all.
        Fog is the hardest of all, since it begins and ends within metres, and a forecast that says fog means that there
        may be some in the valleys before noon. Snow is measured in centimetres of what has just fallen, not of what lies
        there, and hail is not forecast at all, though a thunderstorm in summer should make you think of it.
        Whoever plans to go out on the water should therefore ask the harbour too, and whoever plans to climb should ask
        the keeper of the hut; neither of them is a tool, and both have a telephone.
        """
        return f"sun in {city}"
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city, to about nine kilometres; summits are colder than it says."""
        return f"sun in {city}"
    ```

    ## Source

    - Anthropic, [tool use](https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview): names, descriptions
      and schemas of tools count as input tokens of each request (checked 2026-11-22)
    - the limits are this project's choice
    '''

    code = TOKEN_COST
    limits = {"max-tokens": 400, "max-toolset-tokens": 10_000}

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        if _at_most([tool]) > self.limit("max-tokens") and (cost := self._cost(tool)) > self.limit("max-tokens"):
            message = f"the definition of {tool.name!r} costs about {cost} tokens in every request"
            yield self.problem(
                message, tool.location, hint=f"aim for fewer than {self.limit('max-tokens')}: shorten it"
            )

    def check_toolset(self, tools: Sequence[ToolDefinition]) -> Iterator[Problem]:
        most = self.limit("max-toolset-tokens")
        for source in sent_together(tools):
            if _at_most(source) > most and (cost := sum(map(self._cost, source))) > most:
                message = f"the {len(source)} tools in '{name_of(source)}' cost about {cost} tokens in every request"
                way = "offer fewer at a time" if source[0].framework else "offer them by category or behind a facade"
                hint = f"aim for fewer than {most}: {way}"
                yield self.problem(message, source[0].location, hint=hint, severity="info")

    def _cost(self, tool: ToolDefinition) -> int:
        if tool.spec is None:
            return 0
        return max(tokens_of(tool, provider) for provider in self.settings.providers)


def _at_most(tools: Sequence[ToolDefinition]) -> int:
    """Return an upper bound of the tokens in any provider's form, which is much faster to compute."""
    specs = [tool.spec for tool in tools if tool.spec is not None]
    return sum(_WIDEST * tokens_of_data(spec.definition) + _FRAME for spec in specs)


_WIDEST = 3
_FRAME = 50

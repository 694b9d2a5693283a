"""Searching: finding the tools that one needs in a large set by words, without a model."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toolkit.disclosure.facades import built_for_models
from toolkit.disclosure.progressive import ProgressiveTool
from toolkit.disclosure.trees import paths_of
from toolkit.errors import InvalidTools, raise_errors
from toolkit.problems import nearest
from toolkit.tools.base import Tool
from toolkit.tools.context import ToolContext
from toolkit.tools.resolution import collisions
from toolkit.tools.results import ToolResult
from toolkit.tools.revealing import Unfolded

# The usual constants of BM25: how soon more of the same word adds nothing, and how much a long text counts less.
_SATURATION, _LENGTH = 1.2, 0.75
_WEIGHTS = {"name": 4.0, "description": 1.0, "parameters": 0.5}
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W\d_]+|\d+")
_EMPTY_WORDS = frozenset(
    _WORD.findall("a an and are as at by for from how i in is it of on or that the this to use with you")
)


def rank(tools: Sequence[Tool], query: str) -> list[Tool]:
    """Return the tools that have a word of the query in their name, description or parameters, the likeliest first.

    Words are split at blanks, underscores and humps, and `files` finds `file`. A rare word counts more than a
    common one, and a word in the name more than one in the description.
    """
    return ToolIndex(tools).rank(query)


class ToolIndex:
    """The words of many tools, ready to be searched."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        """Read off the words."""
        self._tools = list(tools)
        self._words = [_weighted_words(tool) for tool in self._tools]
        lengths = [sum(words.values()) for words in self._words]
        self._average = sum(lengths) / len(lengths) if lengths else 1.0
        self._lengths = lengths
        self._holders = Counter(word for words in self._words for word in words)

    @property
    def vocabulary(self) -> Iterable[str]:
        """Every word that finds something."""
        return self._holders

    def rank(self, query: str) -> list[Tool]:
        """Return the tools that a query finds, the likeliest first, and of two alike the one that came first."""
        wanted = dict.fromkeys(words_of(query))
        scores = [self._score(place, wanted) for place in range(len(self._tools))]
        order = sorted(range(len(scores)), key=lambda place: -scores[place])
        return [self._tools[place] for place in order if scores[place] > 0]

    def _score(self, place: int, wanted: Iterable[str]) -> float:
        words, length = self._words[place], self._lengths[place] / (self._average or 1.0)
        return sum(
            self._rarity(word) * weight * (_SATURATION + 1) / (weight + _SATURATION * (1 - _LENGTH + _LENGTH * length))
            for word in wanted
            if (weight := words.get(word, 0.0))
        )

    def _rarity(self, word: str) -> float:
        holders = self._holders[word]
        return math.log(1 + (len(self._tools) - holders + 0.5) / (holders + 0.5))


class ToolSearch(ProgressiveTool):
    """A tool that finds others by words and reveals them; it stays, so that a model may search again.

    It searches in everything that can be reached: what stands behind a facade is found too. Where two tools have one
    name, those behind facades are offered with the names of these in front: `mail_send` and `letters_send`.
    """

    suspends = False

    def __init__(
        self,
        tools: Iterable[Any],
        *,
        name: str = "search_tools",
        description: str = "Find tools by what they do; those that are found can be called afterwards.",
        most: int = 5,
    ) -> None:
        """Make a search.

        Args:
            tools: What is searched: anything that can be a tool.
            name: What a model calls it by.
            description: The description that a model receives.
            most: How many tools one search reveals at most.

        Raises:
            InvalidTools: With every problem of the tools, and with two that have one name and cannot be distinguished.
        """
        query = {"type": "string", "description": "Words that describe the task, such as 'send an email'"}
        super().__init__(name, description, {"type": "object", "properties": {"query": query}, "required": ["query"]})
        built, problems = built_for_models(tools)
        self._tools = tuple(_describe_apart(paths_of(built), name))
        raise_errors(InvalidTools, [*problems, *collisions([self, *self._tools])])
        self._index = ToolIndex(self._tools)
        self._most = most

    @property
    def inner_tools(self) -> tuple[Tool, ...]:
        """Everything that it can find."""
        return self._tools

    @property
    def shows_all(self) -> bool:
        """Whether it reveals nothing but those: it finds what there is."""
        return True

    async def reveal(self, arguments: Mapping[str, Any], context: ToolContext) -> Sequence[Tool]:  # noqa: ARG002 - the words are all
        """Return the tools that the query finds."""
        return self._index.rank(arguments["query"])[: self._most]

    async def perform(self, parsed: Any, context: ToolContext) -> ToolResult:
        """Reveal what was found, each with what it does."""
        found = tuple(await self.reveal(parsed, context))
        if not found:
            return ToolResult(self._nothing(parsed["query"]))
        lines = "".join(f"\n- {tool.name}: {tool.description}" for tool in found)
        listing = [{"name": tool.name, "description": tool.description} for tool in found]
        unfolded = Unfolded(self.name, found, guides=(self,))
        return ToolResult(f"Tools now available:{lines}", structured={"tools": listing}, artifact=unfolded)

    def _nothing(self, query: str) -> str:
        near = dict.fromkeys(
            match for word in words_of(query) for match in nearest(word, self._index.vocabulary, most=2)
        )
        hint = f" Did you mean: {', '.join(near)}?" if near else " Try other words."
        return f"No tool was found for '{query}'.{hint}"


def _describe_apart(paths: Sequence[tuple[tuple[str, ...], Tool]], search: str) -> list[Tool]:
    """Return the tools, those that have no name of their own under one made of the names that lead to them."""
    held = Counter([search, *(tool.name for _, tool in paths)])
    return [tool if held[tool.name] == 1 or len(path) == 1 else tool.with_name("_".join(path)) for path, tool in paths]


def words_of(text: str) -> list[str]:
    """Return the words of a text that say something, small, without the ending of a plural."""
    words = (_stem(word.casefold()) for word in _WORD.findall(_HUMP.sub(" ", text)))
    return [word for word in words if word not in _EMPTY_WORDS]


def _stem(word: str) -> str:
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x")):
        if len(word) > len(ending) + 1 and word.endswith(ending):
            return word.removesuffix(ending) + instead
    is_plural = len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))  # noqa: PLR2004 - `gas`, `bus`
    return word.removesuffix("s") if is_plural else word


def _weighted_words(tool: Tool) -> dict[str, float]:
    spec = tool.spec
    texts = {
        "name": spec.name,
        "description": f"{spec.description} {spec.category or ''}",
        "parameters": " ".join(f"{name} {_describe(schema)}" for name, schema in spec.properties.items()),
    }
    weights: dict[str, float] = {}
    for part, text in texts.items():
        for word in words_of(text):
            weights[word] = weights.get(word, 0.0) + _WEIGHTS[part]
    return weights


def _describe(schema: Any) -> str:
    return str(schema.get("description", "")) if isinstance(schema, Mapping) else ""

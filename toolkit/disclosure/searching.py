"""Finds tools in a large set by words, without a model."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toolkit.disclosure.denials import permitted
from toolkit.disclosure.facades import built_for_models
from toolkit.disclosure.offering import paths_of
from toolkit.disclosure.progressive import ProgressiveTool
from toolkit.errors import InvalidTools, raise_errors
from toolkit.problems import nearest
from toolkit.tools.base import Tool, Unfolded
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.kinds.resolution import collisions

# The usual constants of BM25: term saturation and length normalization.
_SATURATION, _LENGTH = 1.2, 0.75
_WEIGHTS = {"name": 4.0, "description": 1.0, "parameters": 0.5}
_UNWEIGHTED = dict.fromkeys(_WEIGHTS, 1.0)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W\d_]+|\d+")
_STOP_WORDS = frozenset(
    _WORD.findall("a an and are as at by for from how i in is it of on or that the this to use with you")
)


def rank(tools: Sequence[Tool], query: str) -> list[Tool]:
    """Return the tools with a word of the query in their name, description or parameters, best match first.

    Words are split at spaces, underscores and camel case, and `files` finds `file`. A rare word counts more than a
    common one, and a word in the name more than one in the description.
    """
    return ToolIndex(tools).rank(query)


def rankings(tools: Sequence[Tool], query: str) -> dict[str, list[Tool]]:
    """Return what each kind of search finds for a query, best match first.

    The kinds are our own search, and those that providers document for tools whose loading is deferred: BM25 and
    regular expressions over names, descriptions, and the names and descriptions of parameters. Which expression a model
    writes is unknown, so here it has the significant words of the query as alternatives; the tools that most of them
    match come first.
    """
    words = dict.fromkeys(words_of(query))
    texts = ["\n".join(_texts_of(tool).values()) for tool in tools]
    hits = [sum(re.search(re.escape(word), text, re.IGNORECASE) is not None for word in words) for text in texts]
    order = sorted(range(len(tools)), key=lambda index: -hits[index])
    return {
        "our own search": rank(tools, query),
        "a BM25 search": ToolIndex(tools, _UNWEIGHTED).rank(query),
        "a regex search": [tools[index] for index in order if hits[index]],
    }


class ToolIndex:
    """A search index of the words of many tools."""

    def __init__(self, tools: Sequence[Tool], weights: Mapping[str, float] = _WEIGHTS) -> None:
        """Index the words of these tools, weighted by where they are."""
        self._tools = list(tools)
        self._words = [_weighted_words(tool, weights) for tool in self._tools]
        lengths = [sum(words.values()) for words in self._words]
        self._average = sum(lengths) / len(lengths) if lengths else 1.0
        self._lengths = lengths
        self._holders = Counter(word for words in self._words for word in words)

    @property
    def vocabulary(self) -> Iterable[str]:
        """Every word in the index."""
        return self._holders

    def rank(self, query: str) -> list[Tool]:
        """Return the tools that a query finds, best match first; equal matches keep their order."""
        wanted = dict.fromkeys(words_of(query))
        scores = [self._score(index, wanted) for index in range(len(self._tools))]
        order = sorted(range(len(scores)), key=lambda index: -scores[index])
        return [self._tools[index] for index in order if scores[index] > 0]

    def _score(self, index: int, wanted: Iterable[str]) -> float:
        words, length = self._words[index], self._lengths[index] / (self._average or 1.0)
        return sum(
            self._rarity(word) * weight * (_SATURATION + 1) / (weight + _SATURATION * (1 - _LENGTH + _LENGTH * length))
            for word in wanted
            if (weight := words.get(word, 0.0))
        )

    def _rarity(self, word: str) -> float:
        holders = self._holders[word]
        return math.log(1 + (len(self._tools) - holders + 0.5) / (holders + 0.5))


class ToolSearch(ProgressiveTool):
    """A tool that finds others by words and reveals them; it stays available, so that a model can search again.

    It also finds tools behind facades. If two tools have the same name, the names of their facades are put in front:
    `mail_send` and `letters_send`.
    """

    suspends = False

    def __init__(
        self,
        tools: Iterable[Any],
        *,
        name: str = "search_tools",
        description: str = "Find tools by what they do. Tools that are found can then be called.",
        most: int = 5,
    ) -> None:
        """Create a search.

        Args:
            tools: The tools to search: anything that can be a tool.
            name: The name that a model calls.
            description: The description that a model receives.
            most: Maximum number of tools that one search reveals.

        Raises:
            InvalidTools: With every problem of the tools, including tools with the same name that cannot be told apart.
        """
        query = {"type": "string", "description": "Words that describe the task, such as 'send an email'"}
        super().__init__(name, description, {"type": "object", "properties": {"query": query}, "required": ["query"]})
        built, problems = built_for_models(tools)
        self._tools = tuple(_with_unique_names(paths_of(built), name))
        raise_errors(InvalidTools, [*problems, *collisions([self, *self._tools])])
        self._index = ToolIndex(self._tools)
        self._most = most

    @property
    def inner_tools(self) -> tuple[Tool, ...]:
        """Every tool that a search can find."""
        return self._tools

    @property
    def shows_all(self) -> bool:
        """Always True: a search reveals nothing but `inner_tools`."""
        return True

    async def reveal(self, arguments: Mapping[str, Any], context: ToolContext) -> Sequence[Tool]:
        """Return the tools that the query finds."""
        return self._index_for(context).rank(arguments["query"])[: self._most]

    async def perform(self, parsed: Any, context: ToolContext) -> ToolResult:
        """Reveal the tools that were found, with their descriptions."""
        found = tuple(await self.reveal(parsed, context))
        if not found:
            return ToolResult(self._nothing(parsed["query"], self._index_for(context)))
        lines = "".join(f"\n- {tool.name}: {tool.description}" for tool in found)
        listing = [{"name": tool.name, "description": tool.description} for tool in found]
        unfolded = Unfolded(self.name, found, guides=(self,))
        return ToolResult(f"Tools now available:{lines}", structured={"tools": listing}, artifact=unfolded)

    def _index_for(self, context: ToolContext) -> ToolIndex:
        """Return the index without the tools that a policy denies, so that not even their words are found."""
        tools = permitted(self._tools, context)
        return self._index if len(tools) == len(self._tools) else ToolIndex(tools)

    def _nothing(self, query: str, index: ToolIndex) -> str:
        near = dict.fromkeys(match for word in words_of(query) for match in nearest(word, index.vocabulary, most=2))
        hint = f" Did you mean: {', '.join(near)}?" if near else " Try other words."
        return f"No tool was found for '{query}'.{hint}"


def _with_unique_names(paths: Sequence[tuple[tuple[str, ...], Tool]], search: str) -> list[Tool]:
    """Return the tools; those with the same name are renamed after the path that leads to them."""
    held = Counter([search, *(tool.name for _, tool in paths)])
    return [tool if held[tool.name] == 1 or len(path) == 1 else tool.with_name("_".join(path)) for path, tool in paths]


def words_of(text: str) -> list[str]:
    """Return the significant words of a text, in lower case and without plural endings."""
    words = (_stem(word.casefold()) for word in _WORD.findall(_HUMP.sub(" ", text)))
    return [word for word in words if word not in _STOP_WORDS]


def _stem(word: str) -> str:
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x")):
        if len(word) > len(ending) + 1 and word.endswith(ending):
            return word.removesuffix(ending) + instead
    is_plural = len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))  # noqa: PLR2004 - `gas`, `bus`
    return word.removesuffix("s") if is_plural else word


def _texts_of(tool: Tool) -> dict[str, str]:
    spec = tool.spec
    return {
        "name": spec.name,
        "description": f"{spec.description} {spec.category or ''}",
        "parameters": " ".join(f"{name} {_describe(schema)}" for name, schema in spec.properties.items()),
    }


def _weighted_words(tool: Tool, weights: Mapping[str, float]) -> dict[str, float]:
    found: dict[str, float] = {}
    for part, text in _texts_of(tool).items():
        for word in words_of(text):
            found[word] = found.get(word, 0.0) + weights[part]
    return found


def _describe(schema: Any) -> str:
    return str(schema.get("description", "")) if isinstance(schema, Mapping) else ""

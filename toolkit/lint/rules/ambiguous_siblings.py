"""TK206: two tools with nearly the same description."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from toolkit.codes import AMBIGUOUS_SIBLINGS
from toolkit.lint.clues.provider_objections import by_source
from toolkit.lint.clues.wording import READING
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.tools.definition.names import words_of

_FILLERS = frozenset(words_of("a an the and or of to in on for with by from its it is are this that tool s"))
_SENTENCE = re.compile(r"(?<=[.!?])\s|\n\s*\n")
_SENTENCE_OR_LINE = re.compile(r"(?<=[.!?])\s|\n")
_SAME_VERBS = {"fetch": "get", "retrieve": "get", "lookup": "get", "search": "find"}
_MANY = 3
_SHOWN = 3
_MOST_COMPARED = 50
"""Maximum number of tools with the same rare word that a tool is compared with, so that thousands stay fast."""


class AmbiguousSiblings(Rule):
    '''Tools of one source have names and descriptions that are nearly the same.

    ## Why

    A model chooses tools by their definitions. If two definitions say the same, it picks either one. If both tools
    would do, one of them only costs tokens. Say in each description how it differs, and when to use the other tool.
    Tools are not reported if one mentions the other, or if each name has a word that does not occur in the other's name
    and first sentence.

    The rule compares words, ignoring small ones such as "the". It also ignores text after the first sentence that
    several tools of the source share, such as a note on rate limits. Two tools are reported if they have at least
    `sibling-similarity` percent of their words in common.

    ## Example

    ```python
    from toolkit import tool


    @tool
    def find_order(number: str) -> str:
        """Find an order of the shop by the order's number."""
        return f"order {number}"


    @tool
    def order_find(number: str) -> str:
        """Find the shop's order by its number."""
        return f"order {number}"
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool
    def find_order(number: str) -> str:
        """Find an order of the shop by the order's number; for all orders of a customer use `list_orders`."""
        return f"order {number}"


    @tool
    def list_orders(customer: str) -> str:
        """List all orders that a customer has ever placed, the newest first."""
        return f"orders of {customer}"
    ```

    ## Source

    - Anthropic, [Writing tools for agents](https://www.anthropic.com/engineering/writing-tools-for-agents): tools that overlap
      distract agents (checked 2026-11-22)
    - the threshold is this project's choice
    '''

    code = AMBIGUOUS_SIBLINGS
    limits = {"sibling-similarity": 85}

    def check_toolset(self, tools: Sequence[ToolDefinition]) -> Iterator[Problem]:
        for source in by_source(tools):
            described = [tool for tool in source if tool.description]
            for first, *others in self._similar_groups(described):
                names = ", ".join(repr(tool.name) for tool in others[:_SHOWN])
                more = f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else ""
                message = f"{first.name!r} and {names}{more} have nearly the same description"
                hint = "say in each how it differs, and when to use the other instead"
                related = [(one.location, "nearly the same") for one in others[:_SHOWN] if one.location]
                yield self.problem(message, first.location, hint=hint, related=related)

    def _similar_groups(self, tools: Sequence[ToolDefinition]) -> Iterator[list[ToolDefinition]]:
        """Yield groups of tools that are nearly the same as the first tool of the group.

        Only tools that share one of their rarest words are compared: similar tools always do.
        """
        share = self.limit("sibling-similarity") / 100
        words = _words_of_each(tools)
        frequency = Counter(word for one in words for word in one)
        holders: dict[str, list[int]] = {}
        groups: dict[int, list[ToolDefinition]] = {}
        for index, own in enumerate(words):
            rarest = sorted(own, key=lambda word: (frequency[word], word))[: int(len(own) * (1 - share)) + 1]
            near = dict.fromkeys(other for word in rarest for other in holders.get(word, ())[:_MOST_COMPARED])
            first = next(
                (
                    one
                    for one in near
                    if _are_similar(words[one], own, share) and _are_confusable(tools[one], tools[index])
                ),
                None,
            )
            if first is not None:
                groups[first].append(tools[index])
                continue
            groups[index] = [tools[index]]
            for word in rarest:
                holders.setdefault(word, []).append(index)
        return iter([group for group in groups.values() if len(group) > 1])


def _words_of_each(tools: Sequence[ToolDefinition]) -> list[frozenset[str]]:
    """Return the words of each tool, without sentences after the first that several tools share.

    If most tools share their first sentence too, it is left out: only the next ones say what each tool does.
    """
    written = [_sentences(tool) for tool in tools]
    sentence_counts = Counter(sentence for _, others in written for sentence in set(others))
    begun_by = Counter(first for first, _ in written)
    common = {first for first, count in begun_by.items() if count >= _MANY and 2 * count > len(tools)}
    own = [
        [*([] if first in common and others else [first]), *(one for one in others if sentence_counts[one] == 1)]
        for first, others in written
    ]
    return [_words_in(" ".join([tool.name, *words])) for tool, words in zip(tools, own, strict=True)]


def _sentences(tool: ToolDefinition) -> tuple[str, list[str]]:
    """Return the first sentence of a description, and the sentences and lines after it."""
    first, *rest = _SENTENCE.split(str(tool.description).strip(), maxsplit=1)
    return first, [one.strip() for part in rest for one in _SENTENCE_OR_LINE.split(part)]


def _words_in(text: str) -> frozenset[str]:
    known = (word.rstrip("s") or word for word in words_of(text) if word not in _FILLERS)
    return frozenset(_SAME_VERBS.get(word, word) for word in known)


def _are_similar(first: frozenset[str], second: frozenset[str], share: float) -> bool:
    both = len(first & second)
    return both >= share * (len(first) + len(second) - both) > 0


def _are_confusable(first: ToolDefinition, second: ToolDefinition) -> bool:
    """Whether neither description mentions the other tool, and their names do not tell them apart.

    Names tell tools apart if each has a word of its own, if one has such a word and its description repeats it, or if
    their words are in a different order and those of the descriptions as well. Tools with the same name are left to
    another rule.
    """
    if first.name == second.name or first.name in str(second.description) or second.name in str(first.description):
        return False
    own, others = _own_words(first, second), _own_words(second, first)
    is_mentioned = bool(own & _words_in(str(first.description)) or others & _words_in(str(second.description)))
    return not ((own and others) or is_mentioned or _are_reordered(first, second))


def _are_reordered(first: ToolDefinition, second: ToolDefinition) -> bool:
    """Whether two tools have the same words in a different order, such as users of a group and groups of a user."""
    names = [[word for word in _in_order(tool.name) if word not in READING] for tool in (first, second)]
    if names[0] == names[1] or set(names[0]) != set(names[1]):
        return False
    orders = [[word for word in _in_order(str(tool.description)) if word in names[0]] for tool in (first, second)]
    return orders[0] != orders[1]


def _in_order(text: str) -> list[str]:
    """Return the distinct words of a text in order of appearance."""
    return list(dict.fromkeys(word.rstrip("s") or word for word in words_of(text) if word not in _FILLERS))


def _own_words(tool: ToolDefinition, other: ToolDefinition) -> set[str]:
    """Return the words of a tool's name that the other's name and first sentence lack, except verbs such as `get`."""
    words = {word.rstrip("s") or word for word in words_of(tool.name) if word not in READING and not word.isdigit()}
    return words - _words_in(f"{other.name} {_SENTENCE.split(str(other.description).strip(), maxsplit=1)[0]}")

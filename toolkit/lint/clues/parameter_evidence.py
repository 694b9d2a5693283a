"""Finds out whether the code itself shows what a model would need to know about a parameter that nobody describes.

A name may seem to say too little, and still a model always fills it in rightly. So a missing description only matters
for certain if somebody wrote one that is not sent, or if the code expects certain values or keys that no text names.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterable

from toolkit.lint.clues.mocks import is_called_simulation
from toolkit.lint.clues.parameter_uses import ANY_KEY, Uses, uses_of
from toolkit.lint.clues.unclear_parameters import default_of, has_untold_choices, is_told, kinds_of, texts_about
from toolkit.lint.definitions.tool_definitions import ParameterDefinition, ToolDefinition
from toolkit.source_code.python_functions import PythonFunction
from toolkit.tools.definition.names import words_of

_MOST_SHOWN = 4
_FEWEST_NEW_WORDS = 2
_MANY_NEW_WORDS = 5
_VALUE = r"[`'\"]?[\w.+/-]+[`'\"]?"
_LIST = re.compile(
    rf"[`'\"][\w.+/-]+[`'\"](?:\s*[,/|]|\s+or\b)|[(（]\s*{_VALUE}(?:\s*[,/|]\s*(?:or\s+)?{_VALUE})+\s*[)）]"  # noqa: RUF001
    rf"|^{_VALUE}(?:\s*[,/|]\s*(?:or\s+)?{_VALUE}){{2,}}$"
)
"""A list of values: quoted ones, those in parentheses, or at least three that are all there is."""
_FORM = re.compile(
    r"\b(?:e\.g|i\.e|such as|for example|examples?:|one of|either|must|exact(?:ly)?|only|format|formatted|iso|yyyy"
    r"|comma|separated|json|units?|in (?:(?:milli)?seconds|minutes|met(?:er|re)s|degrees)|percent|means?"
    r"|if (?:omitted|not|none|empty|provided)|leave (?:it )?empty|between [\d-]+ and|at least|at most|minimum"
    r"|maximum of|range)\b|[`\"\[{]|例如|形式|格式",
    re.IGNORECASE,
)
"""What states the form of a value, or when it is needed."""
_DEFAULT = re.compile(r"[(（]?\b(?:default(?:s| is| to)*)\b[:=]?\s*[^\s,;)）]*[)）]?", re.IGNORECASE)  # noqa: RUF001
"""What a docstring says about a default, which a schema states anyway."""
_CHANGE = re.compile(r"->|=>|→|\b(?:added|changed|fixed|increased|llm|model|was)\b", re.IGNORECASE)
"""What a comment about the code, rather than about the value, has."""
_WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?|\d+(?:\.\d+)*")
_NAME = re.compile(r"[A-Za-z_][\w.-]*")
_EMPTY_WORDS = frozenset(
    {"a", "all", "an", "and", "any", "are", "array", "as", "at", "be", "bool", "boolean", "by", "can", "containing",
     "content", "current", "data", "default", "dict", "dictionary", "each", "either", "false", "float", "for", "from",
     "given", "has", "have", "if", "in", "input", "int", "integer", "into", "is", "it", "its", "item", "items", "like",
     "list", "mapping", "may", "must", "new", "no", "none", "not", "number", "object", "of", "on", "one", "optional",
     "or", "output", "parameter", "param", "provided", "pass", "passed", "required", "represent", "represents",
     "requested", "set", "should", "specific", "specified", "str", "string", "text", "that", "the", "their", "this",
     "to", "true", "tuple", "type", "use", "used", "user", "using", "value", "values", "via", "want", "wants", "when",
     "where", "whether", "which", "will", "with", "you", "your"}
)  # fmt: skip
"""Words of a description that say nothing about a parameter that its name, type and default do not say."""
_DIRECTIVES = re.compile(r"(?:noqa|type:|pylint|ruff|pyright|mypy|fmt:|nosec|todo|fixme|xxx|pragma)", re.IGNORECASE)
_ELSEWHERE = re.compile(
    r"\b(?:same (?:fields|keys|shape|form|format|schema|structure)|(?:as )?returned by|output of|result of)\b"
)
"""What refers to another tool for the keys of an object."""
_OPAQUE = re.compile(r"(?:.*_)?(?:json|body|payload)", re.IGNORECASE)


def evidence_for(tool: ToolDefinition, parameter: ParameterDefinition) -> str | None:
    """Return what shows that the missing description of a parameter is a loss; None if nothing does.

    Args:
        tool: The tool.
        parameter: A parameter without a description.
    """
    function = tool.function
    if function is None or all(one.name != parameter.name for one in function.all_parameters):
        return _opaque(tool, parameter)
    uses = uses_of(function, parameter.name)
    if not uses.has_effect or is_called_simulation(function):
        return None
    return _unsent(tool, parameter, function) or _expected(tool, parameter, uses)


def _opaque(tool: ToolDefinition, parameter: ParameterDefinition) -> str | None:
    """Return what is not said of an object, if the code of its tool is not known, and the tool has no description."""
    is_open = "structure" in kinds_of(parameter, tool.function)
    return (
        "no text names its keys" if is_open and tool.description is not None and not tool.description.strip() else None
    )


def _expected(tool: ToolDefinition, parameter: ParameterDefinition, uses: Uses) -> str | None:
    """Return which values or keys the code expects although no text for the model names them."""
    kinds = kinds_of(parameter, tool.function)
    if tool.description is None or not kinds & {"scalar", "structure", "unknown"}:
        return None
    if kinds & {"text", "unknown"} and has_untold_choices(tool, parameter, uses):
        return f"the code expects {_listed(uses.choices | _default_in(parameter))}"
    is_open = bool(kinds & {"structure", "unknown"}) or uses.is_json
    keys = {key for key in uses.keys if _NAME.fullmatch(key)}
    if is_open and keys and not _are_named(keys, tool, parameter):
        return f"the code reads its key{'s' if len(keys) > 1 else ''} {_listed(keys)}"
    is_bare = not tool.description.strip()
    if is_bare and "text" in kinds and (uses.is_json or (_OPAQUE.fullmatch(parameter.name) and uses.is_passed_on)):
        return "the code expects JSON, and no text says of which form"
    if "structure" in kinds and uses.matches_keys and not is_told(tool, parameter, kinds):
        return "the code looks up its keys, and no text names them"
    if is_bare and ANY_KEY in uses.keys:
        return "the code passes its keys on, and no text names them"
    return None


def _are_named(keys: set[str], tool: ToolDefinition, parameter: ParameterDefinition) -> bool:
    """Return whether the texts for the model name at least half of the keys, or say where to find them."""
    texts = "\n".join(texts_about(tool, parameter)).lower()
    if _ELSEWHERE.search(texts):
        return True
    named = [key for key in keys if re.search(rf"(?<![a-z0-9_]){re.escape(key.lower())}(?![a-z0-9])", texts)]
    return 2 * len(named) >= len(keys)


def _default_in(parameter: ParameterDefinition) -> set[str]:
    """Return the default of a parameter if it is a text, which the code expects as well."""
    default = default_of(parameter)
    return {default} if isinstance(default, str) and default else set()


def _listed(values: Iterable[str]) -> str:
    known = sorted(values)
    shown = [repr(value) for value in known[:_MOST_SHOWN]]
    if len(known) > _MOST_SHOWN:
        return f"{', '.join(shown)} and {len(known) - _MOST_SHOWN} more"
    *most, last = shown
    return f"{', '.join(most)} and {last}" if most else last


def _unsent(tool: ToolDefinition, parameter: ParameterDefinition, function: PythonFunction) -> str | None:
    """Return which text that somebody wrote about the parameter is not sent, if it says more than its name."""
    known = [parameter.name, tool.name, tool.description or ""]
    if _says_more(function.docstring.parameters.get(parameter.name, ""), known):
        return "what the docstring says about it is not sent"
    python = next(one for one in function.all_parameters if one.name == parameter.name)
    comment = _comment_behind(function, python.default or python.node.annotation or python.node)
    if (_LIST.search(comment) or _FORM.search(comment)) and not _CHANGE.search(comment) and _says_more(comment, known):
        return "what the comment says about it is not sent"
    return None


def _says_more(text: str, known: Iterable[str]) -> bool:
    """Return whether a text says what neither the name of a parameter nor the description of its tool says.

    It does if it lists values of which one is new, if it states a form or a condition, or if it explains at length.
    """
    text = _DEFAULT.sub(" ", text)
    told = {_stem(word) for one in known for word in [*words_of(one), *_words_in(one)]}
    new = {_stem(word) for word in _words_in(text)} - told - _EMPTY_STEMS
    listed = {_stem(word) for found in _LIST.finditer(text) for word in _words_in(found[0])}
    return bool(listed & new) or len(new) >= (_FEWEST_NEW_WORDS if _FORM.search(text) else _MANY_NEW_WORDS)


def _words_in(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _stem(word: str) -> str:
    return re.sub(r"(?:ing|ed|es|s|e)$", "", word) if len(word) > 3 else word  # noqa: PLR2004


_EMPTY_STEMS = frozenset(map(_stem, _EMPTY_WORDS))


def _comment_behind(function: PythonFunction, node: ast.expr | ast.arg) -> str:
    """Return the comment at the end of the line of a parameter, if no other parameter is in this line."""
    at = node.end_lineno or node.lineno
    others = [one for one in function.all_parameters if at in (one.node.lineno, one.node.end_lineno)]
    lines = function.file.text.splitlines()
    if len(others) != 1 or at > len(lines) or "#" not in lines[at - 1]:
        return ""
    try:
        for token in tokenize.generate_tokens(io.StringIO(lines[at - 1].strip()).readline):
            if token.type == tokenize.COMMENT:
                text = token.string.lstrip("# ")
                return "" if _DIRECTIVES.match(text) else text
    except (tokenize.TokenError, SyntaxError):
        pass
    return ""

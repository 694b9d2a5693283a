"""Converts the responses of a server to results, and says how to get the next page of a list.

One call returns one page. What the next one needs is found in the header `Link` (RFC 8288), or in the response, if the
operation has a parameter for it: a cursor, a page or an offset.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from toolkit.amounts import format_duration
from toolkit.fetching import Fetched, MediaType, status_in_words
from toolkit.json_texts import json_text
from toolkit.openapi.operations import Operation, Parameter
from toolkit.redactors.redactor import Redactor
from toolkit.tools.calls.attachments import Attachment, Kind
from toolkit.tools.calls.http_results import data_of_answer, failure_of_answer, media_type_of, text_of_answer
from toolkit.tools.calls.results import ToolResult

_TEXTS: Final = frozenset({"xml", "javascript", "yaml", "x-yaml", "toml", "x-ndjson", "x-www-form-urlencoded"})
_LINK: Final = re.compile(r"<([^<>]*)>((?:\s*;[^;,=\"]*(?:=\s*(?:\"[^\"]*\"|[^;,\"]*))?)*)")
_NEXT: Final = re.compile(r";\s*rel\s*=\s*(?:\"(?:[^\"]*\s)?next[\s\"]|next\s*(?:;|$))", re.IGNORECASE)
_LIMITS: Final = frozenset({"limit", "pagesize", "perpage", "pagelimit", "maxresults", "count", "size", "top", "first"})
_PAGES: Final = frozenset({"page", "pagenumber", "pageno", "pageindex"})
_OFFSETS: Final = frozenset({"offset", "skip", "startindex", "start"})
_CURSORS: Final = frozenset({"cursor", "pagetoken", "nexttoken", "continuationtoken", "nextcursor", "after", "marker"})
_NEXT_CURSORS: Final = ("nextcursor", "nextpagetoken", "nexttoken", "endcursor")
_LAST_ITEMS: Final = frozenset({"startingafter"})
_MORE: Final = frozenset({"hasmore", "more", "hasnext", "hasnextpage"})
_MOST_DEPTH: Final = 2
_LONGEST_LINK: Final = 4_000


def result_of(operation: Operation, arguments: Mapping[str, Any], answer: Fetched, redactor: Redactor) -> ToolResult:
    """Return the result of a call.

    Args:
        operation: The operation.
        arguments: The arguments of the call.
        answer: The response of the server.
        redactor: Masks secrets.
    """
    if not HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES:
        return failure_of_answer(answer, redactor, _advice(answer))
    if not answer.body:
        return ToolResult.success(_words_without_body(operation, answer, redactor))
    media = media_type_of(answer)
    text = text_of_answer(answer, redactor) if _is_text(media) else None
    if text is None:
        return _attached(answer, media, redactor)
    if answer.is_cut:
        hint = _ways_to_less(operation)
        return ToolResult.success(f"{text}\n[response truncated at {len(answer.body)} bytes{hint}]")
    data = data_of_answer(answer, text, redactor)
    result = ToolResult.success(text, structured=data)
    following = _next_page(operation, arguments, answer, data)
    return result.remarked(_words_of_page(following)) if following else result


def seconds_until_retry(answer: Fetched) -> float | None:
    """Return how long the server asks to wait before the same request is sent again, if it does (RFC 9110, 10.2.3)."""
    written = answer.headers.get("retry-after", "").strip()
    if written.isascii() and written.isdecimal():
        return float(written[:9])
    try:
        when = parsedate_to_datetime(written)
    except ValueError:
        return None
    when = when if when.tzinfo is not None else when.replace(tzinfo=UTC)
    return max((when - datetime.now(UTC)).total_seconds(), 0.0)


def _advice(answer: Fetched) -> str:
    seconds = seconds_until_retry(answer)
    return f"try again in {format_duration(seconds)}" if seconds is not None else ""


def _is_text(media: MediaType) -> bool:
    kind, _, sort = media.name.partition("/")
    is_textual = kind == "text" or media.is_json or sort in _TEXTS or sort.endswith(("+xml", "+yaml"))
    return is_textual or not media.name or media.charset is not None


def _words_without_body(operation: Operation, answer: Fetched, redactor: Redactor) -> str:
    """Return the status, and the headers that are all that such a response says."""
    names = ["location"] if operation.method != "HEAD" else [name for name in answer.headers if name != "set-cookie"]
    said = [f"{name}: {answer.headers[name]}" for name in names if name in answer.headers]
    return redactor.text("\n".join([status_in_words(answer.status), *said]))


def _attached(answer: Fetched, media: MediaType, redactor: Redactor) -> ToolResult:
    if answer.is_cut:
        message = f"{status_in_words(answer.status)}, but the body has more than {len(answer.body)} bytes"
        return ToolResult.failure(message, "too_large")
    sort = media.name.partition("/")[0]
    kind: Kind = "image" if sort == "image" else "audio" if sort == "audio" else "resource"
    uri = answer.url.partition("?")[0]
    name = _file_name(answer.headers.get("content-disposition", ""))
    attachment = Attachment(kind, media.name, answer.body, uri, details={"name": name} if name else {})
    attachment = attachment.redacted(redactor)
    return ToolResult.success(attachment.words, artifact=attachment)


def _file_name(header: str) -> str:
    message = Message()
    message["content-disposition"] = header.replace("\r", " ").replace("\n", " ")
    return (message.get_filename() or "").replace("\\", "/").rpartition("/")[2]


# -------------------------------------------------------------------------------------------------------------- pages


def _next_page(operation: Operation, arguments: Mapping[str, Any], answer: Fetched, data: Any) -> dict[str, Any]:
    """Return the arguments that change for the next page; empty if there is none, or it is not known how to get it."""
    queries = {one.name: one for one in operation.parameters if one.place == "query"}
    for target, how in _LINK.findall(answer.headers.get("link", "")[:_LONGEST_LINK]):
        if _NEXT.search(how):
            pairs = parse_qsl(urlsplit(target).query, keep_blank_values=True)
            changed = {queries[name].argument: _typed(value, queries[name]) for name, value in pairs if name in queries}
            return {name: value for name, value in changed.items() if arguments.get(name) != value}
    for parameter in queries.values():
        found = _next_value(parameter, operation, arguments, data)
        if found is not None and found != arguments.get(parameter.argument):
            return {parameter.argument: found}
    return {}


def _next_value(parameter: Parameter, operation: Operation, arguments: Mapping[str, Any], data: Any) -> Any:
    """Return the value of a parameter for the next page, or `None` if the response does not say that there is one."""
    name = _plain(parameter.name)
    said = {_plain(key): value for key, value in reversed([*_members(data)])}
    items = next((value for _, value in _members({"": data}) if isinstance(value, list)), None)
    if name in _CURSORS:
        cursors = (said.get(key) for key in (f"next{name}", *_NEXT_CURSORS, name))
        return next((one for one in cursors if isinstance(one, str) and one and _goes_on(said, default=True)), None)
    if not items:
        return None
    if name in _LAST_ITEMS and _goes_on(said):
        return items[-1].get("id") if isinstance(items[-1], dict) else None
    limit = next((_given(one, arguments) for one in operation.parameters if _plain(one.name) in _LIMITS), None)
    if not (_goes_on(said) or (isinstance(limit, int) and len(items) >= limit)):
        return None
    start = _given(parameter, arguments)
    if name in _PAGES:
        return (start if isinstance(start, int) else 1) + 1
    return (start if isinstance(start, int) else 0) + len(items) if name in _OFFSETS else None


def _goes_on(said: Mapping[str, Any], *, default: bool = False) -> bool:
    """Return whether a response says that there are more items."""
    known = [said[name] for name in _MORE if isinstance(said.get(name), bool)]
    return any(known) if known else default


def _given(parameter: Parameter, arguments: Mapping[str, Any]) -> Any:
    """Return the value of a parameter in this call, or what the server uses otherwise, as far as that is known."""
    return arguments.get(parameter.argument, parameter.schema.get("default"))


def _members(data: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield the members of an object, and then those of the objects in it; lists are not searched."""
    if isinstance(data, dict) and depth <= _MOST_DEPTH:
        yield from data.items()
        for inner in data.values():
            yield from _members(inner, depth + 1)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.lower())


def _typed(text: str, parameter: Parameter) -> Any:
    is_number = parameter.schema.get("type") == "integer" and text.isascii() and text.isdecimal()
    return int(text) if is_number else text


def _words_of_page(changed: Mapping[str, Any]) -> str:
    return f"There is another page: call this again with the same arguments and {json_text(changed)}."


def _ways_to_less(operation: Operation) -> str:
    names = [one.argument for one in operation.parameters if one.place == "query" and _plain(one.name) in _LIMITS]
    return f"; ask for less with '{names[0]}'" if names else ""

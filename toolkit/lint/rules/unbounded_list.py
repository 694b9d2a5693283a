"""TK662: an operation that returns a list of any length."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from toolkit.codes import UNBOUNDED_LIST
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.schemas.places import declared_kinds
from toolkit.tools.definition.names import words_of

_SIZES: Final = frozenset(
    {"after", "before", "count", "cursor", "first", "from", "last", "limit", "limits", "marker", "max", "maximum", "next",
     "offset", "page", "pages", "paginate", "pagination", "per", "range", "rows", "since", "size", "skip", "start", "starting",
     "take", "token", "top", "until"}
)  # fmt: skip
"""Words in the names of parameters that choose a part of a list."""
_MOST_MEMBERS: Final = 4

if TYPE_CHECKING:
    from toolkit.lint.definitions.api_files import ApiFile
    from toolkit.openapi.operations import Operation


class UnboundedList(Rule):
    """An operation returns a list, and no parameter limits its length.

    ## Why

    The answer of a tool becomes part of a model's context. A list that grows with the data of the API sooner or later fills it,
    and clients cut it in the middle. If the API has a parameter such as `limit` or `page`, declare it; if the list is
    always short, say so with `maxItems`.

    The rule looks at operations with `GET` that answer with a list, or with an object of a few members of which one is a
    list of objects. A parameter counts if its name has a word such as `limit`, `page`, `size`, `cursor` or `since`.

    ## Example

    ```yaml title="openapi.yaml"
    openapi: 3.1.0
    info: {title: Shop, version: "1"}
    servers: [{url: https://shop.example}]
    paths:
      /orders:
        get:
          operationId: list_orders
          summary: List all orders, the newest first.
          responses: {"200": {$ref: "#/components/responses/Orders"}}
    components:
      responses:
        Orders: {description: Orders., content: {application/json: {schema: {type: array, items: {type: object}}}}}
    ```

    ## Instead

    ```yaml title="openapi.yaml"
    openapi: 3.1.0
    info: {title: Shop, version: "1"}
    servers: [{url: https://shop.example}]
    paths:
      /orders:
        get:
          operationId: list_orders
          summary: List the newest orders.
          parameters: [{name: limit, in: query, description: How many., schema: {type: integer, default: 20}}]
          responses: {"200": {$ref: "#/components/responses/Orders"}}
    components:
      responses:
        Orders: {description: Orders., content: {application/json: {schema: {type: array, items: {type: object}}}}}
    ```

    ## Source

    - Anthropic, [Writing tools for agents](https://www.anthropic.com/engineering/writing-tools-for-agents): "implementing some
      combination of pagination, range selection, filtering, and/or truncation" (checked 2026-11-27)
    - Zalando, [RESTful API Guidelines](https://opensource.zalando.com/restful-api-guidelines/#159), rule 159: "MUST support
      pagination" (checked 2026-11-27)
    """

    code = UNBOUNDED_LIST
    severity = "info"

    def check_api(self, api: "ApiFile") -> Iterator[Problem]:
        for one in api.operations:
            if one.method == "GET" and _returns_list(one) and not _chooses_part(one):
                yield self.problem(
                    f"{one.name!r} returns a list of any length",
                    api.place_of(one),
                    hint="declare the parameter that limits it, such as 'limit' or 'page', or 'maxItems'",
                )


def _chooses_part(operation: "Operation") -> bool:
    return any(_SIZES.intersection(words_of(one.name)) for one in operation.parameters)


def _returns_list(operation: "Operation") -> bool:
    return any(_has_list(schema) for answer in operation.successes for schema in answer.schemas.values())


def _has_list(schema: Mapping[str, Any]) -> bool:
    """Whether a schema is that of a list without a limit, or of an object round one."""
    if "array" in declared_kinds(schema):
        return "maxItems" not in schema
    members = schema.get("properties")
    if not isinstance(members, dict) or len(members) > _MOST_MEMBERS:
        return False
    return any(_has_list(one) and _has_objects(one) for one in members.values() if isinstance(one, dict))


def _has_objects(schema: Mapping[str, Any]) -> bool:
    items = schema.get("items")
    return isinstance(items, dict) and ("$ref" in items or "properties" in items or "object" in declared_kinds(items))

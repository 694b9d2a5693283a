"""TK661: an operation without an `operationId`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolkit.codes import MISSING_OPERATION_ID
from toolkit.lint.rule import Rule
from toolkit.problems import Problem

if TYPE_CHECKING:
    from toolkit.lint.definitions.api_files import ApiFile


class MissingOperationId(Rule):
    """An operation of an OpenAPI document has no `operationId`.

    ## Why

    The tool of an operation has the name of its `operationId`. Without one, the name is made from the method and the path:
    `get_users_user_id_orders` says less than `list_orders_of_user`, and changes with the path. Each document gets one
    finding. Operations that the `names` of a configured API name are not reported.

    ## Example

    ```yaml title="openapi.yaml"
    openapi: 3.1.0
    info: {title: Shop, version: "1"}
    servers: [{url: https://shop.example}]
    paths:
      /orders/{number}:
        parameters: [{name: number, in: path, required: true, description: The number of the order.}]
        get: {summary: Find an order by its number.}
    ```

    ## Instead

    ```yaml title="openapi.yaml"
    openapi: 3.1.0
    info: {title: Shop, version: "1"}
    servers: [{url: https://shop.example}]
    paths:
      /orders/{number}:
        parameters: [{name: number, in: path, required: true, description: The number of the order.}]
        get: {operationId: find_order, summary: Find an order by its number.}
    ```

    ## Source

    - OpenAPI 3.1.1, [Operation Object](https://spec.openapis.org/oas/v3.1.1.html#operation-object): "Tools and libraries MAY
      use the operationId to uniquely identify an operation" (checked 2026-11-27)
    """

    code = MISSING_OPERATION_ID

    def check_api(self, api: "ApiFile") -> Iterator[Problem]:
        named = api.settings.names
        bare = [one for one in api.operations if one.id == one.endpoint and one.id not in named]
        if bare:
            first, more = bare[0], len(bare) - 1
            others = f" and {more} more operation{'s' if more > 1 else ''} have" if more else " has"
            yield self.problem(
                f"{first.endpoint}{others} no 'operationId': the name of its tool is {first.name!r}",
                api.place_of(first),
                hint="write 'operationId: …' with a verb and a noun, or choose the names in your settings",
            )

"""TK664: several ways to sign in, of which none is chosen."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolkit.codes import SEVERAL_AUTH_SCHEMES
from toolkit.lint.rule import Rule
from toolkit.problems import Problem

if TYPE_CHECKING:
    from toolkit.lint.definitions.api_files import ApiFile


class SeveralAuthSchemes(Rule):
    """An API has several ways to sign in, and the settings choose none.

    ## Why

    Each operation accepts any of its alternatives, but they do not mean the same: one key may read everything, another one
    only a part. Until `auth` has the credentials of one of them, the operations fail, and nobody sees in advance which
    credentials they need. Each document gets one finding.

    ## Example

    ```yaml title="openapi.yaml"
    openapi: 3.1.0
    info: {title: Orders, version: "1"}
    servers: [{url: https://orders.example}]
    paths: {/orders: {head: {operationId: are_there_orders, summary: Find out whether there are orders.}}}
    security: [{key: []}, {staff: []}]
    components:
      securitySchemes:
        key: {type: apiKey, in: header, name: X-Key}
        staff: {type: http, scheme: bearer}
    ```

    ## Instead

    ```yaml title="openapi.yaml"
    openapi: 3.1.0
    info: {title: Orders, version: "1"}
    servers: [{url: https://orders.example}]
    paths: {/orders: {head: {operationId: are_there_orders, summary: Find out whether there are orders.}}}
    security: [{key: []}]
    components:
      securitySchemes:
        key: {type: apiKey, in: header, name: X-Key}
    ```

    ## Source

    - OpenAPI 3.1.1, [Security Requirement Object](https://spec.openapis.org/oas/v3.1.1.html#security-requirement-object):
      "only one of the Security Requirement Objects in the list needs to be satisfied" (checked 2026-11-27)
    """

    code = SEVERAL_AUTH_SCHEMES

    def check_api(self, api: "ApiFile") -> Iterator[Problem]:
        undecided = {
            " with ".join(sorted(way))
            for one in api.operations
            if len(one.security) > 1 and not any(set(way) <= api.settings.auth.keys() for way in one.security)
            for way in one.security
        }
        if len(undecided) > 1:
            yield self.problem(
                f"there are {len(undecided)} ways to sign in, and none is chosen: {', '.join(sorted(undecided))}",
                api.place("components", "securitySchemes"),
                hint="give the credentials of one of them: 'auth' in the table of the API",
            )

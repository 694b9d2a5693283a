"""TK663: an API key that is sent in the address of a request."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolkit.codes import SECRET_IN_QUERY
from toolkit.lint.rule import Rule
from toolkit.problems import Problem

if TYPE_CHECKING:
    from toolkit.lint.definitions.api_files import ApiFile


class SecretInQuery(Rule):
    """An API takes its key as a parameter of the query.

    ## Why

    Servers, proxies and browsers keep the addresses of requests in their logs and histories, and with them a key that is
    part of an address. `toolkit` keeps it out of its own logs and events, but not out of others'. If the API has another
    way to sign in, choose that one. A document whose operations all have another way is not reported.

    ## Example

    ```yaml title="openapi.yaml"
    openapi: 3.1.0
    info: {title: Shop, version: "1"}
    servers: [{url: https://shop.example}]
    security: [{key: []}]
    paths: {/stock: {get: {operationId: count_stock, summary: Count the pieces of all products.}}}
    components: {securitySchemes: {key: {type: apiKey, in: query, name: api_key}}}
    ```

    ## Instead

    ```yaml title="openapi.yaml"
    openapi: 3.1.0
    info: {title: Shop, version: "1"}
    servers: [{url: https://shop.example}]
    security: [{key: []}]
    paths: {/stock: {get: {operationId: count_stock, summary: Count the pieces of all products.}}}
    components: {securitySchemes: {key: {type: apiKey, in: header, name: X-Api-Key}}}
    ```

    ## Source

    - CWE-598, [Use of GET request method with sensitive query strings](https://cwe.mitre.org/data/definitions/598.html)
      (checked 2026-11-27)
    - RFC 9110, [section 17.9](https://www.rfc-editor.org/rfc/rfc9110.html#section-17.9): "URIs are intended to be shared, not
      secured" (checked 2026-11-27)
    """

    code = SECRET_IN_QUERY

    def check_api(self, api: "ApiFile") -> Iterator[Problem]:
        in_query = {one.name for one in api.schemes.values() if one.place == "query"}
        needed: set[str] = set()
        for one in api.operations:
            if one.security and all(in_query.intersection(way) for way in one.security):
                needed |= in_query.intersection(*one.security[:1])
        for name in sorted(needed):
            yield self.problem(
                f"the key {api.schemes[name].parameter!r} is part of every address, which servers and proxies log",
                api.place("components", "securitySchemes", name),
                hint="if the API has another way to sign in, add it to the document and choose it with 'auth'",
            )

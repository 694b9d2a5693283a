"""Defaults of functions: what stands in for the parameters that a call leaves out, as far as that can be shown."""

from collections.abc import Mapping
from typing import Any

from toolkit.tools.plain_arguments import plain_data
from toolkit.tools.secret_arguments import veiled
from toolkit.tools.signatures import Signature


def defaults_left(signature: Signature, given: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the defaults of the parameters that are not given, as plain data under the names that calls use."""
    left = [one for one in signature.parameters if not one.required and one.name not in given]
    data = plain_data({one.sent_as: MADE_ANEW if one.is_made else one.default for one in left})
    return veiled(data, schema)


MADE_ANEW = "<made anew for each call>"
"""What is shown of a default that a function makes: it cannot be known before the call."""

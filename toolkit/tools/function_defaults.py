"""Defaults of functions: the values of the parameters that a call omits, as far as they can be shown."""

from collections.abc import Mapping
from typing import Any

from toolkit.tools.plain_arguments import plain_data
from toolkit.tools.secret_arguments import Veil
from toolkit.tools.signatures import Signature


def defaults_left(signature: Signature, given: Mapping[str, Any], veil: Veil) -> dict[str, Any]:
    """Return the defaults of the parameters that are not given as plain data, with a mask for each secret."""
    left = [one for one in signature.parameters if not one.required and one.name not in given]
    data = plain_data({one.sent_as: MADE_ANEW if one.is_made else one.default for one in left})
    return veil.over(data)


MADE_ANEW = "<made anew for each call>"
"""What is shown of a default that a function makes: it cannot be known before the call."""

"""The default values of parameters that a call omits, in a form that can be shown."""

from collections.abc import Mapping
from typing import Any

from toolkit.tools.plain_arguments import plain_data
from toolkit.tools.secret_arguments import Veil
from toolkit.tools.signatures import Signature


def defaults_left(signature: Signature, given: Mapping[str, Any], veil: Veil) -> dict[str, Any]:
    """Return the defaults of the parameters that are not given, as plain data with secrets masked."""
    left = [one for one in signature.parameters if not one.required and one.name not in given]
    data = plain_data({one.sent_as: FROM_FACTORY if one.is_made else one.default for one in left})
    return veil.over(data)


FROM_FACTORY = "<created for each call>"
"""Shown for a default that comes from a factory, since it is unknown before the call."""

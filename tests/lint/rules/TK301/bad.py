"""Types that say nothing."""

import typing as t
from typing import Annotated, Any, Optional

from toolkit import tool


@tool
def everything(
    bare,
    anything: Any,
    thing: object,
    names: list,
    prices: t.Dict,
    maybe: Optional[list] = None,
    either: None | dict = None,
    said: Annotated[list, "Some names."] = (),
) -> str:
    """Take whatever a model may send."""
    return f"{bare} {anything} {thing} {names} {prices} {maybe} {either} {said}"

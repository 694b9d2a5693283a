"""The line that tells what the requests to models came to."""

import pytest

from toolkit.runs import ModelUse
from toolkit_cli.rendering.result_texts import usage_line  # private


@pytest.mark.parametrize(
    ("models", "named"),
    [
        ("", "0 requests to no model"),
        ("a", "1 request to a"),
        ("aba", "3 requests to a and b"),
        ("abc", "3 requests to a, b and c"),
    ],
)
def test_models_are_named_once_each(models, named):
    assert usage_line([ModelUse(model) for model in models]) == f"{named} · 0 ms"

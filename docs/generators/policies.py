"""Generates the tables of keys in `docs/policy.md` from the tables of keys that the code uses."""

from docs.generators.regions import with_regions
from docs.generators.settings_tables import key_table
from toolkit.approvals.matchers import MATCHERS  # private
from toolkit.approvals.policy_keys import RULE, TOP  # private


def pages() -> dict[str, str]:
    """Return the page with the current keys, by its path in the docs."""
    tables = {"the keys of a rule": RULE, "the matchers": MATCHERS, "the keys of a policy": TOP}
    return {"policy.md": with_regions("policy.md", {name: key_table(keys) for name, keys in tables.items()})}

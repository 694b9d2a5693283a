"""Every key of a policy file in `docs/policy.md`, from the rows that read it."""

from docs.generators.regions import with_regions
from docs.generators.settings_tables import key_table
from toolkit.approvals.matchers import MATCHERS  # private
from toolkit.approvals.policy_keys import RULE, TOP  # private


def pages() -> dict[str, str]:
    """Return the page with the keys as they are now, by its place in the docs."""
    tables = {"the keys of a rule": RULE, "the matchers": MATCHERS, "the keys of a policy": TOP}
    return {"policy.md": with_regions("policy.md", {name: key_table(keys) for name, keys in tables.items()})}

"""The guide tells of every limit what the data says."""

import runpy
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_page_of_dialects_has_the_limits_as_they_are():
    """After a change of a limit: `python docs/generate_dialects.py`."""
    made = runpy.run_path(str(DOCS / "generate_dialects.py"))["page"]()
    assert (DOCS / "dialects.md").read_text("utf-8") == made

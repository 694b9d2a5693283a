"""The pictures of the docs show what the program shows."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PICTURES = sorted((ROOT / "docs" / "pictures").glob("*.svg"))


@pytest.mark.proof
def test_pictures_show_what_the_program_shows():
    command = [sys.executable, str(ROOT / "docs" / "draw_pictures.py"), "--check"]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "", "")


@pytest.mark.parametrize("picture", PICTURES, ids=[picture.stem for picture in PICTURES])
def test_pictures_load_nothing_and_are_on_a_page(picture):
    text = (
        picture.read_text("utf-8")
        .replace('xmlns="http://www.w3.org/2000/svg"', "")
        .replace("https://www.textualize.io", "")
    )
    assert "http" not in text
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    assert any(f"pictures/{picture.name}" in page.read_text("utf-8") for page in pages)

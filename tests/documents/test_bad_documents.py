"""A folder of broken files: each is reported with its place and the hint, by both of PyYAML's parsers."""

import subprocess
import sys
from pathlib import Path

from toolkit.documents import read_document

CASES = Path(__file__).parent / "cases"

REPORT = """
import sys
from pathlib import Path

sys.modules["yaml._yaml"] = None  # as on a machine where PyYAML was built without its C library

import yaml
from toolkit.documents import read_document

assert not yaml.__with_libyaml__
for path in sorted(Path(sys.argv[1]).glob("*.yaml")):
    _, problems = read_document(path, name=path.name)
    sys.stdout.buffer.write("".join(f"{problem}\\n" for problem in problems).encode())
"""


def test_every_broken_file_is_reported_with_its_place_and_the_hint():
    report = []
    for path in sorted(CASES.glob("*.yaml")):
        _, problems = read_document(path, name=path.name)
        for problem in problems:
            report.append(f"{problem}\n")
            report.extend(f"    {place}: {what}\n" for place, what in problem.related)
    assert "".join(report) == (CASES / "expected.txt").read_text("utf-8")


def test_every_broken_file_has_an_error_with_line_and_hint():
    for path in sorted(CASES.glob("*.yaml")):
        _, problems = read_document(path, name=path.name)
        assert problems, path.name
        for problem in problems:
            assert problem.severity == "error"
            assert problem.location
            assert problem.location.line or path.name == "utf16.yaml", problem
            assert problem.hint, problem


def test_without_its_c_library_pyyaml_leads_to_the_same_report():
    arguments = [sys.executable, "-c", REPORT, str(CASES)]
    finished = subprocess.run(arguments, capture_output=True, check=True)
    expected = [line for line in (CASES / "expected.txt").read_text("utf-8").splitlines() if not line.startswith(" ")]
    found = finished.stdout.decode().splitlines()
    # pure Python reads halves, and joins them to no character
    differing = {"character_in_two_escapes.yaml", "half_a_character.yaml"}
    assert [line for line in found if line.partition(":")[0] not in differing] == [
        line for line in expected if line.partition(":")[0] not in differing
    ]

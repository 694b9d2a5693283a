"""The everyday run and the proofs: between them every test runs, and none twice."""

import os
import subprocess
import sys

import pytest


@pytest.mark.proof(everyday=2)
@pytest.mark.parametrize("row", [pytest.param("p", marks=pytest.mark.proof), *"abcd"])
def test_row(row):
    assert row


@pytest.mark.proof
@pytest.mark.parametrize(
    ("named", "options", "rows"),
    [
        ("", [], "ab"),
        ("", ["--only-proofs"], "pcd"),
        ("", ["--proofs"], "pabcd"),
        ("", ["--every-test"], "pabcd"),
        ("::test_row", [], "pabcd"),
        ("::test_row[d]", [], "d"),
        ("::test_row[a]", ["--only-proofs"], "a"),
    ],
)
def test_first_rows_of_a_proof_run_every_day_and_the_others_with_the_proofs(named, options, rows):
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", __file__ + named, *options]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line for line in listed if line.startswith("tests/test_tiers.py::test_row[")] == [
        f"tests/test_tiers.py::test_row[{row}]" for row in rows
    ]


@pytest.mark.proof
def test_workers_read_the_options_of_the_environment():
    command = [sys.executable, "-m", "pytest", "-q", "-n1", __file__]
    environment = os.environ | {"PYTEST_ADDOPTS": "-k test_row[b]"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert "\n1 passed in" in done.stdout

"""Files become nodes, and a file that cannot be read becomes a Problem."""

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from tests.volumes import examples
from toolkit.documents import parse_document, plain, read_document
from toolkit.problems import Problem, errors_among


def read(path: Path, name: str | None = None) -> tuple[Any, list[Problem]]:
    return read_document(path, name=name)


def report_of(path: Path, name: str | None = None) -> list[str]:
    node, problems = read(path, name=name)
    assert node is None
    return [str(problem) for problem in problems]


def test_a_file_is_read_and_named_as_asked(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_bytes("\ufeffé: 1\r\n".encode())
    node, problems = read(path, name="here.yaml")
    assert (plain(node), problems) == ({"é": 1}, [])
    assert node.location.file == "here.yaml"
    node, _ = read(path)
    assert node.location.file == str(path)


def test_a_missing_file_is_a_problem():
    assert report_of(Path("no-such.yaml")) == ["no-such.yaml: error[TK001]: there is no file 'no-such.yaml'"]


def test_a_directory_is_a_problem(tmp_path):
    assert report_of(tmp_path, "dir") == ["dir: error[TK001]: cannot read 'dir': it is a directory"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_that_nobody_writes_to_is_a_problem_and_no_wait(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert report_of(tmp_path / "pipe", "pipe") == ["pipe: error[TK001]: cannot read 'pipe': it is not a regular file"]


def test_an_impossible_name_is_a_problem():
    assert report_of(Path("a\0b"), "it") == [
        "it: error[TK001]: cannot read 'it': a file name cannot contain a null character"
    ]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the administrator may read everything")
def test_a_file_without_permission_is_a_problem(tmp_path):
    path = tmp_path / "a.yaml"
    path.touch(mode=0)
    assert report_of(path, "a.yaml") == ["a.yaml: error[TK001]: cannot read 'a.yaml': permission denied"]


def test_a_large_file_is_a_problem(tmp_path):
    path = tmp_path / "a.yaml"
    with path.open("wb") as stream:
        stream.truncate(3 * 1024**3)
    assert report_of(path, "a.yaml") == [
        (
            "a.yaml: error[TK601]: the document is larger than 1,048,576 bytes"
            " (move the data to a separate file and let a tool read it)"
        )
    ]


@given(st.binary() | st.text().map(str.encode))
@settings(max_examples=examples(300), deadline=None)
def test_any_bytes_become_a_node_or_a_problem(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(data)
    node, problems = read(path, name="any.yaml")
    assert node is not None or errors_among(problems)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        assert [problem.hint for problem in problems] == ["save it as UTF-8"]
    else:
        assert [str(one) for one in problems] == [str(one) for one in parse_document(text, "any.yaml")[1]]

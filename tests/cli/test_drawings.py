"""`toolkit show --format svg`: pipelines and states of agents as pictures."""

import os
import shutil
from pathlib import Path

import pytest

from toolkit.pipelines.charts import Arrow, Frame, FrameEnd, Item, Shape  # private
from toolkit_cli.rendering.tree_outlines import dot_of  # private

SAMPLES = Path(__file__).parents[2] / "sample_pipelines"
CHART: list[Item] = [
    Shape("n1", "end", "city"),
    Shape("n2", "use", '1 · say "hi" \\N\n3 attempts\x1b'),
    Frame("n3", "left"),
    Shape("n4", "approve", "ask"),
    FrameEnd(),
    Arrow("n1", "n2"),
    Arrow("n2", "n4", "only if a < b", is_dotted=True),
]
DOT = r"""digraph {
  graph [fontname="sans-serif", labeljust=l]
  node [fontname="sans-serif", margin="0.2,0.1"]
  edge [fontname="sans-serif", fontsize=11]
  n1 [shape=oval, label="city"]
  n2 [shape=box, label="1 · say \"hi\" \\N\n3 attempts\\x1b"]
  subgraph cluster_n3 { label="left"
  n4 [shape=diamond, label="ask"]
  }
  n1 -> n2 [label="", style=solid]
  n2 -> n4 [label="only if a < b", style=dotted]
}
"""
needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed: apt install graphviz")


def test_graphviz_is_sent_every_text_as_it_is():
    assert dot_of(CHART) == DOT


def test_without_graphviz_an_error_says_what_to_install(invoke, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    result = invoke("show", str(SAMPLES / "order_totals.yaml"), "--format", "svg")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "error: SVG needs Graphviz, but its program 'dot' is not on the PATH\n"
        "hint: install it, for example with 'apt install graphviz' or 'brew install graphviz', or use --format mermaid\n"
    )


def test_program_of_the_current_folder_is_not_started(invoke, monkeypatch, tmp_path):
    program = tmp_path / "dot"
    program.write_text("#!/bin/sh\ntouch started\n", "utf-8")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join([".", "/nowhere"]))
    assert invoke("show", str(SAMPLES / "order_totals.yaml"), "--format", "svg").exit_code == 2
    assert not (tmp_path / "started").exists()


@pytest.mark.skipif(os.name == "nt", reason="the program is a script of a shell")
def test_failure_of_graphviz_is_reported(invoke, monkeypatch, tmp_path):
    program = tmp_path / "bin" / "dot"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 'no fonts' >&2\nexit 1\n", "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    result = invoke("show", str(SAMPLES / "order_totals.yaml"), "--format", "svg")
    assert (result.exit_code, result.stderr) == (1, "error: Graphviz could not draw the diagram: no fonts\n")


def test_several_tools_are_no_picture(invoke, tmp_path):
    tools = "from toolkit import tool\n\n\n@tool\ndef a() -> None: ...\n\n\n@tool\ndef b() -> None: ...\n"
    (tmp_path / "tools.py").write_text(tools, "utf-8")
    result = invoke("show", str(tmp_path / "tools.py"), "--format", "svg")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith(
        "error: an SVG can show only one pipeline or agent, but the target has 2 tools; name one of them\n"
    )


@needs_dot
@pytest.mark.parametrize("sample", ["sales_summary.yaml", "agents/order_desk.yaml"])
def test_samples_are_drawn_by_graphviz(invoke, sample):
    result = invoke("show", str(SAMPLES / sample), "--format", "svg")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "<svg" in result.stdout
    assert result.stdout.rstrip().endswith("</svg>")

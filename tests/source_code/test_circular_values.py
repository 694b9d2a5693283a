"""Values that depend on themselves, such as `rows = rows + more`, hide no tool of a file."""

import subprocess
import sys
import textwrap

from hypothesis import example, given, settings, strategies as st

from toolkit.source_code.tool_reader import ToolReader  # private

TOOL = '''from mcp.server.fastmcp import FastMCP

mcp = FastMCP("shop")


@mcp.tool()
def find(number: str) -> str:
    """Find an order of the shop by its number."""
    return use(number)[0]


'''
NAMES = st.sampled_from(["rows", "more", "kept"])


@st.composite
def values(draw, depth=2):
    if depth == 0:
        return draw(st.sampled_from(["rows", "more", "kept", "[]", "use()", "self.rows", "[find]", "'text'"]))
    first, second = draw(values(depth - 1)), draw(values(depth - 1))
    form = draw(
        st.sampled_from(
            [
                "{first} + {second}", "[*({first}), {second}]", "[{first}]", "({first}, {second})", "use({first})",
                "({first}).made", "{first} if {second} else []", "{first} or {second}", "[one for one in {first}]",
                "{{'tools': {first}, **({second})}}", "({first})[0]", "sorted({first})", "Holder({first}).rows",
            ]
        )
    )  # fmt: skip
    return form.format(first=f"({first})", second=f"({second})")


STATEMENTS = st.one_of(
    st.builds("{} = {}".format, NAMES, values()),
    st.builds("{} += {}".format, NAMES, values()),
    st.builds("{}.append({})".format, NAMES, values()),
    st.builds("{}.extend({})".format, NAMES, values()),
    st.builds("self.rows = {}".format, values()),
    st.builds("for {} in {}: pass".format, NAMES, values()),
)


@settings(max_examples=60)
@given(st.lists(STATEMENTS, min_size=1, max_size=5), values(), st.lists(STATEMENTS, max_size=3))
@example(["rows = rows + kept", "kept = kept + rows"], "rows + kept", [])
def test_no_assignment_hides_the_tools_of_a_file(tmp_path_factory, body, result, outside):
    text = "\n".join([*body, f"return {result}"])
    holder = f"class Holder:\n    def use(self, rows=()):\n{textwrap.indent(text, ' ' * 8)}\n\n\n"
    function = f"def use(rows=(), self=None):\n{textwrap.indent(text, ' ' * 4)}\n\n\n"
    path = tmp_path_factory.mktemp("shop") / "server.py"
    registered = "\n".join(one for one in outside if "self" not in one)
    path.write_text(f"{TOOL}{holder}{function}{registered}\nmcp.add_tool(use(rows)[0])\n", "utf-8")
    assert "find" in [tool.name for tool in ToolReader().tools_of(str(path))]


def test_source_that_is_nested_too_deeply_is_never_silent(tmp_path):
    deep = " + ".join(["rows"] * 950)
    text = f"{TOOL}def use(rows):\n    return {deep}\n\n\nmcp.add_tool(use([])[0])\n"
    (tmp_path / "server.py").write_text(text, "utf-8")
    command = [sys.executable, "-m", "toolkit_cli", "lint", "--static", "--format", "concise", "."]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.stdout.splitlines()[:1] == [
        "server.py: warning[TK004] the source is nested too deeply to be followed, so any tools in it are not known"
    ]

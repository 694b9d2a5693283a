"""Documents that are small to read and endless to work through."""

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

HEAD = "name: bomb\ndescription: Repeats one long text.\nsteps:\n"
LONG = "word ${{ input }} " * 250
REPEATED = {
    "a long text": HEAD + f'  - set: &a "{LONG}"\n' + "  - set: *a\n" * 9_000,
    "a list of one long text": HEAD + f'  - set:\n      a: &a "{LONG}"\n      b: [' + "*a, " * 20_000 + "]\n",
    "aliases of aliases": HEAD + f'  - set:\n      a: &a "{LONG}"\n'
    + "".join(f"      {new}: &{new} [*{old}, *{old}, *{old}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)),
    "one long key": HEAD + f"  - set:\n      a: &a {{{'k' * 1000}: 1}}\n      b: [" + "*a, " * 20_000 + "]\n",
}  # fmt: skip


@pytest.fixture
def written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(text, name="bomb.yaml"):
        (tmp_path / name).write_text(text, "utf-8")
        return name

    return write


def toolkit(*arguments):
    return CliRunner().invoke(application(), list(arguments))


@pytest.mark.parametrize("kind", REPEATED)
def test_what_aliases_repeat_counts_towards_the_size_of_a_document(written, attacks, kind):
    file = written(REPEATED[kind])
    for command in (["show", file], ["run", file, "--dry-run", "input=x"], ["lint", "--static", "--no-cache", file]):
        result = toolkit(*command)
        refused = "more than 1,048,576 characters, those that aliases repeat included" in result.output
        attacks.count(f"{command}: {result.output[-300:]}", held=refused and result.exit_code in {1, 2})

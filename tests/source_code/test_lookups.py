"""What names stand for does not depend on which file was read first, also where modules import one another."""

from itertools import permutations, product

import pytest

from tests.volumes import some_of
from toolkit.lint import LintSettings, check
from toolkit.settings import Configuration
from toolkit.source_code.meanings import Meanings  # private
from toolkit.source_code.source_files import SourceFile  # private

MODULES = ("a", "b", "c")
BODIES = (
    "from known import x\n",
    "from {after} import x\n",
    "from {before} import *\n",
    "import {after}\nx = {after}.x.inner\n",
    "import {before}\n\ndef x():\n    return {before}.x()\n",
    "from known import x\nif x:\n    from {after} import x\n",
    "from {before} import x as other\nx = other()\n",
)


def write_circle(folder, bodies):
    for at, (module, body) in enumerate(zip(MODULES, bodies, strict=True)):
        names = {"before": MODULES[at - 1], "after": MODULES[(at + 1) % len(MODULES)]}
        (folder / f"{module}.py").write_text(body.format(**names), "utf-8")


def asked_in(order, sources):
    """Return what `x` and a call of it stand for in each module, asked for in an order."""
    meanings = Meanings(lambda module: module.partition(".")[0] == "known")
    for source in sources.values():
        meanings.keep(source)
    return {
        module: (meanings.of_global(sources[module], "x"), tuple(meanings.of_global(sources[module], "other")))
        for module in order
    }


def test_every_order_of_asking_gives_the_same_in_every_circle_of_three_modules(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    found = set()
    for bodies in some_of(product(BODIES, repeat=len(MODULES))):
        write_circle(tmp_path, bodies)
        sources = {module: SourceFile(str(tmp_path / f"{module}.py")) for module in MODULES}
        alone = {module: asked_in([module], sources)[module] for module in MODULES}
        for order in permutations(MODULES):
            assert asked_in(order, sources) == alone, (order, bodies)
        found.update(meaning for meant, _ in alone.values() for meaning in meant)

    assert {"known.x", "known.x.inner", "known.x()"} <= found


@pytest.mark.parametrize("imports", BODIES[1:4])
def test_findings_do_not_depend_on_the_order_of_files(tmp_path, monkeypatch, imports):
    monkeypatch.chdir(tmp_path)
    write_circle(
        tmp_path, [imports.replace(" x", " server").replace(".x.inner", ".server").replace("x =", "server =")] * 3
    )
    for module in MODULES:
        with (tmp_path / f"{module}.py").open("a") as stream:
            stream.write(f"\n\n@server.tool()\ndef find_{module}(city):\n    return city['name']\n")
    (tmp_path / "c.py").write_text(
        "from fastmcp import FastMCP\n\nserver = FastMCP()\n" + (tmp_path / "c.py").read_text()
    )
    settings = LintSettings()._replace(is_static=True, profile="recommended")
    found = [
        {str(problem) for problem in check([f"{one}.py" for one in order], Configuration(), settings=settings)}
        for order in permutations(MODULES)
    ]

    assert len(found[0]) >= len(MODULES)
    assert all(one == found[0] for one in found)

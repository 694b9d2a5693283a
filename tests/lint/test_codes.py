"""Codes stand in one table, and everywhere else by their names."""

import ast
import re
from pathlib import Path

from toolkit import codes
from toolkit.lint.rules import name_of  # private

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "toolkit" / "codes.py"
WITHOUT_THE_LIBRARY = ROOT / "cli" / "toolkit_cli" / "__main__.py"  # it reports that the library cannot be imported
BY_CONSTANT = {name: code for name, code in vars(codes).items() if name.isupper()}


def test_no_code_stands_outside_the_table():
    files = {*(ROOT / "toolkit").rglob("*.py"), *(ROOT / "cli").rglob("*.py")} - {TABLE, WITHOUT_THE_LIBRARY}
    texts = {file: text for file in sorted(files) if "TK" in (text := file.read_text("utf-8"))}
    found = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for file, text in texts.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"TK\d+", node.value)
    ]
    assert found == []


def test_every_code_stands_in_the_table_once_and_in_order():
    assert sorted(set(BY_CONSTANT.values())) == list(BY_CONSTANT.values())


def test_every_rule_is_a_file_called_by_its_name():
    rules = ROOT / "toolkit" / "lint" / "rules"
    modules = {file.stem.replace("_", "-") for file in rules.glob("*.py")} - {"--init--"}
    pages = {file.stem for file in (rules / "found_elsewhere").iterdir()}
    assert modules.isdisjoint(pages)
    assert modules | pages == {name_of(code) for code in BY_CONSTANT.values()}


def test_the_name_of_a_rule_is_that_of_its_constant():
    assert [name_of(codes.UNKNOWN_TOOL), name_of(codes.YAML_1_1_TRAP)] == ["unknown-tool", "yaml-1.1-trap"]

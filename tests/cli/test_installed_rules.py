"""Rules of installed packages: found through their entry points, and in all else like those of this one."""

import json
import os
import sys

import pytest

RULES = '''\
"""Rules of a shop."""

from collections.abc import Iterator

from toolkit.lint import ToolDefinition
from toolkit.lint import Rule
from toolkit.problems import Problem


class PriceWithoutCurrency(Rule):
    """A parameter is a price, and its name does not say in which currency.

    ## Why

    A model guesses the currency.
    """

    code = "SHOP001"
    name = "price-without-currency"
    severity = "error"
    limits = {"max-prices": 0}

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        found = [one for one in tool.parameters if one.name == "price"]
        if len(found) > self.limit("max-prices"):
            yield self.problem(f"the price of {tool.name!r} has no currency", found[0].location, hint="call it 'price_eur'")


class AnyPrice(PriceWithoutCurrency):
    """A parameter is a price, of which some would rather not hear."""

    code = "SHOP002"
    name = "any-price"
    default = False


class Impostor(PriceWithoutCurrency):
    """It takes the code of a rule that is there already."""

    code = "TK201"
'''
ENTRY_POINTS = """\
[console_scripts]
shop = shop_rules:main

[toolkit.rules]
SHOP001 = shop_rules:PriceWithoutCurrency
SHOP002 = shop_rules:AnyPrice
TK201 = shop_rules:Impostor
"""
TOOLS = '''\
from toolkit import tool


@tool
def sell(price: int) -> str:
    """Sell something to a customer for a price.

    Args:
        price: What it costs.
    """
    return f"sold for {price}"
'''
FOUND = (
    "tools.py:5:10: error[SHOP001] the price of 'sell' has no currency\nFound 1 error in 1 file. (1 tool in 1 file)\n"
)


@pytest.fixture
def lint(program, project):
    """Run `toolkit lint` where the package with the rules is installed."""
    folder = project / "installed"
    metadata = folder / "shop_rules-1.0.dist-info"
    metadata.mkdir(parents=True)
    (folder / "shop_rules.py").write_text(RULES, "utf-8")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: shop-rules\nVersion: 1.0\n", "utf-8")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS, "utf-8")
    (project / "tools.py").write_text(TOOLS, "utf-8")
    path = os.pathsep.join([str(folder), *sys.path])
    return lambda *options: program("lint", "tools.py", *options, env={"PYTHONPATH": path})


@pytest.mark.proof
def test_rule_of_an_installed_package_is_looked_for(lint):
    result = lint("--format", "concise")
    assert (result.returncode, result.stdout, result.stderr) == (1, FOUND, "")


@pytest.mark.proof
def test_it_is_selected_ignored_and_silenced_as_any_other(lint, project):
    assert lint("--select", "price-without-currency", "--format", "concise").stdout == FOUND
    assert lint("--select", "SHOP", "--format", "concise").stdout == FOUND
    assert lint("--ignore", "SHOP001").stdout == "All checks passed! (1 tool in 1 file)\n"
    assert lint("--select", "TK").stdout == "All checks passed! (1 tool in 1 file)\n"
    (project / "toolkit.toml").write_text("[lint]\nmax-prices = 1\n", "utf-8")
    assert lint().stdout == "All checks passed! (1 tool in 1 file)\n"
    (project / "toolkit.toml").unlink()
    source = TOOLS.replace("-> str:", "-> str:  # toolkit: ignore[SHOP001]")
    (project / "tools.py").write_text(source, "utf-8")
    assert lint().stdout == "All checks passed! (1 tool in 1 file)\n"
    (project / "tools.py").write_text(source.replace("price", "price_eur"), "utf-8")
    assert [line for line in lint("--format", "concise").stdout.splitlines() if "TK010" in line] != []


@pytest.mark.proof
def test_one_that_is_off_by_default_is_turned_on_by_its_code_or_name(lint):
    assert lint("--select", "SHOP002", "--format", "concise").stdout == FOUND.replace("SHOP001", "SHOP002")
    assert "[SHOP002]" in lint("--extend-select", "any-price", "--format", "concise").stdout
    assert "off by default" in lint("--explain", "SHOP002").stdout


@pytest.mark.proof
def test_it_is_explained_listed_and_known_to_every_format(lint):
    assert lint("--explain", "SHOP001").stdout.startswith("# price-without-currency (SHOP001)\n\n*severity: error")
    assert "SHOP001" in lint("--explain", "ALL").stdout
    log = json.loads(lint("--format", "sarif").stdout)
    assert [rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]] == ["SHOP001"]
    assert lint("--statistics").stdout == "1  SHOP001  [ ] price-without-currency\n"


def test_code_of_ours_stays_ours(lint):
    assert lint("--explain", "TK201").stdout.startswith("# missing-description (TK201)")


@pytest.mark.proof
def test_broken_package_of_rules_is_told_with_its_name(lint, project):
    (project / "installed" / "shop_rules.py").write_text("1 / 0\n", "utf-8")
    result = lint()
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == (
        "error[TK005]: the rule 'SHOP001' of 'shop-rules' cannot be loaded: ZeroDivisionError: division by zero\n"
        "hint: fix or uninstall the package; its entry point in 'toolkit.rules' is 'shop_rules:PriceWithoutCurrency'\n"
    )
    (project / "installed" / "shop_rules.py").write_text("PriceWithoutCurrency = 3\n", "utf-8")
    assert "the rule 'SHOP001' of 'shop-rules' is not a subclass of Rule" in lint().stderr

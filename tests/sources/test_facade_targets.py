"""Targets lead behind facades: `facade.inner`, toolboxes by their names, and bare names where there is but one."""

import pytest

TOOLS = '''
from toolkit import tool, toolbox
from toolkit.disclosure import UnfoldingTool


def query(sql: str) -> str:
    """Query the database."""
    return f"{sql}: 5 rows"


def drop(table: str) -> str:
    """Drop a table."""
    return table


def help() -> str:
    """Help with tables."""
    return "help"


from toolkit import resolve_tools
from toolkit import from_function

tables = UnfoldingTool.of("tables", "Tables.", [from_function(drop), from_function(help)])
database = UnfoldingTool.of("db", "The database.", [from_function(query), tables])
other = UnfoldingTool.of("other", "Something else.", [from_function(help)])


@toolbox(name="kitchen", description="The kitchen.")
class Kitchen:
    @tool
    def boil(self, what: str) -> str:
        """Boil something."""
        return f"{what} is boiled"

    @toolbox(name="oven", description="The oven.")
    class Oven:
        @tool
        def bake(self, what: str) -> str:
            """Bake something."""
            return f"{what} is baked"
'''


@pytest.fixture
def shop(project):
    project.write("shop.py", TOOLS)
    return project


def names(result):
    return list(result.tools) if not result.problems else [problem.message for problem in result.problems]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("db", "db"),
        ("db.query", "query"),
        ("db.tables", "tables"),
        ("db.tables.drop", "drop"),
        ("database.query", "query"),
        ("drop", "drop"),
        ("kitchen", "kitchen"),
        ("kitchen.boil", "boil"),
        ("kitchen.oven.bake", "bake"),
        ("bake", "bake"),
        ("boil", "boil"),
    ],
)
def test_a_name_leads_behind_a_facade(shop, name, found):
    if name not in ("drop", "database.query"):  # functions of the module have their own names first
        assert names(shop.open(f"shop.py:{name}")) == [found]
    if name != "database.query":
        shop.write("toolkit.toml", 'sources = ["shop.py"]\n')
        assert names(shop.open(name, configuration=shop.configured())) == [found]


def test_a_bare_name_that_several_facades_hold_leads_nowhere(shop):
    shop.write("toolkit.toml", 'sources = ["shop.py"]\n')
    result = shop.open("help", configuration=shop.configured())
    assert [problem.code for problem in result.problems] == ["TK001"]
    assert names(shop.open("other.help", configuration=shop.configured())) == ["help"]


def test_a_wrong_name_behind_a_facade_is_told_with_the_nearest(shop):
    assert [str(problem) for problem in shop.open("shop.py:db.quary").problems] == [
        "error[TK001]: nothing is named 'db.quary' in 'shop.py' (did you mean 'db.query' or 'query'?)"
    ]
    shop.write("toolkit.toml", 'sources = ["shop.py"]\n')
    [problem] = shop.open("kitchen.boyl", configuration=shop.configured()).problems
    assert (problem.message, problem.hint.startswith("did you mean 'kitchen.boil'")) == (
        "there is no module 'kitchen.boyl'",
        True,
    )


def test_steps_of_a_pipeline_name_tools_behind_facades(shop):
    shop.write(
        "meal.yaml",
        """
        name: meal
        description: Cooks.
        tools: [./shop.py]
        inputs: {}
        steps:
          - {id: eggs, use: kitchen.boil, with: {what: eggs}}
          - {id: bread, use: bake, with: {what: bread}}
          - {use: db.tables.drop, with: {table: "${{ steps.eggs.text }}, ${{ steps.bread.text }}"}}
        """,
    )
    result = shop.open("meal.yaml")
    assert result.problems == []
    assert result.tools["meal"].run({}).output == "eggs is boiled, bread is baked"


def test_a_facade_says_where_it_comes_from_if_its_tools_do(shop):
    assert shop.open("shop.py:kitchen").tools["kitchen"].spec.source == "shop.py"
    assert shop.open("shop.py:kitchen.oven").tools["oven"].spec.source == "shop.py"

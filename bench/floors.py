"""The floor: the same work in plain Python with pydantic, without this library."""

import asyncio
import threading
import time
from collections.abc import Callable, Sequence

from pydantic import TypeAdapter
from pydantic_core import to_json
from typing_extensions import TypedDict

NOTHING = "pass"

PYDANTIC_IMPORT = "import pydantic; pydantic.BaseModel; pydantic.TypeAdapter"

# One tool by hand: a validator for its signature, the arguments from the command line, the call, the printed result.
TYPER_AND_PYDANTIC = """
import typer
from pydantic import TypeAdapter
from typing_extensions import TypedDict

class Arguments(TypedDict):
    city: str
    days: int

app = typer.Typer(pretty_exceptions_enable=False, rich_markup_mode=None, add_completion=False)

@app.command()
def run(pairs: list[str]) -> None:
    arguments = TypeAdapter(Arguments).validate_python(dict(pair.split("=", 1) for pair in pairs))
    typer.echo(f"{arguments['days']} days of sun in {arguments['city']}")

app(["city=Oslo", "days=3"])
"""

# The same ten steps, read from the same file, without any check.
YAML_AND_PLAIN_PYTHON = """
import sys, yaml
sys.path.insert(0, ".")
import text_tools
loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
with open("ten_steps.yaml", encoding="utf-8") as file:
    steps = yaml.load(file, loader)["steps"]
tools = {kind.name: kind() for kind in vars(text_tools).values() if hasattr(kind, "execute")}
text = "hello"
for step in steps:
    text = tools[step].execute(text)
print(text)
"""


class Arguments(TypedDict):
    """The parameters of `forecast`."""

    city: str
    days: int
    metric: bool
    detail: float


class TextArguments(TypedDict):
    """The parameter of a text step."""

    input: str


def validated_call(function: Callable[..., str], text: str) -> Callable[[], str]:
    """Return work that validates JSON arguments and calls a function with them."""
    validate = TypeAdapter(Arguments).validator.validate_json
    return lambda: function(**validate(text))


def passed_list(function: Callable[[list[int]], list[int]], items: list[int]) -> Callable[[], str]:
    """Return work that calls a function with a list, which is converted to JSON, validated, and converted again."""
    validate = TypeAdapter(list[int]).validator.validate_json

    def run() -> str:
        return to_json(function(validate(to_json(items)))).decode()

    return run


def validated_steps(steps: Sequence[Callable[[str], str]], text: str) -> Callable[[], str]:
    """Return a chain of text steps, each of which gets validated JSON."""
    validate = TypeAdapter(TextArguments).validator.validate_json

    def run() -> str:
        passed = text
        for step in steps:
            passed = step(validate(to_json({"input": passed}))["input"])
        return passed

    return run


async def sleep_in_tasks(count: int, seconds: float) -> None:
    """Sleep in several tasks at the same time."""
    async with asyncio.TaskGroup() as group:
        for _ in range(count):
            group.create_task(asyncio.sleep(seconds))


def sleep_in_threads(count: int, seconds: float) -> None:
    """Sleep in several new threads at the same time."""
    threads = [threading.Thread(target=time.sleep, args=(seconds,)) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

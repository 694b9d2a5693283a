"""What was written, or returned by a tool, in order to burn time, eat memory or break out."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

resource = pytest.importorskip("resource", reason="this system cannot limit a process")

SECONDS = 300
MEBIBYTES = 768

ATTACKS = [
    "'x'.center(10**9)",
    "prev.replace('a', prev)",
    "replace(prev, 'a', prev)",
    "replace(replace(replace(prev, 'a', 'aaaa'), 'a', 'aaaa'), 'a', 'aaaa')",
    "replace('', '', prev) + prev",
    "join([prev for x in inputs.numbers], prev)",
    "[join(inputs.parts) for x in inputs.numbers]",
    "[replace('a', 'a', prev) for x in inputs.numbers]",
    "[str(inputs.texts) for x in inputs.numbers]",
    "strip(prev, inputs.texts[0] + 'a')",
    "f'{1:1000000000}'",
    "f'{prev}' * 10",
    "'%1000000000d' % 1",
    "prev % 1000000000",
    "'{:1000000000}'.format(1)",
    "10 ** 100000000",
    "10 ** 10 ** 10",
    "9 ** 9 ** 9",
    "2 ** 4000 * 2 ** 4000",
    "(10 ** 1000) ** 10",
    "1 << 10 ** 9",
    "round(5, -10 ** 9)",
    "int('9' * 100000)",
    "'a' * 10 ** 10",
    "[0] * 10 ** 10",
    "prev + prev",
    "[prev] * 100000",
    "json([prev for x in inputs.numbers])",
    "[upper(prev) for x in inputs.numbers]",
    "[prev[1:] for x in inputs.numbers]",
    "[split(prev, 'b') for x in inputs.numbers]",
    "[1 for x in inputs.numbers if prev in prev]",
    "[1 for x in inputs.numbers if prev == upper(prev)]",
    "[1 for x in inputs.numbers if -1 in inputs.numbers]",
    "[1 for x in inputs.numbers if contains(inputs.numbers, -1)]",
    "[1 for x in inputs.numbers if inputs.texts[0] in inputs.texts[1:]]",
    "[sum(inputs.numbers) for x in inputs.numbers]",
    "parse_json('[' * 100000)",
    "parse_json('[' * 500 + ']' * 500)",
    "parse_json('9' * 100000)",
    "steps.deep == steps.other",
    "json(steps.deep)",
    "[steps.deep] + [1 / 0]",
    "str([steps.deep])",
    "().__class__.__base__.__subclasses__()",
    "item.__class__",
    "len.__globals__",
    "len.__self__",
    "str.mro()",
    "get(prev, '__class__')",
    "__import__('os').system('id')",
    "eval('1')",
    "open('/etc/passwd')",
    "globals()",
    "(lambda: prev)()",
    "[x for x in prev if (y := x)]",
    "{1, 2}",
    "len(*[prev])",
    "not " * 900 + "1",
    "-" * 3900 + "1",
    "(" * 1900 + ")" * 1900,
    "[" * 3900,
    "prev" + ".a" * 1900,
    "prev" + "[0]" * 1300,
    "1" + "+1" * 1900,
    "1 if 1 else " * 300 + "1",
    "[x for x in " * 90 + "prev" + "]" * 90,
    "{'a':" * 700 + "1" + "}" * 700,
    "prev " * 10000,
    "'" * 3999,
    "\\" * 3999,
]

SLOW_ATTACKS = [
    "[parse_json(item) for x in inputs.numbers]",
    "[1 for x in inputs.numbers if [*inputs.numbers] == inputs.numbers]",
    "[sorted(inputs.numbers) for x in inputs.numbers]",
    "[unique(inputs.numbers) for x in inputs.numbers]",
    "[max(inputs.numbers) for x in inputs.numbers]",
    "[[y for y in inputs.numbers] for x in inputs.numbers]",
    "[1 for a in inputs.numbers for b in inputs.numbers for c in inputs.numbers if False]",
    "{str(a) + str(b): 1 for a in inputs.numbers for b in inputs.numbers}",
]
"""Those that use up all the work that is allowed; `sum` and `contains` above do so too, and sooner."""

PROGRAM = """
import json, sys
from toolkit.pipelines.expressions import ExpressionError, parse_template  # private

def nested(levels):
    data = []
    for _ in range(levels):
        data = [data]
    return data

roots = {
    "prev": "a" * 900_000,
    "inputs": {"numbers": list(range(90_000)), "texts": ["x" * 900_000 + str(n) for n in range(10)], "parts": ["x" * 90_000] * 10},
    "item": "[" + "[]," * 300_000 + "1]",
    "steps": {"deep": nested(50_000), "other": nested(50_000)},
}
for attack in json.load(sys.stdin):
    text = "a ${{" + attack + "}} b"
    try:
        parse_template(text).render(roots)
    except ExpressionError as error:
        assert 0 <= error.offset <= len(text), (attack, error.offset)
        assert len(str(error)) < 1000, attack
    else:
        print("came through:", attack[:60])
print("alive")
"""


def limit() -> None:
    """Bound the time and the memory of this process."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEBIBYTES * 2**20, MEBIBYTES * 2**20))


@pytest.mark.proof
@pytest.mark.parametrize(
    "attacks", [ATTACKS, pytest.param(SLOW_ATTACKS, marks=pytest.mark.proof)], ids=["quick", "slow"]
)
def test_no_attack_burns_time_eats_memory_or_breaks_out(attacks):
    finished = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM],
        cwd=Path(__file__).parents[2],
        input=json.dumps(attacks),
        capture_output=True,
        text=True,
        preexec_fn=limit,
        check=False,
    )
    assert (finished.stdout, finished.stderr, finished.returncode) == ("alive\n", "", 0)

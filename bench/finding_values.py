"""Print what fixing a finding of lint changes in what models choose: `python -m bench.finding_values --model MODEL`.

Each folder in `bench/findings` is named after a rule. It has cases that ask a model, and two folders with their tools:
`before` the finding of the rule is fixed, and `after` it. With `--record`, models are asked, and their replies are kept
in a cassette in the folder; without it, the cassette is used, and what it lacks is named.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.__main__ import as_markdown
from toolkit.cases.comparisons import Comparison, compare  # private
from toolkit_cli.command_settings import load_configuration  # private
from toolkit_cli.failures import Failure  # private
from toolkit_cli.rendering.case_reports import as_change, as_record  # private
from toolkit_cli.testing.case_pool import attempts_of, read_files, run_cases  # private
from toolkit_cli.testing.choices import Asking  # private

FINDINGS = Path(__file__).with_name("findings")
SIDES = ("before", "after")
HEAD = ("finding", "model", "before", "after", "change", "95%")


def main(words: Sequence[str]) -> int:
    """Print a row for each finding and model, and return 2 if a case could not be judged."""
    options = parse(words)
    print(as_markdown(HEAD))
    print(as_markdown(["---"] * len(HEAD)))
    unjudged = []
    for folder in options.folders or sorted(FINDINGS.iterdir()):
        compared, messages = values_of(folder, options)
        unjudged += [f"{folder.name}: {message}" for message in messages]
        for one in compared:
            print(as_markdown((folder.name, *as_change(one))), flush=True)
    print("".join(f"{message}\n" for message in unjudged), end="", file=sys.stderr)
    return 2 if unjudged else 0


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.finding_values", description=__doc__)
    parser.add_argument(
        "folders", nargs="*", type=Path, help="the folders of findings; all of bench/findings by default"
    )
    parser.add_argument("--model", action="append", default=[], help="a model, as in `toolkit test`; repeatable")
    parser.add_argument("--base-url", help="the server of a model chat:NAME")
    parser.add_argument("--repeat", type=int, default=1, help="how often each model is asked")
    parser.add_argument("--record", action="store_true", help="ask for replies that are not recorded yet")
    return parser.parse_args(words)


def values_of(folder: Path, options: argparse.Namespace) -> tuple[list[Comparison], list[str]]:
    """Return how models do with both sides, and which cases could not be judged."""
    reports, messages = [], []
    try:
        cases = [case for file in read_files([str(folder)]) for case in file.cases]
        cases = attempts_of(cases, options.model, options.repeat, load_configuration().model)
    except Failure as failure:
        return [], [problem.message for problem in failure.problems]
    for side in SIDES:
        own = [case._replace(base=(folder / side).absolute()) for case in cases]
        ran = run_cases(own, load_configuration, asking=Asking(options.base_url, options.record))
        messages += [f"{side}: {one.result.problems[0].message}" for one in ran if one.result.choice is None]
        reports.append(as_record(ran))
    return compare(*reports), messages


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

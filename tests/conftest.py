"""What holds for every test."""

import gc
import os
import shutil
import signal
import sys
import tempfile
from collections import Counter
from contextlib import nullcontext, suppress
from pathlib import Path
from subprocess import CalledProcessError
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.compiled import compile_program, import_tests, keep_compiled_code, packages_compiled
from tests.databases import Postgres, programs
from tests.volumes import EVERYDAY, PROOFS, find_characters, some_of, tries_of, try_no_constants_of_the_program
from tests.warm.starts import WarmStarts, installed, is_possible
from toolkit.redactors.redactor import RECEIVED  # private
from toolkit.redactors.secret_forms import KnownSecrets  # private

# A runner that was started in the background has these ignored, and hands that on to the programs that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
for name in ("SIGHUP", "SIGTERM"):
    if hasattr(signal, name):
        signal.signal(getattr(signal, name), signal.SIG_DFL)


# A tool behaves differently in CI, which only tests about that may see; and no test may read what the user of this
# machine has configured, nor write into their journal, audit log and keyring.
os.environ.pop("CI", None)
OWN_FOLDERS = tempfile.TemporaryDirectory(prefix="toolkit-tests-", ignore_cleanup_errors=True)
for kind in ("CONFIG", "STATE"):
    os.environ[f"XDG_{kind}_HOME"] = str(Path(OWN_FOLDERS.name, kind.lower()))
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"


class Everyday(NamedTuple):
    """What the everyday run does not do: how many proofs it leaves out, and how many tests it runs in a smaller volume."""

    left_out: int = 0
    smaller: int = 0


EVERYDAY_KEY = pytest.StashKey[Everyday]()


def pytest_addoption(parser):
    """Add the option that runs everything."""
    parser.addoption(
        "--proofs",
        action="store_true",
        help="also run the slow tests: fuzzing in full, races, load, real servers and clients",
    )
    parser.addoption(
        "--only-proofs",
        action="store_true",
        help="run what the everyday run leaves out or does in a smaller volume, in full, and nothing else",
    )
    parser.addoption(
        "--every-test",
        action="store_true",
        help="run the slow tests too, in the volume of every day, and simplify no example that fails: what mutants are tried on",
    )


def pytest_configure(config):
    """Set how many examples property tests try; a busy machine may take its time over each."""
    if not getattr(config.option, "numprocesses", None):  # workers of pytest-xdist still have to read them
        os.environ.pop("PYTEST_ADDOPTS", None)  # for this run, and not for those that tests start
    config.option.proofs = config.option.proofs or config.option.only_proofs
    unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    phases = [Phase.explicit, Phase.generate] if config.option.every_test else unhurried.phases
    settings.register_profile(EVERYDAY, unhurried, max_examples=10, phases=phases)
    settings.register_profile(PROOFS, unhurried)
    settings.load_profile(PROOFS if config.getoption("proofs") else EVERYDAY)
    config.stash[EVERYDAY_KEY] = Everyday()
    if not config.getoption("proofs"):
        try_no_constants_of_the_program()
    if config.getoption("proofs") and not config.getoption("only_proofs"):
        return
    keep_compiled_code()
    if is_possible() and not installed():
        WarmStarts().install()


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session):
    """Compile and find what all workers of pytest-xdist need, before they start as copies of a warm interpreter.

    Where lines are counted, they start cold: they are to count the lines that an import reaches.
    """
    config = session.config
    if not getattr(config.option, "numprocesses", None):
        return
    if config.getoption("proofs") and not config.getoption("only_proofs"):
        find_characters()
        return
    compile_program()
    warm = None if config.getoption("cov_source", None) else installed()
    if warm:
        warm.warm_up()
    with packages_compiled(importing=1 if warm else 0):
        find_characters()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """Start more workers than there are processors, since tests wait for other processes; the proofs most of their time."""
    return (os.cpu_count() or 1) + (2 if config.getoption("only_proofs") else 1)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Let a worker that has nothing left to do take tests from another."""
    from xdist.scheduler import WorkStealingScheduling  # type: ignore[import-untyped]

    return WorkStealingScheduling(config, log) if config.getoption("dist") == "load" else None


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Import all tests without looking for garbage, and never look for any in what they have made."""
    gc.disable()
    try:
        if worker := getattr(session.config, "workerinput", None):
            import_tests(_folders_of(session.config), int(worker["workerid"].removeprefix("gw")), worker["workercount"])
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def _folders_of(config):
    """Return the folders of this project whose tests are collected."""
    folders = [(config.invocation_params.dir / argument).resolve() for argument in config.args]
    return [folder for folder in folders if folder.is_dir() and folder.is_relative_to(config.rootpath)]


def pytest_unconfigure():
    """End what was kept warm."""
    if warm := installed():
        warm.close()


def pytest_collection_modifyitems(config, items):
    """Skip the slow tests unless they are asked for, or named as single tests."""
    named = tuple(argument.partition("::")[2] for argument in config.args if "::" in argument)
    proofs = {item for item in _long_proofs(items) if not item.nodeid.partition("::")[2].startswith(named or ("\0",))}
    if config.getoption("only_proofs"):
        others = [item for item in items if not (item in proofs or named or _has_volume(item))]
        items[:] = [item for item in items if item not in set(others)]
        config.hook.pytest_deselected(items=others)
    if config.getoption("proofs") or config.getoption("every_test"):
        return
    left_out = [item for item in items if item in proofs]
    items[:] = [item for item in items if item not in proofs]
    config.stash[EVERYDAY_KEY] = Everyday(len(left_out), sum(map(_has_volume, items)))
    config.hook.pytest_deselected(items=left_out)


def _long_proofs(items):
    """Yield the tests that are marked as proofs, without the first rows of a test that also run every day."""
    rows = Counter()
    for item in items:
        if marks := list(item.iter_markers("proof")):
            everyday = min(mark.kwargs.get("everyday", 0) for mark in marks)
            test = (item.parent, item.originalname)
            rows[test] += bool(everyday)
            if not everyday or rows[test] > everyday:
                yield item


def _has_volume(item):
    """Return whether a test does the same many times, with values or moments that chance chooses."""
    return hasattr(item.obj, "hypothesis") or not {"some_of", "tries"}.isdisjoint(item.fixturenames)


def pytest_sessionfinish(session):
    """Report from a worker of pytest-xdist what it did not do; every worker leaves out the same."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["everyday"] = tuple(session.config.stash[EVERYDAY_KEY])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Take the numbers from a worker, if it got as far as its end."""
    if counted := getattr(node, "workeroutput", {}).get("everyday"):
        node.config.stash[EVERYDAY_KEY] = Everyday(*counted)


@pytest.fixture(autouse=True)
def path_of_modules():
    """Leave `sys.path` as it was: a folder whose file a test has opened stays last on it, and has names of others."""
    before = list(sys.path)
    yield
    sys.path[:] = before


@pytest.fixture(autouse=True)
def received_secrets():
    """Forget what this process has received: a random token holds back letters of what the next test prints."""
    yield
    vars(RECEIVED.known[0]).update(vars(KnownSecrets()))


@pytest.fixture
def cold_starts():
    """Start every program from nothing, because a test is about that."""
    warm = installed()
    with warm.paused() if warm else nullcontext():
        yield


@pytest.fixture
def tries():
    """Return how often a test tries what only repetition shows, for the number of tries in the proofs."""
    return tries_of


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write the files of a project, which is the working directory: `shop` is `shop.py`, `src_in_shop` `src/shop.py`."""
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").touch()

    def write(settings="", **files):
        Path("pyproject.toml").write_text(settings, "utf-8")
        for name, text in files.items():
            path = Path(f"{name.replace('_in_', '/')}.py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")

    return write


@pytest.fixture(name="some_of")
def some_of_many():
    """Return what chooses the combinations that a test tries, of all that it tries in the proofs."""
    return some_of


@pytest.fixture
def no_keys(monkeypatch):
    """An environment without keys, proxies and addresses of models, so that nothing leaves this machine."""
    for name in [name for name in os.environ if name.upper().endswith(("_KEY", "_PROXY", "_BASE_URL", "_TOKEN"))]:
        monkeypatch.delenv(name)


@pytest.fixture
def figure(record_property):
    """Note a figure that a test found out; all of them are printed at the end."""

    def note(text):
        record_property("figure", text)

    return note


def pytest_terminal_summary(terminalreporter, config):
    """Print the figures by the tests that found them, the attacks by their class, and what was left out."""
    reports = [report for reports in terminalreporter.stats.values() for report in reports]
    figures = sorted(
        (report.nodeid.split("::", 1)[-1], text)
        for report in reports
        for name, text in getattr(report, "user_properties", ())
        if name == "figure" and report.when == "call"
    )
    if figures:
        terminalreporter.section("figures")
        for test, text in figures:
            terminalreporter.line(f"{test}: {text}")
    attacks = [
        counted
        for report in reports
        for name, counted in getattr(report, "user_properties", ())
        if name == "attacks" and report.when == "teardown"
    ]
    if attacks:
        terminalreporter.section("attacks")
        for line in _table_of_attacks(attacks):
            terminalreporter.line(line)
    everyday = config.stash[EVERYDAY_KEY]
    if any(everyday):
        terminalreporter.section("left out")
        terminalreporter.line(
            f"{everyday.left_out} slow tests skipped, {everyday.smaller} ran with fewer examples; "
            "run everything with: pytest --proofs"
        )


def _table_of_attacks(attacks):
    """Return a line for each class of attacks: how many were attempted, and how many got through."""
    totals = {}
    for kind, attempts, holes in attacks:
        before = totals.get(kind, (0, 0))
        totals[kind] = (before[0] + attempts, before[1] + holes)
    everything = (sum(attempts for attempts, _ in totals.values()), sum(holes for _, holes in totals.values()))
    rows = [*sorted(totals.items()), ("all", everything)]
    return [f"{attempts:>7} attempts  {holes:>3} holes  {kind}" for kind, (attempts, holes) in rows]


@pytest.fixture(scope="session")
def postgres():
    """A real PostgreSQL, or a reason why there is none."""
    if programs() is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    folder = Path(tempfile.mkdtemp(prefix="toolkit-postgres-"))
    folder.chmod(0o755)
    server = Postgres(folder / "server")
    yield server
    with suppress(CalledProcessError):
        server.kill()
    shutil.rmtree(folder, ignore_errors=True)

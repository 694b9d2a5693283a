"""`toolkit worker`: process batch items from a store."""

from typing import Annotated, NamedTuple

import typer

from toolkit.errors import ConfigurationError
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.other_python import Python, continue_with
from toolkit_cli.running.sessions import open_session
from toolkit_cli.running.watchdog import leave_if_threads_remain
from toolkit_cli.shared_options import BaseUrl, SessionOptions, Sources, StoreName

Jobs = Annotated[int, typer.Option(metavar="N", min=1, help="Maximum number of items to process in parallel.")]


Model = Annotated[
    str | None, typer.Option(metavar="MODEL", help="The model for agents; must be the same as for the batch.")
]


class WorkerOptions(NamedTuple):
    """The command-line options of `toolkit worker`, one per field."""

    store: StoreName = None
    tools: Sources = None
    jobs: Jobs = 1
    session: SessionOptions = SessionOptions()
    model: Model = None
    base_url: BaseUrl = None
    python: Python = None


def worker(options: WorkerOptions) -> int:
    """Process batch items that `toolkit run --each … --store URL` has added to a store.

    A worker processes items of runs whose tool, pipeline or agent it has in the same version. It also takes over the
    unfinished items of workers that have died. Approvals are not stored with items: if a call needs one, the question
    is asked here, or the item fails.
    """
    from toolkit_cli.batching.batch_records import named_store, open_store  # help needs none of it

    continue_with(options.python)
    url = named_store(options.store)
    if url is None:
        hint = "use --store postgresql://host/database, or set TOOLKIT_STORE"
        raise Failure(ExitCode.USAGE, "a worker needs a store", hint=hint)
    with open_session(options.session, options.tools or [], model=options.model, base_url=options.base_url) as session:
        session.audit()
        tools = session.open(options.tools or [])
        if not tools:
            raise ConfigurationError("the worker has no tools; name tools, pipelines or agents with --tools")
        with open_store(url) as store:
            from toolkit_cli.batching.working import WorkerTools, work  # it imports the engine

            exit_code = work(
                store, WorkerTools(store, tools, session, options.model), options.jobs, quiet=session.is_quiet
            )
    leave_if_threads_remain(exit_code)
    return exit_code

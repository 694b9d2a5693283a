"""`toolkit worker`: process batch items from a store."""

from typing import Annotated, NamedTuple

import typer

from toolkit.errors import ConfigurationError
from toolkit.tools.context import ToolContext
from toolkit_cli import console
from toolkit_cli.command_settings import load_configuration
from toolkit_cli.failures import ExitCode, Failure, end_at_errors, report
from toolkit_cli.opened_tools import open_all
from toolkit_cli.running.answer_sources import Answers, make_gate, policy_of_files
from toolkit_cli.running.audits import audit_of
from toolkit_cli.running.context_values import answered_by, checked_memory_id, with_values
from toolkit_cli.running.reporters import message_channel, show_logs
from toolkit_cli.running.telemetry import telemetry
from toolkit_cli.running.watchdog import leave_if_threads_remain
from toolkit_cli.screen import Screen
from toolkit_cli.shared_options import (
    AskingOptions,
    BaseUrl,
    ContextOptions,
    MessageOptions,
    OpeningOptions,
    Otel,
    Sources,
    StoreName,
)

Jobs = Annotated[int, typer.Option(metavar="N", min=1, help="Maximum number of items to process in parallel.")]


Model = Annotated[
    str | None, typer.Option(metavar="MODEL", help="The model for agents; must be the same as for the batch.")
]


class WorkerOptions(NamedTuple):
    """The command-line options of `toolkit worker`, one per field."""

    store: StoreName = None
    tools: Sources = None
    jobs: Jobs = 1
    asking: AskingOptions = AskingOptions()
    opening: OpeningOptions = OpeningOptions()
    model: Model = None
    base_url: BaseUrl = None
    given: ContextOptions = ContextOptions()
    otel: Otel = None
    messages: MessageOptions = MessageOptions()


def worker(options: WorkerOptions) -> int:
    """Process batch items that `toolkit run --each … --store URL` has added to a store.

    A worker processes items of runs whose tool, pipeline or agent it has in the same version. It also takes over the
    unfinished items of workers that have died. Approvals are not stored with items: if a call needs one, the question
    is asked here, or the item fails.
    """
    from toolkit_cli.batching.stored_runs import named_store, open_store  # help needs none of it
    from toolkit_cli.batching.working import WorkerTools, work

    url = named_store(options.store)
    if url is None:
        hint = "use --store postgresql://host/database, or set TOOLKIT_STORE"
        raise Failure(ExitCode.USAGE, "a worker needs a store", hint=hint)
    configuration = load_configuration(None, *options.opening, options.asking.policy)
    configuration = answered_by(with_values(configuration, options.given), options.model, options.base_url)
    answers = Answers.of_options(options.asking)._replace(files=policy_of_files(configuration, options.tools or []))
    with Screen() as screen, telemetry(options.otel) as listener:
        show_logs(screen, options.messages.verbose, debug=options.messages.debug)
        gate = make_gate(answers, screen, configuration.approval_timeout)
        gate.audit = audit_of(configuration, always=True)
        opened = open_all(options.tools or [], configuration, gate)
        end_at_errors(opened.problems)
        if not options.messages.quiet:
            report(opened.problems)
        if not opened.tools:
            raise ConfigurationError("the worker has no tools; name tools, pipelines or agents with --tools")
        memory_id = checked_memory_id(options.given.memory_id)
        context = ToolContext(
            configuration.context, memory_id=memory_id, gate=gate, listener=listener, redactor=console.redactor()
        )
        channel = None if options.messages.quiet else message_channel(screen)
        with open_store(url) as store:
            exit_code = work(
                store,
                WorkerTools(store, opened.tools, context, options.model, channel),
                options.jobs,
                quiet=options.messages.quiet,
            )
    leave_if_threads_remain(exit_code)
    return exit_code

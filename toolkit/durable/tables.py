"""Tables: what a store holds beside the engine's own tables: runs, their questions, who works on them, and limits."""

from typing import Final

from sqlalchemy import Column, Engine, Float, Index, Integer, MetaData, Table, Text, UniqueConstraint, text
from sqlalchemy.schema import CreateIndex, CreateTable

_METADATA: Final = MetaData()

RUNS: Final = Table(
    "toolkit_runs",
    _METADATA,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("id", Text, nullable=False, unique=True),
    Column("state", Text, nullable=False),
    Column("target", Text, nullable=False),
    Column("tool", Text, nullable=False),
    Column("began", Float, nullable=False),
    Column("ended", Float),
    Column("done", Integer, nullable=False, default=0),
    Column("failed", Integer, nullable=False, default=0),
    Column("error", Text),
    Column("request", Text, nullable=False),
    Column("definition", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("software", Text, nullable=False),
    Column("process", Integer, nullable=False),
    Column("name", Text),
)
"""The runs; `version` identifies a definition on any machine, and `name` is that of the schedule that began it."""

PROCESSES: Final = Table(
    "toolkit_processes",
    _METADATA,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("executor", Text, nullable=False),
    Column("machine", Text, nullable=False),
    Column("process", Integer, nullable=False),
    Column("jobs", Integer, nullable=False),
    Column("tools", Text, nullable=False),
    Column("seen", Float, nullable=False),
    sqlite_autoincrement=True,
)
"""The processes that are there, each of which holds a lock of its number while it lives."""

APPROVALS: Final = Table(
    "toolkit_approvals",
    _METADATA,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("run", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("id", Text, nullable=False, unique=True),
    Column("salt", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("alike", Text, nullable=False),
    Column("asked", Float, nullable=False),
    Column("question", Text, nullable=False),
    Column("answer", Text),
    Column("by", Text),
    Column("at", Float),
    Column("reason", Text),
    Column("arguments", Text),
    UniqueConstraint("run", "path"),
)
"""The questions of runs that wait for an answer, or whose answer no call has used."""

LIMITS: Final = Table(
    "toolkit_limits",
    _METADATA,
    Column("tool", Text, primary_key=True),
    Column("concurrency", Integer),
    Column("rate", Integer),
    Column("seconds", Float(53), nullable=False),
)
"""The limits of tools: how many calls run at the same time, and how many begin within some seconds."""

TURNS: Final = Table(
    "toolkit_turns",
    _METADATA,
    Column("id", Text, primary_key=True),
    Column("tool", Text, nullable=False),
    Column("process", Integer, nullable=False),
    Column("began", Float(53), nullable=False),
    Column("ended", Float(53)),
    Index("toolkit_turns_of_tools", "tool", "began"),
)
"""The calls of tools with limits that run, and those that have begun lately."""

LOCKS: Final = 0x746F6F6C
"""The first half of the numbers of our advisory locks."""


def make_tables(engine: Engine) -> None:
    """Make the tables that are not there.

    Raises:
        SQLAlchemyError: If that cannot be done.
    """
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":  # there, two processes cannot make one table at the same time
            connection.execute(text(f"SELECT pg_advisory_xact_lock({LOCKS}, 0)"))
        for table in (RUNS, PROCESSES, APPROVALS, LIMITS, TURNS):
            connection.execute(CreateTable(table, if_not_exists=True))
            for index in table.indexes:
                connection.execute(CreateIndex(index, if_not_exists=True))

"""The tables of a store, in addition to the engine's own tables."""

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
"""Runs. `version` identifies the definition on every machine; `name` is the schedule that began the run."""

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
"""Registered processes. Each holds the lock with its number while it lives."""

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
"""Questions of runs that wait for an answer, or whose answer has not been used by a call."""

LIMITS: Final = Table(
    "toolkit_limits",
    _METADATA,
    Column("tool", Text, primary_key=True),
    Column("concurrency", Integer),
    Column("rate", Integer),
    Column("seconds", Float(53), nullable=False),
)
"""Limits of tools: how many calls run at the same time, and how many begin within a period."""

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
"""Calls of tools with limits: those that are running, and those that began recently."""

LOCKS: Final = 0x746F6F6C
"""The first key of our PostgreSQL advisory locks."""


def make_tables(engine: Engine) -> None:
    """Create the missing tables.

    Raises:
        SQLAlchemyError: If a table cannot be created.
    """
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":  # two processes cannot create the same table at the same time
            connection.execute(text(f"SELECT pg_advisory_xact_lock({LOCKS}, 0)"))
        for table in (RUNS, PROCESSES, APPROVALS, LIMITS, TURNS):
            connection.execute(CreateTable(table, if_not_exists=True))
            for index in table.indexes:
                connection.execute(CreateIndex(index, if_not_exists=True))

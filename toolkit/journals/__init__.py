"""Journals record the steps of runs in an SQLite file, so that interrupted runs can be resumed."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.journals.journal_files import JournalFile as JournalFile
    from toolkit.journals.kept_runs import KeptRun as KeptRun, KeptStep as KeptStep
    from toolkit.journals.run_journals import RunJournal as RunJournal
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "journal_files": "JournalFile",
            "kept_runs": "KeptRun KeptStep",
            "run_journals": "RunJournal",
        },
    )

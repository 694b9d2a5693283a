"""Cases: what a tool, a pipeline or an agent should do, in files named `….cases.yaml`, and whether it does."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.cases.case import Case as Case, CaseFile as CaseFile
    from toolkit.cases.case_format import case_schema as case_schema, read_cases as read_cases
    from toolkit.cases.expectations import Happened as Happened, failure_of as failure_of
    from toolkit.cases.stubs import with_stubs as with_stubs
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "case": "Case CaseFile",
            "case_format": "case_schema read_cases",
            "expectations": "failure_of Happened",
            "stubs": "with_stubs",
        },
    )

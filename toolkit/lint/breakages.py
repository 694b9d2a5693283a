"""Lists the findings that break a server or an agent at run time."""

from toolkit import codes
from toolkit.problems import Problem

BREAKAGES = frozenset(
    {
        codes.DUPLICATE_TOOL_NAME,
        codes.ROOT_NOT_OBJECT,
        codes.REQUIRED_UNKNOWN,
        codes.BOOLEAN_SUBSCHEMA,
        codes.INVALID_SCHEMA,
        codes.UNSERIALISABLE_RETURN,
        codes.PRINTS_TO_STDOUT,
        codes.MARK_WITHOUT_CALL,
        codes.EXPOSED_CONTEXT,
        codes.OPEN_OBJECT_IN_STRICT_TOOL,
        codes.TYPE_REQUIRED,
        codes.DESCRIPTION_REQUIRED,
        codes.MISPLACED_CONTEXT,
        codes.VARIADIC_PARAMETER,
        codes.REMOVED_MODULE,
        codes.COROUTINE_AS_PLAIN_FUNCTION,
        codes.FIELD_REFUSED,
    }
)
"""The codes of rules whose findings are sorted first, and which `--fail-on breakage` selects."""


def is_breakage(problem: Problem) -> bool:
    """Return whether a finding breaks a server or an agent at run time."""
    return problem.code in BREAKAGES

"""Lint: finds problems in tools and pipelines before anything runs."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.lint.changes.compatibility import EVERYBODY as EVERYBODY, compatibility_of as compatibility_of
    from toolkit.lint.changes.fixing import (
        diff_of as diff_of,
        fix_files as fix_files,
        is_fixable as is_fixable,
        make_changes as make_changes,
    )
    from toolkit.lint.configuration.selection import Selection as Selection
    from toolkit.lint.configuration.settings import (
        PROVIDERS as PROVIDERS,
        LintSettings as LintSettings,
        read_lint_settings as read_lint_settings,
    )
    from toolkit.lint.definitions.tool_definitions import ToolDefinition as ToolDefinition
    from toolkit.lint.engine.checking import (
        check as check,
        check_and_count as check_and_count,
        find_tools as find_tools,
    )
    from toolkit.lint.engine.requests import Limits as Limits
    from toolkit.lint.rule import PORTABLE as PORTABLE, Rule as Rule, RulePage as RulePage, RuleSettings as RuleSettings
    from toolkit.lint.rules import all_pages as all_pages, codes as codes, page_of as page_of
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "changes.compatibility": "compatibility_of EVERYBODY",
            "changes.fixing": "diff_of fix_files is_fixable make_changes",
            "configuration.selection": "Selection",
            "configuration.settings": "LintSettings PROVIDERS read_lint_settings",
            "definitions.tool_definitions": "ToolDefinition",
            "engine.checking": "check check_and_count find_tools",
            "engine.requests": "Limits",
            "rule": "PORTABLE Rule RulePage RuleSettings",
            "rules": "all_pages codes page_of",
        },
    )

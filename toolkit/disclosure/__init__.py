"""Keeps large sets of tools manageable: a model sees few tools at first, and more when it needs them.

`facades` are tools that reveal others, `toolboxes` reads objects of marked classes, `folding` puts their methods
behind facades, `offering` updates the tools of a loop after a call has revealed some, `searching` finds tools by
words, `trees` shows the hierarchy of facades and tools, and `groups` names sets of tools.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.disclosure.facades import UnfoldingTool as UnfoldingTool
    from toolkit.disclosure.groups import ToolGroup as ToolGroup
    from toolkit.disclosure.offering import (
        dotted_names as dotted_names,
        fold as fold,
        folded_tools as folded_tools,
        leaves_of as leaves_of,
        offer as offer,
        tool_at as tool_at,
        tree_of as tree_of,
        unfolded_by as unfolded_by,
    )
    from toolkit.disclosure.progressive import ProgressiveTool as ProgressiveTool
    from toolkit.disclosure.searching import ToolSearch as ToolSearch, rank as rank
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "facades": "UnfoldingTool",
            "groups": "ToolGroup",
            "offering": "dotted_names fold folded_tools leaves_of offer tool_at tree_of unfolded_by",
            "progressive": "ProgressiveTool",
            "searching": "rank ToolSearch",
        },
    )

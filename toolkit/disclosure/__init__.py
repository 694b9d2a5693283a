"""Disclosure: few tools at first, and more when they are wanted; how large sets stay easy to choose from.

`facades` are tools that reveal others, `toolboxes` looks into objects of marked classes, `folding` puts their methods
behind facades, `offering` is what a loop does with what was revealed, `searching` finds tools by words, `trees` says
what stands behind what, and `groups` names sets of tools.
"""

"""Regular expressions without the parts that can take for ever.

The language is Python's, less look-around, back-references, possessive repeats and flags other than a leading `(?i)`.
So matching needs no backtracking, and its time grows with the text and no faster. `reading` makes `nodes` of a text,
`programs` instructions of the nodes, and `matching` follows them.
"""

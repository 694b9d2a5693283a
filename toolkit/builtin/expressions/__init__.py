"""Regular expressions that match in time that grows with the text and no faster.

`checking` refuses what is malformed, unsupported or too large. `lines` tells whether a text matches somewhere, with
Rust's `regex` in pydantic-core. `places` finds where, with RE2, which is an extra.
"""

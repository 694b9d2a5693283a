"""JSON queries of RFC 9535: `reading` makes `values` of a text, and `selecting` follows them through a document."""

"""JSONPath queries (RFC 9535): their syntax tree, its parser, and the evaluation of a query on a document."""

"""A separate process that parses web pages."""

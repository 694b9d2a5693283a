"""HTTP requests to checked addresses with limits, and a separate process that parses web pages."""

"""The Anthropic SDK: `@beta_tool` and `@beta_async_tool`."""

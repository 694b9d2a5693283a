"""What rules look for in code, texts and schemas; each is used by two rules or more, or too long for one."""

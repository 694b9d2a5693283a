"""Sessions with other people's servers: processes and addresses, reached when they are needed, and ended with us."""

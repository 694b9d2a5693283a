"""Which rules apply, and how: settings, selected codes, and comments that suppress findings."""

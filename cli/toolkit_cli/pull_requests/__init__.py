"""What a pull request is shown of findings: one comment, and fixes that can be applied there."""

"""What findings lead to: fixes, comments that silence them, baselines, and comparisons with other versions."""

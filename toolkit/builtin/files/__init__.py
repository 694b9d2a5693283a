"""Access to the files of one directory: a sandbox, listings that respect `.gitignore`, diffs and edits."""

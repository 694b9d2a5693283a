"""Commands that are run for a while or to their end, with all that they start; no shell is ever involved."""

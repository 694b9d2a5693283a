"""Arguments: from the words after a target, a file, a pipe or a form to the arguments of a call."""

"""The kinds of tools that users write, functions, methods and classes, and how what they name becomes Tools."""

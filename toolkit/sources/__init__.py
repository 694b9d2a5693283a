"""Sources: from what the user named to open tools; the composition root.

`targets` tells apart what was named, `modules` imports users' files, `collecting` finds the tools in them, `opening`
puts it together, and `loading` is the way in from Python.
"""

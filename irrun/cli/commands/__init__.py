"""One module for each command, of the same name.

The module's docstring is the help of the command, its first line what ``irrun --help`` prints; ``command`` is the click
command. A module is imported when its command is used and not before.
"""

"""The commands, each a module with the command's name.

The module's docstring is the help of the command; its first line is shown by ``irrun --help``. ``command`` is the click
command. A module is imported only when its command is used.
"""

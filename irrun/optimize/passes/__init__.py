"""The passes, one file each.

Every module has ``run(graph)``, and may have ``AFTER``: the passes that must have run before, each with the reason.
"""

"""The passes, one file each. Every module has ``ORDER``, its place among the others, and ``run(graph, settings)``."""

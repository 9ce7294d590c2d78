"""The passes, one file each, with ``run(graph)``; ``optimize/schedule.py`` has their order."""

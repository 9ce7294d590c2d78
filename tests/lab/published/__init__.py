"""Published networks: export networks of torchvision, whose documentation publishes parameters and multiply-adds.

``python -m tests.lab published FOLDER`` exports them with random weights into a folder, those that it does not have,
and writes ``tests/exports/published``: an archive of each without its weights, and ``figures.json`` with the figures of
torchvision's documentation. It needs torch, torchvision and openvino, and none of what irrun needs but lxml.
"""

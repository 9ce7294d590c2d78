"""Faults planted into sound models and files: whether ``irrun debug`` names the layer, and ``irrun lint`` the line.

``models`` changes numbers and attributes of a model that runs, ``files`` the text of an IR.
"""

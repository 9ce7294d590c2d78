"""Folders that ``irrun debug blame`` writes for planted faults: whether each shows the fault that was planted."""

"""Faults of processes and disks at every path on which irrun writes a file."""

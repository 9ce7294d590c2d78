"""Faults of processes and disks: commands are killed, interrupted or out of space while they write files."""

"""Kernels of irrun as machine code, for many processors and systems."""

__version__ = "0.1.0"

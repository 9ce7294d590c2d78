"""Kernels of irrun as machine code, for many processors and systems."""

from typing import Final

__version__: Final = "0.1.0"

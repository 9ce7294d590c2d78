"""Steps of exported models that run on NumPy, and why: the only ones that the tests accept."""

from __future__ import annotations

from typing import Final

KNOWN: Final[dict[str, str]] = {
    "DFT": "has no kernel",
    "FusedMatMul": "the product of an expert that no token chose has no rows",
    "If": "its bodies are plans of their own",
    "RangeV4": "its bounds depend on values",
    "Reshape": "the number of tokens of an expert may be 0, which stands for a size that is copied",
    "Slice": "its bounds depend on values",
}
"""The operations, by the names of their classes."""

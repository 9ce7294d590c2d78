"""What a caller says about optimisation."""

from __future__ import annotations

from typing import NamedTuple


class Settings(NamedTuple):
    """``disabled`` names passes that are left out; ``accurate`` forbids what loses bits for speed.

    ``low_memory`` keeps weights in the few bits they are stored in, even where that is slower.
    """

    enabled: bool = True
    disabled: frozenset[str] = frozenset()
    accurate: bool = False
    low_memory: bool = False

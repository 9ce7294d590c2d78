"""Times and the BLAS that computes as text."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

from irrun.cli.console import warn

CORE_TYPE: Final = "OPENBLAS_CORETYPE"


def say_pinned_blas() -> None:
    """Warn if BLAS is pinned to an architecture."""
    pinned = os.environ.get(CORE_TYPE)
    if pinned:
        warn(f"{CORE_TYPE}={pinned} pins BLAS to an architecture, which can halve its speed; unset it to measure")


def blas_text(blas: Mapping[str, Any]) -> str:
    count = blas["threads"]
    return f"{blas['name']} {blas['version']}, {blas['architecture']}, {count} thread{'s' if count != 1 else ''}"


def short(milliseconds: float) -> str:
    """Format a time in milliseconds with three significant digits."""
    if milliseconds < 10:
        return f"{milliseconds:.3f}"
    return (
        f"{milliseconds:.2f}"
        if milliseconds < 100
        else f"{milliseconds:.1f}"
        if milliseconds < 1000
        else f"{milliseconds:.0f}"
    )

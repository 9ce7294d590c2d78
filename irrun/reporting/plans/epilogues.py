"""The epilogue of a call in words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from irrun.runtime.view import Call
from irrun_kernels.native import NOWHERE
from irrun_kernels.scalars import UNARY

_BOUNDED: Final = frozenset({"clamp"})
"""Functions whose parameters are bounds."""


def epilogue_of(call: Call) -> tuple[str, ...]:
    """The steps from the sums of a call to what is stored, in this order; nothing for kernels without an epilogue."""
    names = call.kernel.record.names or ()
    given = {
        name.removeprefix("epilogue_"): value
        for name, value in zip(names, call.arguments, strict=True)
        if name.startswith("epilogue_")
    }
    return tuple(_words(call, given)) if "function" in given else ()


def _words(call: Call, given: dict[str, Any]) -> Iterator[str]:
    if given["integers_starts"] != NOWHERE:
        yield "dequantize"
    if given["bias"] != NOWHERE:
        yield "add bias"
    if given["summand_start"] != NOWHERE:
        yield "add summand"
    if (given["low"], given["high"]) != (-math.inf, math.inf):
        yield _clamp(given["low"], given["high"])
    if given["function"] >= 0:
        name = UNARY[given["function"]]
        yield _clamp(given["alpha"], given["beta"]) if name in _BOUNDED else name
    for access in call.accesses:
        if access.field == "epilogue_rounded_start" and access.view is not None:
            yield "quantize" if access.view.dtype == np.uint8 else "round to bf16"


def _clamp(low: float, high: float) -> str:
    return f"clamp({low:g}, {high:g})"

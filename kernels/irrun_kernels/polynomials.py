"""Polynomials, by Horner's rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from irrun_kernels.native import Deferred, scalar


def polynomial(*coefficients: Any) -> Callable[[Any], Any]:
    """A function of one element that is a polynomial; coefficients ascend."""

    def make() -> Any:
        names = {f"c{place}": coefficient for place, coefficient in enumerate(coefficients)}
        body = f"c{len(names) - 1}"
        for place in reversed(range(len(names) - 1)):
            body = f"({body}) * x + c{place}"
        exec(f"def evaluate(x): return {body}", names)
        return scalar(names["evaluate"]).form

    return Deferred(make)

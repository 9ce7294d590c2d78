"""The tiers that there are: NumPy, and compiled kernels where they are installed and made for this processor."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Sequence
from functools import cache
from typing import Final, Literal

from irrun.diagnostics.version import __version__
from irrun.kernels.threads import release_scratch
from irrun.ops._declared.fused.base import Fused
from irrun.runtime.plan import Plan, Step
from irrun.tensor import Array

Tier = Literal["auto", "numpy", "compiled"]

UNUSABLE: Final = "compiled kernels cannot be used"
"""The beginning of the warning that there are kernels, but none for this processor or version."""


@cache
def backend(precision: str, tier: str) -> str:
    """Return what multiplies operands of a precision on a tier."""
    if precision == "bf16" and tier == "compiled":
        from irrun_kernels.amx_check import multiplies_bf16
        from irrun_kernels.backends import OF_BF16, usable

        return usable("bf16 tiles")[0].name if multiplies_bf16() else OF_BF16.name
    return "f32" if precision == "f32" else "f32 with rounded operands"


def faster_precision() -> str | None:
    """Return what the processor would do faster in another precision than f32; None if it would not."""
    if why_not() is not None:
        return None
    from irrun_kernels.backends import HAS_BF16_TILES, OF_BF16

    if not HAS_BF16_TILES and not OF_BF16.function:
        return None
    rounded = "operands of products are rounded to 8 significant bits"
    return f"this processor multiplies bf16: --precision bf16 reads prompts faster; {rounded} (docs/decisions/0017)"


@cache
def why_not() -> str | None:
    """Return why there are no compiled kernels here; None if there are."""
    if importlib.util.find_spec("irrun_kernels") is None:
        return "irrun-kernels is not installed; pip install ./kernels"
    try:
        import irrun_kernels

        if irrun_kernels.__version__ != __version__:
            return f"irrun-kernels has version {irrun_kernels.__version__}, expected {__version__}"
        from irrun_kernels.processor import unavailable
    except (ImportError, SyntaxError, AttributeError, NameError) as error:
        return f"irrun-kernels is damaged ({error}); install it again"
    return unavailable()


@cache
def has_kernels() -> bool:
    """Return whether there are compiled kernels for this processor. Warn if there are some that it cannot use."""
    if why_not() is not None and importlib.util.find_spec("irrun_kernels") is not None:
        warnings.warn(f"{UNUSABLE}, and models run on NumPy: {why_not()}", RuntimeWarning, 2)
    return why_not() is None


def tier_text(tier: str) -> str:
    """Return the tier of a run in words, and why there is no other."""
    if tier == "compiled":
        from irrun_kernels.host import LEVEL

        return f"compiled kernels, {LEVEL.name}"
    return "NumPy" if why_not() is None else f"NumPy; {why_not()}"


class Forgetful:
    """Frees what the kernel of a step computed on first use, as soon as the step is done: there may be no other run."""

    def before(self, step: Step, inputs: Sequence[Array | None]) -> None:
        pass

    def after(self, step: Step, outputs: Sequence[Array]) -> None:  # noqa: ARG002
        op = step.node.op
        if isinstance(op, Fused):
            op.release()
            release_scratch()


def release(plan: Plan) -> None:
    """Free what NumPy's kernels computed on first use."""
    from irrun.kernels.aligned import trim

    for step in plan.steps:
        if isinstance(step.node.op, Fused):
            step.node.op.release()
    trim()

"""Watch the programs of compiled kernels in this process: runs that they do not finish, steps without a reason."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from irrun.runtime.tiers import why_not

if TYPE_CHECKING:
    from irrun.runtime.runner import Runner

SEEN: Final[list[str]] = []
"""The reasons of bailouts since the last test."""


@cache
def watch() -> None:
    """Note all bailouts from now on, and refuse programs in which a step is interpreted without a reason."""
    if why_not() is not None:
        return
    from irrun.runtime import runner

    bailed_out, keep = runner.Runner._bailed_out, runner.Runner._keep

    def noted(self: Runner, reason: str) -> str:
        SEEN.append(reason)
        return bailed_out(self, reason)

    def kept(self: Runner, program: Any, budget: Any) -> Any:
        assert all(program.interpreted), "NumPy computes a step without a reason"
        return keep(self, program, budget)

    runner.Runner._bailed_out = noted  # type: ignore[method-assign]
    runner.Runner._keep = kept  # type: ignore[method-assign]


def check(expected: Sequence[str]) -> None:
    """Fail for a bailout whose reason begins like none of those that are expected."""
    found = sorted({reason for reason in SEEN if not reason.startswith(tuple(expected))})
    assert not found, f"programs bailed out: {'; '.join(found)}"

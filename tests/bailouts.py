"""Watch the programs of compiled kernels in this process: runs that they do not finish, steps without a reason."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from irrun.runtime.tiers import why_not

SEEN: Final[list[str]] = []
"""The reasons of bailouts since the last test."""


@cache
def watch() -> None:
    """Note all bailouts from now on, and refuse programs in which a step is interpreted without a reason."""
    if why_not() is not None:
        return
    from irrun.runtime.programs import Programs

    count, keep = Programs._count, Programs._keep

    def counted(self: Programs, bailout: str) -> None:
        SEEN.append(bailout)
        count(self, bailout)

    def kept(self: Programs, program: Any, budget: Any) -> Any:
        assert all(program.interpreted), "NumPy computes a step without a reason"
        return keep(self, program, budget)

    Programs._count = counted  # type: ignore[method-assign]
    Programs._keep = kept  # type: ignore[method-assign]


def check(expected: Sequence[str]) -> None:
    """Fail for a bailout whose reason begins like none of those that are expected."""
    found = sorted({reason for reason in SEEN if not reason.startswith(tuple(expected))})
    assert not found, f"programs bailed out: {'; '.join(found)}"

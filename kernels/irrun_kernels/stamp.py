"""The clock of the processor, which measurements write between calls."""

from __future__ import annotations

from typing import Any, NamedTuple

from irrun_kernels.native import Address, Write, intrinsic, kernel, longs, record
from irrun_kernels.vectors import Vectors


class Stamp(NamedTuple):
    """Arguments of `stamp`: the address of an i64."""

    out: Write[Address]


@intrinsic("int64")
def cycles(v: Vectors) -> Any:
    """The cycle counter of the processor."""
    return v.call("llvm.readcyclecounter", v.long)


@kernel(Stamp)
def stamp(arguments: Any, task: int, workspace: int) -> None:
    """Write the time."""
    longs(record(arguments).out, 1)[0] = cycles()

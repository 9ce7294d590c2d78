"""Run calls while a plan is lowered, by all workers: so weights are packed."""

from __future__ import annotations

from typing import Any

import numpy as np

from irrun.kernels.aligned import LINES, aligned
from irrun.kernels.threads import worthwhile
from irrun.runtime.lowering.builder import Builder, Call
from irrun.runtime.workers import workers
from irrun_kernels.native import NOWHERE, Address
from irrun_kernels.tape import LINE


def run_at_once(builder: Builder) -> None:
    """Run the calls of a builder whose arrays are all constants, those that are written as well."""
    for call in builder.items:
        assert isinstance(call, Call)
        record = np.zeros(1, call.kernel.record)
        tables = {name: np.array([_word(builder, x) for x in table]) for name, table in call.tables.items()}
        for name, value in zip(record.dtype.names or (), call.arguments, strict=True):
            record[name] = tables[name].ctypes.data if name in tables else _word(builder, value)
        row = np.array([call.kernel.address, record.ctypes.data, call.tasks], np.int64)
        counters, count = aligned(3 * LINE, np.int64), worthwhile()
        counters.fill(0)
        each = -(-int(call.workspace) // LINES) * LINES + LINES
        workspace = aligned(count * each)
        kept = (record, tables, row, counters, workspace)
        workers().walk(row.ctypes.data, 1, counters.ctypes.data, workspace.ctypes.data, each, count, kept)


def _word(builder: Builder, value: Any) -> Any:
    """A number, or an address in memory."""
    if not isinstance(value, Address):
        return value
    array = None if value == NOWHERE else builder.buffers[value.buffer].array
    return 0 if array is None else array.ctypes.data + value.offset

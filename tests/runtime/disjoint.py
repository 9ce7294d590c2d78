"""Show by execution that tasks write disjoint parts of what their calls declare, and read nothing else.

The declarations of kernels tell which buffers a call reads and writes, and so which of them are needed at the same
time. Which part of a buffer a task writes is computed by the kernel, and no declaration tells it. So each task of each
call runs alone here, twice: the memory that the call does not declare to read holds one of two canaries, so that a byte
was written if it has another value than one of them.

`faults` checks of each call that

* a byte is written by one task at most, and inside of the buffers that the call declares to write;
* all bytes of the arrays that it writes are written by some task;
* what is written does not depend on memory that the call does not declare to read, nor on other tasks;
* constants stay as they are, and workspaces are as large as declared;
* buffers that are needed at the same time do not overlap, and none is read before it is written.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple
from unittest.mock import patch

import numpy as np

from irrun.runtime.execute import Numerics
from irrun.runtime.instance import Instance
from irrun.runtime.lowering import builder
from irrun.runtime.lowering.builder import FAILURE
from irrun.runtime.program import ROW, Program
from irrun.runtime.request import Request
from irrun.runtime.view import Access, Call, Interpreted
from irrun.tensor import Array
from irrun_kernels import tiling

_KERNEL: Final = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)
_CANARIES: Final = (0xA5, 0x5A)
_BEYOND: Final = 4096
"""Bytes behind a workspace that are watched."""


@contextmanager
def many_tasks() -> Iterator[None]:
    """Cut the calls that are lowered meanwhile into as many tasks as possible."""
    with patch.object(builder, "_LEAST_NANOSECONDS", 1), patch.object(tiling, "_LEAST_WORK", 64.0):
        yield


def faults(program: Program, inputs: Sequence[Array]) -> list[str]:
    """Run a program, and return what its calls do that they should not."""
    return _Examination(program).run(inputs)


class _Region:
    """Memory as bytes."""

    def __init__(self, address: int, size: int) -> None:
        self.address = address
        self.bytes: Array = np.frombuffer((ctypes.c_uint8 * size).from_address(address), np.uint8)


class _Extent(NamedTuple):
    """The place of a buffer: a region, and the first and the last byte in it."""

    region: _Region
    first: int
    last: int

    def mark(self, masks: dict[_Region, Array]) -> None:
        masks[self.region][self.first : self.last] = True


class _Examination:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._layout = program.layout
        self._instance = Instance(program, 1)
        self._regions: dict[int, _Region] = {}
        self._constants = [array.copy() for array in program.constants]
        self._written: set[int] = set()
        self._faults: list[str] = []

    def run(self, inputs: Sequence[Array]) -> list[str]:
        program, instance = self._program, self._instance
        request = Request(inputs)
        with Numerics():
            for view, array in instance._begin(request):
                self._written.add(view.buffer)
                if program.buffers[view.buffer].kind == "arena":
                    np.copyto(instance._array(view), array)
            for number, item in enumerate(program.items):
                if isinstance(item, Interpreted):
                    instance._interpret(number, item, request)
                    self._written.update(view.buffer for view in item.outputs)
                else:
                    self._examine(number, item)
        self._check_places()
        pairs = zip(self._constants, program.constants, strict=True)
        if any(kept.tobytes() != constant.tobytes() for kept, constant in pairs):
            self._faults.append("constants were written")
        return self._faults

    def _check_places(self) -> None:
        """Buffers of the arena that are needed at the same time must not overlap."""
        known = [
            (buffer, self._extent(number), number)
            for number, buffer in enumerate(self._program.buffers)
            if buffer.kind == "arena" and buffer.first >= 0
        ]
        for place, (one, a, first) in enumerate(known):
            for other, b, second in known[:place]:
                is_together = one.first <= other.last and other.first <= one.last
                if is_together and a.region is b.region and a.first < b.last and b.first < a.last:
                    self._faults.append(f"buffers {first} and {second} are needed at the same time, and overlap")

    def _examine(self, number: int, call: Call) -> None:
        accesses = [access for access in call.accesses if access.address != FAILURE]
        reads = [access for access in accesses if access.is_read]
        writes = [access for access in accesses if access.is_written]
        for access in reads:
            buffer = access.address.buffer
            if self._program.buffers[buffer].kind == "arena" and buffer not in self._written:
                self._faults.append(f"{number} {call.kernel.name} reads {access.field}, which nobody has written")
        self._written.update(access.address.buffer for access in writes)
        extents = [self._extent(access.address.buffer) for access in accesses]
        arena = self._region(self._instance._arena)
        regions = {extent.region for extent in extents} | {arena}
        found = _Outcome(self, number, call, regions, reads, writes).faults()
        self._faults += [f"{number} {call.kernel.name}: {fault}" for fault in found]

    def _region(self, array: Array) -> _Region:
        """The memory that an array is a part of."""
        while isinstance(array.base, np.ndarray):
            array = array.base
        low, high = np.lib.array_utils.byte_bounds(array)
        return self._regions.setdefault(low, _Region(low, high - low))

    def _extent(self, number: int) -> _Extent:
        instance, buffer = self._instance, self._program.buffers[number]
        if buffer.array is not None:
            region = self._region(buffer.array)
        elif number in instance._held:
            region = self._region(instance._held[number])
        elif number in instance._owned:
            region = self._region(instance._owned[number])
        else:
            region = self._region(instance._arena)
            first = int(instance._bases[number]) - region.address
            return _Extent(region, first, first + self._layout.value(buffer.size, instance._known))
        return _Extent(region, 0, len(region.bytes))

    def mark(self, access: Access, masks: dict[_Region, Array]) -> None:
        """Mark the bytes of the elements of an array that is accessed."""
        view, instance = access.view, self._instance
        assert view is not None
        region = self._extent(view.buffer).region

        def value(number: Any) -> int:
            return self._layout.value(number, instance._known)

        start = int(instance._bases[view.buffer]) + value(view.offset) - region.address
        shape = (*map(value, view.shape), view.itemsize)
        strides = (*map(value, view.strides), 1)
        if 0 not in shape:
            lowest = start + sum(min(0, stride * (size - 1)) for size, stride in zip(shape, strides, strict=True))
            whole = masks[region][lowest:]
            np.lib.stride_tricks.as_strided(whole[start - lowest :], shape, strides)[...] = True


class _Outcome:
    """What the tasks of a call do."""

    def __init__(
        self,
        examination: _Examination,
        number: int,
        call: Call,
        regions: set[_Region],
        reads: Sequence[Access],
        writes: Sequence[Access],
    ) -> None:
        self._examination = examination
        instance = examination._instance
        kernel, arguments, tasks = (int(word) for word in instance._words[ROW * number : ROW * (number + 1)])
        self._kernel, self._arguments, self._tasks = _KERNEL(kernel), arguments, tasks
        self._workspace = examination._layout.value(call.workspace, instance._known)
        self._space = np.empty(self._workspace + _BEYOND + 128, np.uint8)
        self._aligned = -self._space.ctypes.data % 128
        self._regions = regions
        self._writes = writes
        self._readable, self._writable = (self._masks() for _ in range(2))
        for masks, accesses in ((self._readable, reads), (self._writable, writes)):
            for access in accesses:
                examination._extent(access.address.buffer).mark(masks)
        self._before = {region: region.bytes.copy() for region in regions}

    def _masks(self) -> dict[_Region, Array]:
        return {region: np.zeros(len(region.bytes), np.bool_) for region in self._regions}

    def faults(self) -> list[str]:
        found: list[str] = []
        written = self._masks()
        composed = {region: before.copy() for region, before in self._before.items()}
        for task in range(self._tasks):
            own, results = self._alone(task, found)
            for region in self._regions:
                if (own[region] & written[region]).any():
                    found.append(f"task {task} writes what another task wrote")
                if (own[region] & ~self._writable[region]).any():
                    found.append(f"task {task} writes outside of the buffers that are declared as written")
                written[region] |= own[region]
                composed[region][own[region]] = results[region][own[region]]
        self._check_cover(written, found)
        self._restore(None)
        for task in range(self._tasks):
            self._do(task, found)
        if any((region.bytes != composed[region])[self._writable[region]].any() for region in self._regions):
            found.append("a task depends on what another one writes")
        return sorted(set(found))

    def _alone(self, task: int, found: list[str]) -> tuple[dict[_Region, Array], dict[_Region, Array]]:
        """The bytes that a task writes, and their values."""
        own, values = self._masks(), []
        for canary in _CANARIES:
            begun = self._restore(canary)
            self._do(task, found)
            for region in self._regions:
                own[region] |= region.bytes != begun[region]
            values.append({region: region.bytes.copy() for region in self._regions})
        for region in self._regions:
            # A byte that happens to have the value of a canary differs from the other one.
            if (values[0][region] != values[1][region])[own[region]].any():
                found.append(f"task {task} depends on memory that is not declared as read")
        return own, values[0]

    def _restore(self, canary: int | None) -> dict[_Region, Array]:
        """Memory as before the call, with a canary where the call does not read."""
        begun = {}
        for region in self._regions:
            if region.bytes.flags.writeable:
                made = self._before[region].copy()
                if canary is not None:
                    made[~self._readable[region]] = canary
                if not np.array_equal(region.bytes, made):
                    region.bytes[:] = made
            begun[region] = region.bytes.copy()
        return begun

    def _do(self, task: int, found: list[str]) -> None:
        self._space[:] = 0xA5
        self._kernel(self._arguments, task, self._space.ctypes.data + self._aligned)
        if (self._space[self._aligned + self._workspace :] != 0xA5).any():
            found.append(f"task {task} writes beyond its workspace of {self._workspace} bytes")

    def _check_cover(self, written: dict[_Region, Array], found: list[str]) -> None:
        """Arrays must be written as a whole, unless they are updated."""
        if any(access.view is None or access.is_read for access in self._writes):
            return
        wanted = self._masks()
        for access in self._writes:
            self._examination.mark(access, wanted)
        for region in self._regions:
            fresh = ~self._readable[region]
            if (wanted[region] & fresh & ~written[region]).any():
                found.append("a part of what is declared as written is written by no task")
            if (written[region] & ~wanted[region]).any():
                found.append("more is written than the arrays that are declared as written")

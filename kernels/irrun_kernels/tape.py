"""The tape: a sequence of kernel calls that all workers walk together.

A call is a row of three numbers: the address of a kernel, the address of its arguments, the number of its tasks.
Its tasks are dealt in order into equal parts, one for each worker, so that a worker finds in its own cache what it
wrote in the call before. Whoever is through with its part takes tasks of the others': nobody waits for a worker that
has no processor at the moment, unless it is working on a task. A call begins when all tasks of the one before it are
done. Each call has counters in two cache lines: how many tasks of each part have been claimed, and how many are done.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from irrun_kernels.native import (
    Address,
    KernelFunction,
    add_atomically,
    call_kernel,
    entry,
    inlined,
    load_atomically,
    longs,
    store_atomically,
    yield_cpu,
)

LINE: Final = 16
"""Numbers between the counters of one call and those of the next: two cache lines, since they are fetched in pairs."""

_PARTS: Final = LINE // 2
"""Parts into which the tasks of a call are dealt, at most: more workers share them."""

_ALIGNED: Final = 128
"""Bytes of two lines of a cache, at which workspace begins."""

_POLLS: Final = 4000
"""Times that a counter is looked at before the processor is offered to somebody else."""


@inlined
def walk(tape: int, calls: int, counters: int, workspace: int, number: int, workers: int, yielding: int) -> None:
    """Take part in the calls of a tape; ``yielding`` is the address of ``sched_yield``."""
    rows = longs(tape, calls * 3)
    parts = min(workers, _PARTS)
    for call in range(calls):
        function, arguments, tasks = rows[3 * call], rows[3 * call + 1], rows[3 * call + 2]
        claimed = counters + 8 * LINE * call
        done = claimed + 64
        for turn in range(parts):
            part = (number + turn) % parts
            least, most = (tasks * part + parts - 1) // parts, (tasks * (part + 1) + parts - 1) // parts
            while load_atomically(claimed + 8 * part) < most - least:
                task = least + add_atomically(claimed + 8 * part, 1)
                if task >= most:
                    break
                call_kernel(function, arguments, task, workspace)
                add_atomically(done, 1)
        polls = 0
        while load_atomically(done) < tasks:
            polls += 1
            if polls == _POLLS:
                yield_cpu(yielding)
                polls = 0


@entry
def serve(mailbox: int, number: int, seen: int, most_polls: int, yielding: int) -> int:
    """Walk one tape after another; return the number of the last one after a while without a new one.

    The mailbox holds, each in a cache line: the number of the newest tape, the workers that are inside of one, the most
    that may be, and then the address of the tape, its calls, its counters, its workspace and the bytes of that for each
    worker. ``seen`` is the number of a tape that is over, ``most_polls`` the number of polls before it returns.
    """
    polls = 0
    while polls < most_polls:
        newest = load_atomically(mailbox)
        if newest == seen:
            polls += 1
            continue
        seen = newest
        polls = 0
        add_atomically(mailbox + 64, 1)
        if load_atomically(mailbox) == newest and newest % 2 == 1 and number < load_atomically(mailbox + 128):
            job = longs(mailbox + 192, 5)
            walk(job[0], job[1], job[2], job[3] + number * job[4], number, load_atomically(mailbox + 128), yielding)
        add_atomically(mailbox + 64, -1)
    return seen


@entry
def walk_alone(tape: int, calls: int, workspace: int) -> None:
    """Do all calls without counters."""
    rows = longs(tape, calls * 3)
    for number in range(calls):
        function, arguments, tasks = rows[3 * number], rows[3 * number + 1], rows[3 * number + 2]
        for task in range(tasks):
            call_kernel(function, arguments, task, workspace)


def run(kernel: KernelFunction, arguments: Any, tasks: int, workspace: int) -> None:
    """Let this thread run a kernel; addresses among the arguments are those of arrays (`at`)."""
    words = [word.offset if isinstance(word, Address) else word for word in kernel.flat(arguments)]
    record, free = np.array([tuple(words)], kernel.record), np.empty(workspace + _ALIGNED, np.uint8)
    call = np.array([kernel.address, record.ctypes.data, tasks], np.int64)
    walk_alone(call.ctypes.data, 1, -(-free.ctypes.data // _ALIGNED) * _ALIGNED)


def at(x: Any) -> Address:
    """The address of an array."""
    return Address(0, x.ctypes.data)


@entry
def lead(
    mailbox: int, workers: int, tape: int, calls: int, counters: int, workspace: int, each: int, yielding: int
) -> None:
    """Publish a tape, walk it, and return when all of it is done; others may still be looking at its counters."""
    numbers = longs(counters, calls * LINE)
    for number in range(calls * LINE):
        numbers[number] = 0
    job = longs(mailbox + 192, 5)
    job[0], job[1], job[2], job[3], job[4] = tape, calls, counters, workspace, each
    store_atomically(mailbox + 128, workers)
    add_atomically(mailbox, 1)
    walk(tape, calls, counters, workspace, 0, workers, yielding)
    add_atomically(mailbox, 1)


@entry
def settle(mailbox: int, yielding: int) -> None:
    """Wait until no worker is inside a finished tape."""
    polls = 0
    while load_atomically(mailbox + 64) > 0:
        polls += 1
        if polls == _POLLS:
            yield_cpu(yielding)
            polls = 0

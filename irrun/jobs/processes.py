"""Items over processes of this machine, which end with their parent."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from typing import Any, Final

from irrun.jobs.items import Lost, chunks
from irrun.jobs.threads import Item, Result, Several
from irrun.jobs.watchdog import TIMED_OUT, guard_this_process

_CAN_HOLD_BACK: Final = hasattr(signal, "pthread_sigmask")

_WORK: Final[list[Several[Any, Any]]] = []
"""The function of this process, where it is a worker."""


class _Refused(Exception):
    """The system starts no process."""


def over_processes(
    work: Several[Item, Result], items: Sequence[Item], processes: int
) -> Iterator[tuple[int, Result | Lost]]:
    """Yield the index and the result of each item as soon as it is done.

    Where the system refuses more processes, this one does the rest.
    """
    waiting = deque(chunks(len(items), processes))
    while waiting:
        begun: list[range] = []
        try:
            suspects = yield from _until_one_ends(work, items, waiting, processes, begun)
        except _Refused:
            for chunk in (*begun, *waiting):
                yield from zip(chunk, work([items[index] for index in chunk]), strict=True)
            return
        yield from _one_by_one(work, items, (index for chunk in suspects for index in chunk))


def _until_one_ends(
    work: Several[Item, Result],
    items: Sequence[Item],
    waiting: deque[range],
    processes: int,
    begun: list[range],
) -> Generator[tuple[int, Result | Lost], None, list[range]]:
    """Work on ``waiting``; return the ranges that were begun when a worker ended, none where all is done."""
    running: dict[Future[list[Result]], range] = {}
    done: SimpleQueue[Future[list[Result]]] = SimpleQueue()
    with _workers(work, min(processes, len(waiting))) as (pool, _):
        while waiting or running:
            while waiting and len(running) < 2 * processes:
                chunk = waiting.popleft()
                try:
                    with _uninterrupted():
                        running[_submitted(pool, [items[index] for index in chunk], done)] = chunk
                except BrokenProcessPool:
                    return [chunk, *running.values()]
                except (OSError, RuntimeError) as error:
                    begun += [*running.values(), chunk]
                    raise _Refused from error
            future = done.get()
            try:
                with _uninterrupted():
                    results = future.result()
            except BrokenProcessPool:
                return list(running.values())
            yield from zip(running.pop(future), results, strict=True)
    return []


def _one_by_one(
    work: Several[Item, Result], items: Sequence[Item], suspects: Iterable[int]
) -> Iterator[tuple[int, Result | Lost]]:
    """Work on single items in one process, which each may end; it is started again for the next."""
    waiting = deque(suspects)
    done: SimpleQueue[Future[list[Result]]] = SimpleQueue()
    while waiting:
        with _workers(work, 1) as (pool, workers):
            with _uninterrupted():
                pool.submit(_apply, [])
            started = workers()
            while waiting:
                index = waiting.popleft()
                try:
                    with _uninterrupted():
                        _submitted(pool, [items[index]], done)
                    future = done.get()
                    with _uninterrupted():
                        results = future.result()
                except BrokenProcessPool:
                    pool.shutdown()
                    yield index, Lost(_ending(started[0].exitcode if started else None))
                    break
                yield index, results[0]


def _ending(status: int | None) -> str:
    if status is not None and status < 0:
        return f"the process was ended by {signal.Signals(-status).name}"
    if status == TIMED_OUT:
        return "the process was ended: it took longer than the limit on the seconds of an inference"
    return f"the process ended with status {status}"


@contextmanager
def _workers(
    work: Several[Any, Any], count: int
) -> Iterator[tuple[ProcessPoolExecutor, Callable[[], list[BaseProcess]]]]:
    """A pool of workers, and a function that lists them. They are terminated where the context ends early."""
    others = set(active_children())
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    pool = ProcessPoolExecutor(count, get_context("spawn"), _begin, (ignored, work))

    def workers() -> list[BaseProcess]:
        return [child for child in active_children() if child not in others]

    try:
        yield pool, workers
    except BaseException:
        for worker in workers():
            worker.terminate()
        raise
    finally:
        pool.shutdown()


def _submitted(
    pool: ProcessPoolExecutor, items: Sequence[Item], done: SimpleQueue[Future[list[Result]]]
) -> Future[list[Result]]:
    """Submit items; ``done`` gets the future when it is done.

    A signal that arrives in a method of a future may leave it locked: wait for the queue instead, and let signals wait
    for the methods.
    """
    future: Future[list[Result]] = pool.submit(_apply, items)
    future.add_done_callback(done.put)
    return future


def _apply(items: Sequence[Any]) -> list[Any]:
    return list(_WORK[0](items))


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Hold back the exceptions of signals, and interrupts of processes that are started until they have begun."""
    held: list[int] = []
    handlers = _handlers()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT]) if _CAN_HOLD_BACK else ()
    try:
        for number in handlers:
            signal.signal(number, lambda number, _: held.append(number))
        yield
    finally:
        if _CAN_HOLD_BACK:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for arrived in held:
            signal.raise_signal(arrived)


def _handlers() -> dict[signal.Signals, Any]:
    """Return the functions that signals call; none outside of the main thread, which calls them."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    return {number: handler for number, handler in handlers.items() if callable(handler)}


def _begin(ignored: bool, work: Several[Any, Any]) -> None:
    """Prepare a worker: an interrupt ends it at once, unless ``ignored``, and so does the end of its parent.

    What extensions print goes to stderr.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN if ignored else signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if _CAN_HOLD_BACK:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    threading.Thread(target=_end_with_parent, name="irrun-parent", daemon=True).start()
    sys.stdout = sys.stderr
    guard_this_process()
    _WORK[:] = [work]


def _end_with_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)

"""Several items at the same time, on threads of this process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Final, Generic, TypeAlias, TypeVar

from irrun.diagnostics.signals import is_of_signal

Item = TypeVar("Item")
Result = TypeVar("Result")


def begin(thread: threading.Thread) -> bool:
    """Start a thread; return whether the system has allowed it.

    Where a signal arrives while Python waits for the thread, its exception may be the context of a RuntimeError.
    """
    try:
        thread.start()
    except (RuntimeError, MemoryError) as error:
        cause = error.__context__
        if isinstance(cause, KeyboardInterrupt | SystemExit) or (cause is not None and is_of_signal(cause)):
            raise cause from None
        if is_of_signal(error):
            raise
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Raised:
    """The exception of an item."""

    error: BaseException


Todo: TypeAlias = "SimpleQueue[tuple[int, Item] | None]"
Done: TypeAlias = "SimpleQueue[tuple[int, Result | _Raised]]"

_END: Final = None
"""Ends a thread that takes it."""


class Several(Generic[Item, Result]):
    """A function of several items, made of ``work``, a function of one.

    It yields the results in the order of the items. At most twice as many as there are threads wait to be consumed.
    There are fewer threads where the system refuses some, and the calling one does the work where it refuses all.

    The calling thread, which signals interrupt at any place, shares nothing but queues with the others: unlike
    conditions, and futures made of them, these are never left locked.
    """

    def __init__(self, work: Callable[[Item], Result], threads: int = 1) -> None:
        self.work = work
        self.threads = threads

    def __call__(self, items: Iterable[Item]) -> Iterator[Result]:
        todo: Todo[Item] = SimpleQueue()
        done: Done[Result] = SimpleQueue()
        started: list[threading.Thread] = []
        try:
            if self.threads > 1:
                self._start(todo, done, started)
            if not started:
                yield from map(self.work, items)
                return
            early: dict[int, Result | _Raised] = {}
            due = begun = 0
            for item in items:
                todo.put((begun, item))
                begun += 1
                if begun - due == 2 * len(started):
                    yield _result(due, done, early)
                    due += 1
            for number in range(due, begun):
                yield _result(number, done, early)
        finally:
            _clear(todo)
            for _ in range(self.threads):
                todo.put(_END)
            for thread in started:
                thread.join()

    def _start(self, todo: Todo[Item], done: Done[Result], started: list[threading.Thread]) -> None:
        """Add threads that have begun to work to ``started``. A process that ends does not wait for them."""
        for number in range(self.threads):
            name = f"irrun-request_{number}"
            thread = threading.Thread(target=self._work, args=(todo, done), name=name, daemon=True)
            if not begin(thread):
                return
            started.append(thread)

    def _work(self, todo: Todo[Item], done: Done[Result]) -> None:
        while (given := todo.get()) is not _END:
            number, item = given
            try:
                done.put((number, self.work(item)))
            except BaseException as error:
                done.put((number, _Raised(error)))


def _result(number: int, done: Done[Result], early: dict[int, Result | _Raised]) -> Result:
    """Wait for the result of an item; ``early`` holds those of later ones."""
    while number not in early:
        other, outcome = done.get()
        early[other] = outcome
    result = early.pop(number)
    if isinstance(result, _Raised):
        raise result.error
    return result


def _clear(todo: Todo[Item]) -> None:
    """Take what no thread has taken."""
    while True:
        try:
            todo.get_nowait()
        except Empty:
            return

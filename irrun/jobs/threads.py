"""Several items at the same time, on threads of this process."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Several(Generic[Item, Result]):
    """A function of several items, made of ``work``, a function of one.

    It yields the results in the order of the items. At most twice as many as there are threads wait to be consumed.
    There are fewer threads where the system refuses some, and the calling one does the work where it refuses all.
    """

    def __init__(self, work: Callable[[Item], Result], threads: int = 1) -> None:
        self.work = work
        self.threads = threads

    def __call__(self, items: Iterable[Item]) -> Iterator[Result]:
        todo: SimpleQueue[tuple[Future[Result], Item] | None] = SimpleQueue()
        started: list[threading.Thread] = []
        waiting: deque[Future[Result]] = deque()
        try:
            if self.threads > 1:
                self._start(todo, started)
            if not started:
                yield from map(self.work, items)
                return
            for item in items:
                waiting.append(Future())
                todo.put((waiting[-1], item))
                if len(waiting) == 2 * len(started):
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
            for _ in started:
                todo.put(None)
            for thread in started:
                thread.join()

    def _start(self, todo: SimpleQueue[tuple[Future[Result], Item] | None], started: list[threading.Thread]) -> None:
        """Add threads that have begun to work to ``started``. A process that ends does not wait for them."""
        for number in range(self.threads):
            thread = threading.Thread(target=self._work, args=(todo,), name=f"irrun-request_{number}", daemon=True)
            try:
                thread.start()
            except (RuntimeError, MemoryError):
                return
            except BaseException:
                # A signal arrived, and the thread may have begun.
                todo.put(None)
                raise
            started.append(thread)

    def _work(self, todo: SimpleQueue[tuple[Future[Result], Item] | None]) -> None:
        while (given := todo.get()) is not None:
            future, item = given
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(self.work(item))
            except BaseException as error:
                future.set_exception(error)

"""Several items at the same time, on threads of this process."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Several(Generic[Item, Result]):
    """A function of several items, made of ``work``, a function of one.

    It yields the results in the order of the items. At most twice as many as there are threads wait to be consumed.
    """

    def __init__(self, work: Callable[[Item], Result], threads: int = 1) -> None:
        self.work = work
        self.threads = threads

    def __call__(self, items: Iterable[Item]) -> Iterator[Result]:
        if self.threads == 1:
            yield from map(self.work, items)
            return
        waiting: deque[Future[Result]] = deque()
        with ThreadPoolExecutor(self.threads, "irrun-request") as pool:
            try:
                for item in items:
                    waiting.append(pool.submit(self.work, item))
                    if len(waiting) == 2 * self.threads:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for future in waiting:
                    future.cancel()

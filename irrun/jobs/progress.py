"""Progress of long work: a loop tells what it works on, and a listener, if there is one, shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, Protocol, TypeVar

_Item = TypeVar("_Item")


class Listener(Protocol):
    """Is told of one piece of work at a time, on the thread that does it."""

    def begin(self, what: str, total: int | None, unit: str) -> None:
        """Take note of work that has begun: ``total`` units, or an unknown number."""
        ...

    def add(self, count: int) -> None:
        """Take note of a number of units that are done."""
        ...

    def end(self) -> None:
        """Take note that the work has ended, or was given up."""
        ...


_listener: Final = ContextVar[Listener | None]("listener", default=None)


@contextmanager
def listening(listener: Listener | None) -> Iterator[None]:
    """Let a listener know of the work of this thread; None silences it."""
    before = _listener.get()
    _listener.set(listener)
    try:
        yield
    finally:
        _listener.set(before)


@contextmanager
def working(what: str, total: int | None = None, unit: str = "layers") -> Iterator[Callable[[int], None]]:
    """Tell of work, and yield the function that counts what is done. Work inside of it is a part of it, and not told.

    >>> with working("copying", total=len(data), unit="bytes") as add:
    ...     add(copy(data))
    """
    listener = _listener.get()
    if listener is None:
        yield _uncounted
        return
    with listening(None):
        listener.begin(what, total, unit)
        try:
            yield listener.add
        finally:
            listener.end()


def told(
    items: Iterable[_Item],
    what: str,
    *,
    unit: str = "layers",
    total: int | None = None,
    count: Callable[[_Item], int] = lambda _: 1,
) -> Iterable[_Item]:
    """Return the items of a loop, of whose progress a listener is told.

    ``count`` returns how many of the ``total`` units an item stands for; by default there are as many as items.

    >>> for node in told(nodes, "compiling"):
    ...     compile(node)
    """
    if _listener.get() is None:
        return items
    known = len(items) if total is None and isinstance(items, Sized) else total
    return _each(items, what, unit, known, count)


def _each(
    items: Iterable[_Item], what: str, unit: str, total: int | None, count: Callable[[_Item], int]
) -> Iterator[_Item]:
    with working(what, total, unit) as add:
        for item in items:
            yield item
            add(count(item))


def _uncounted(_count: int) -> None:
    """Count nothing, where nobody listens."""

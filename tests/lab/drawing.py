"""The options of laboratories that draw their material by seeds: ``--count``, ``--seconds`` and ``--seed``."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator


def add_options(parser: argparse.ArgumentParser, count: int, of: str) -> None:
    """Add the options to a parser; ``of`` says what is drawn, such as ``graphs``."""
    parser.add_argument("--count", type=int, help=f"how many {of}; {count} by default")
    parser.add_argument("--seconds", type=float, help="draw for so long instead")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.set_defaults(by_default=count)


def seeds(given: argparse.Namespace) -> Iterator[int]:
    """Yield the seeds that a command asks for."""
    count = given.by_default if given.count is None and given.seconds is None else given.count
    yield from drawn(given.seed, count, given.seconds)


def drawn(first: int, count: int | None, seconds: float | None) -> Iterator[int]:
    """Yield seeds until there are ``count`` of them, or the time is over."""
    end = None if seconds is None else time.monotonic() + seconds
    seed = first
    while (count is None or seed - first < count) and (end is None or time.monotonic() < end):
        yield seed
        seed += 1

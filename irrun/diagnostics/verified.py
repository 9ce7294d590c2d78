"""The number of declared output ports that inference confirms, and of those that it cannot decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

MOST_REASONS: Final = 3


class Unverified(NamedTuple):
    """Output ports whose declared numbers inference neither confirms nor refutes, and their common reason."""

    reason: str
    ports: int


class Verified(NamedTuple):
    """The number of output ports of a file by verdict: confirmed, undecided, refuted."""

    ports: int = 0
    unverified: tuple[Unverified, ...] = ()
    refuted: int = 0


NOTHING: Final = Verified()


def count(unverified: Sequence[Unverified]) -> int:
    """Return the number of ports."""
    return sum(item.ports for item in unverified)


def not_verified(unverified: Sequence[Unverified]) -> str:
    """Return ``3 not verified (…)`` with the most frequent reasons and the number of the others, in one line."""
    ranked = [item.reason for item in sorted(unverified, key=lambda item: -item.ports)]
    more = [f"and {len(ranked) - MOST_REASONS} more"] if len(ranked) > MOST_REASONS else []
    return f"{count(unverified)} not verified ({'; '.join([*ranked[:MOST_REASONS], *more])})"

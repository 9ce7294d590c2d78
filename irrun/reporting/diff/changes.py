"""Changes that lead from one model to another."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Final, TypedDict

KINDS: Final = (
    *("added", "removed", "renamed", "operation", "attribute", "shape", "type", "constant", "edge", "info"),
)
"""The kinds of changes, in the order in which they are listed; ``info`` is runtime information."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one layer.

    ``layer`` is its name in the first model, ``other`` in the second one, each after the names of the layers in whose
    bodies it is; empty where the model does not have it, and for the model itself. ``what`` says what has changed: an
    attribute, an input, an output. ``follows`` is true for a change of a shape, type or edge that another change leads
    to, which is one of those without ``follows``.
    """

    kind: Annotated[str, {"enum": KINDS}]
    type: str
    layer: str
    other: str
    what: str = ""
    before: str = ""
    after: str = ""
    follows: bool = False


class DifferenceRecord(TypedDict):
    """All changes; ``layers`` are the numbers of layers, ``counts`` those of changes by kind."""

    equal: bool
    layers: list[int]
    counts: Annotated[dict[str, int], {"propertyNames": {"enum": KINDS}}]
    reordered: list[Annotated[str, {"enum": ["inputs", "outputs"]}]]
    constants_unread: bool
    changes: list[Annotated[dict[str, Any], Change]]


@dataclass(frozen=True, slots=True)
class Difference:
    """All changes between two models, and ``pairs`` of layers that correspond to each other, by name.

    ``reordered`` are the ends, ``inputs`` or ``outputs``, that are in another order, which is not a change.
    ``unread`` is true where values of constants are not known, which then count as equal.
    """

    changes: tuple[Change, ...]
    pairs: tuple[tuple[str, str], ...]
    layers: tuple[int, int]
    reordered: tuple[str, ...] = ()
    unread: bool = False

    @property
    def is_equal(self) -> bool:
        return not self.changes

    @property
    def counts(self) -> dict[str, int]:
        """The number of changes of each kind, without those that follow from others."""
        found = Counter(change.kind for change in self.changes if not change.follows)
        return {kind: found[kind] for kind in KINDS if found[kind]}

    def as_dict(self) -> DifferenceRecord:
        """Return the difference as JSON-ready values, without the pairs."""
        return {
            "equal": self.is_equal,
            "layers": list(self.layers),
            "counts": self.counts,
            "reordered": list(self.reordered),
            "constants_unread": self.unread,
            "changes": [asdict(change) for change in self.changes],
        }

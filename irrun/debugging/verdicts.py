"""The claim of a comparison of two models: equal, different because of some layers, or unknown."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any, Final, Literal, NamedTuple, NotRequired, TypedDict

from irrun.graph import Outlet

CAUSES: Final = {
    "attribute": "an attribute differs",
    "constant": "a constant differs",
    "quantisation": "numbers of few levels: a range, a scale, a zero point, or levels as expected",
    "rounding": "numbers of fewer bits, or another order of additions",
    "missing": "a layer, or an output, that only one side has",
    "order": "inputs or outputs in another order",
    "input": "a layer reads another tensor",
    "type": "another operation",
    "implementation": "the same layer, computed otherwise",
    "optimisation": "the layers agree one by one, and what an optimiser makes of them does not",
    "structure": "several layers that are written otherwise",
}
"""The causes of a difference."""

WIDEST: Final = 6
"""Layers of a region on a side, beyond which the difference has no place."""

GROWING: Final = "each layer agrees for equal inputs; small errors grow"
"""The reason where no layer, and no coarser number, explains the difference of outputs."""


class Cut(NamedTuple):
    """The borders of a difference, where it can be cut out of two models: tensors that agree, and others that do not.

    Each pair has the outlet of the first model and that of the other one.
    """

    starts: tuple[tuple[Outlet, Outlet], ...]
    ends: tuple[tuple[Outlet, Outlet], ...]

    def mirrored(self) -> Cut:
        """Return the cut of the same models in the other order."""
        return Cut(tuple((b, a) for a, b in self.starts), tuple((b, a) for a, b in self.ends))


class RegionRecord(TypedDict):
    """The layers of each side of a region."""

    model: list[str]
    other: list[str]


class SuspectRecord(TypedDict):
    """A suspected layer or region, named on each side; ``between`` are the layers of a region."""

    name: str
    type: str
    other: str
    cause: Annotated[str, {"enum": [*CAUSES]}]
    what: str
    error: float
    constants: list[str]
    between: NotRequired[RegionRecord]


class VerdictRecord(TypedDict):
    """A verdict with its suspects; ``cause`` is empty where nothing is claimed."""

    verdict: Literal["equal", "different", "unknown"]
    cause: Annotated[str, {"enum": ["", *CAUSES]}]
    reason: str
    suspects: list[SuspectRecord]
    losses: list[Annotated[dict[str, Any], LayerLoss]]


@dataclass(frozen=True, slots=True)
class Suspect:
    """A layer, or a region of layers, where the difference of two sides begins.

    ``name`` and ``other`` are the layer of each side, empty where one has none; ``constants`` the names of constants
    that differ, ``cause`` a key of `CAUSES`, ``what`` the details. ``between`` holds the layers of each side where
    they are several, ``error`` is that of the layer for inputs that agree, in proportion to the largest magnitude.
    ``ids`` are those of the two layers where each side has one, ``cut`` is the region, if it can be cut out.
    """

    name: str
    type: str
    other: str
    cause: str
    what: str = ""
    constants: tuple[str, ...] = ()
    between: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    error: float = 0.0
    ids: tuple[int, int] | None = None
    cut: Cut | None = None

    def mirrored(self) -> Suspect:
        """Return the suspect of the same models in the other order."""
        between = None if self.between is None else self.between[::-1]
        ids = None if self.ids is None else self.ids[::-1]
        cut = None if self.cut is None else self.cut.mirrored()
        return replace(self, name=self.other, other=self.name, between=between, ids=ids, cut=cut)

    def as_dict(self) -> SuspectRecord:
        """Return a record, ready for JSON."""
        record: SuspectRecord = {
            "name": self.name,
            "type": self.type,
            "other": self.other,
            "cause": self.cause,
            "what": self.what,
            "error": self.error,
            "constants": list(self.constants),
        }
        if self.between is not None:
            record["between"] = {"model": list(self.between[0]), "other": list(self.between[1])}
        return record


@dataclass(frozen=True, slots=True)
class LayerLoss:
    """A layer that loses no more than its quantisers explain, ``name`` and ``other`` on each side.

    ``what`` says by what, ``error`` is that of its results, in proportion to the largest magnitude.
    """

    name: str
    type: str
    other: str
    what: str
    error: float

    def mirrored(self) -> LayerLoss:
        """Return the loss of the same models in the other order."""
        return replace(self, name=self.other, other=self.name)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The claim of a comparison.

    ``equal``: the outputs agree within the tolerances. ``different``: they do not, and either the ``suspects``, the
    likeliest first, or a harmless ``cause`` explain it. ``unknown``: they do not, and nothing was shown to explain it,
    or they could not be compared. ``reason`` says why, in words. ``losses`` are the layers that lose most by
    quantisation, as expected, the largest first.
    """

    verdict: Literal["equal", "different", "unknown"]
    suspects: tuple[Suspect, ...] = ()
    cause: str = ""
    reason: str = ""
    losses: tuple[LayerLoss, ...] = ()

    def mirrored(self) -> Verdict:
        """Return the verdict on the same models in the other order."""
        suspects, losses = (
            tuple(item.mirrored() for item in self.suspects),
            tuple(item.mirrored() for item in self.losses),
        )
        return replace(self, suspects=suspects, losses=losses)

    def as_dict(self) -> VerdictRecord:
        """Return a record, ready for JSON."""
        return {
            "verdict": self.verdict,
            "cause": self.cause,
            "reason": self.reason,
            "suspects": [item.as_dict() for item in self.suspects],
            "losses": [asdict(item) for item in self.losses],
        }


EQUAL: Final = Verdict("equal")

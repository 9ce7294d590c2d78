"""The types of the records of comparisons, as ``as_dict`` returns them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from irrun.debugging.blames import Kind
from irrun.debugging.comparing import Record
from irrun.debugging.metrics import Errors
from irrun.debugging.slices import SliceErrors
from irrun.debugging.verdicts import VerdictRecord


class PossibleMetrics(TypedDict, total=False):
    mean: float
    median: float | None
    rms: float
    cosine: float | None
    psnr: float
    snr: float
    ulp: float | None


class LayerErrors(PossibleMetrics, total=False):
    max: float
    relative: float
    scale: float
    is_exact: bool
    own_max: float
    own_mean: float
    own_median: float | None
    own_rms: float
    own_relative: float
    own_scale: float
    own_cosine: float | None
    own_psnr: float
    own_snr: float
    own_ulp: float | None
    own_is_exact: bool


class LayerRow(LayerErrors):
    """An output of a layer beside its counterpart, with the errors of both where shapes agree."""

    layer: str
    type: str
    output: int
    other: str
    how: str
    shape: list[int]
    problem: str
    differs: bool
    errs: bool
    constants: list[str]


class ChangedRows(TypedDict):
    """The rows of scores whose likeliest class differs, and all rows."""

    changed: int
    rows: int


class MetricsRecord(TypedDict):
    """Errors of a tensor, as those of ``Errors``."""

    max: float
    mean: float
    median: float | None
    rms: float
    relative: float
    cosine: float | None
    psnr: float
    snr: float
    ulp: float | None


class OutputRecord(PossibleMetrics):
    """An output beside its counterpart; without numbers where a ``problem`` prevents the comparison."""

    name: str
    type: NotRequired[str]
    shape: NotRequired[list[int]]
    differs: bool
    problem: str
    max: NotRequired[float]
    relative: NotRequired[float]
    argmax: NotRequired[ChangedRows | None]
    beyond: NotRequired[int]
    slices: NotRequired[list[Annotated[Record, SliceErrors]]]


class LayerRecord(PossibleMetrics):
    """A layer that differs; ``own`` are its errors for the inputs of the other side."""

    name: str
    type: str
    other: str
    differs: bool
    problem: str
    max: float | None
    relative: float | None
    own: MetricsRecord | None
    constants: list[str]


class OptimisationRecord(TypedDict):
    """The side whose optimisation differs, and the errors of both against their own layers one by one."""

    by: str | None
    relative: dict[str, float]


class ComparisonRecord(VerdictRecord):
    """A comparison: the layers where they were compared, null where they could not be, for a ``reason``."""

    status: Literal["equal", "different"]
    outputs: list[OutputRecord]
    layer: NotRequired[LayerRecord | None]
    culprit: NotRequired[LayerRecord | None]
    layers: NotRequired[int | None]
    optimisation: NotRequired[OptimisationRecord]
    table: NotRequired[list[LayerRow]]


class PairHead(TypedDict):
    name: str
    model: str
    other: str


class PairRecord(PairHead, ComparisonRecord):
    """A pair that was compared."""


class FailedPair(PairHead, VerdictRecord):
    """A pair that could not be compared; its verdict is ``unknown``."""

    status: Literal["failed"]
    error: str


class PairsRecord(TypedDict):
    """The tolerances, the number of pairs of each status, and the pairs; of a batch, ``worst`` differs most."""

    rtol: float
    atol: float
    equal: int
    different: int
    failed: int
    worst: NotRequired[str | None]
    pairs: list[PairRecord | FailedPair]


class NothingBlamed(VerdictRecord):
    """The verdict where no layer is suspected, ``unknown`` where the sides could not be compared."""

    model: str
    files: list[str]


class BlameRecord(NothingBlamed):
    """The layer to blame, its errors in the small case, and the files that reproduce them."""

    kind: Kind
    layer: str
    type: str
    layers: list[str]
    sides: tuple[str, str]
    constants: list[str]
    reproduces: bool
    errors: Annotated[dict[str, Any], Errors] | None

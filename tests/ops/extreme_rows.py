"""Why OpenVINO's CPU plugin and irrun differ on an extreme case, by the departures that operations declare."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np

from irrun.ops.calling import infer
from irrun.ops.departures import GENERAL
from irrun.tensor import Array, Fact
from tests.cases import Case
from tests.ops import harness
from tests.oracle import Answer

HUGE: Final = 1e36
"""Values from which on sums and products may overflow."""


IN_F32: Final = (
    *(
        "Convolution",
        "Divide",
        "Einsum",
        "FloorMod",
        "GroupConvolution",
        "MatMul",
        "Mod",
        "PReLU",
        "Power",
        "RandomUniform",
    ),
    "ReLU",
)
"""Operations whose integers of 32 bits the plugin converts to f32."""

UNWRITTEN: Final = (
    "CTCGreedyDecoderSeqLen",
    "ExperimentalDetectronTopKROIs",
    "GatherTree",
    "LSTMSequence",
    "Multinomial",
    "Pad",
    "RNNSequence",
    "StringTensorPack",
)
"""Operations that leave results unwritten, or read too far, with sizes of 1 and numbers beyond them."""


class Extreme(NamedTuple):
    """A variant of a case, the name of the change, and the outputs of irrun, or the message with which it refuses."""

    base: Case
    case: Case
    change: str
    found: Sequence[Array] | str
    answer: Answer

    @property
    def departures(self) -> dict[str, str]:
        return {**GENERAL, **harness.declaration(self.case).spec.departures}

    def is_empty(self) -> bool:
        """Return whether a tensor has no elements."""
        arrays = [*self.case.inputs, *self.answer.outputs, *([] if isinstance(self.found, str) else self.found)]
        return any(array is not None and array.size == 0 for array in arrays)

    def has(self, *types: str) -> bool:
        return any(type.name in types for type in harness.element_types(self.case))

    def holds(self, kind: Callable[[Array], Array]) -> bool:
        """Return whether an input holds an element of a kind."""
        return any(np.any(kind(array)) for array in self.case.inputs if array is not None and array.dtype.kind == "f")

    def has_same_shapes(self) -> bool:
        """Return whether the outputs of irrun and of the plugin have the same shapes."""
        found = [] if isinstance(self.found, str) else self.found
        return [array.shape for array in found] == [array.shape for array in self.answer.outputs]

    def differing(self) -> list[tuple[Array, Array]]:
        """Return the elements of each output of irrun and of the plugin that are not close; [] for other shapes."""
        if isinstance(self.found, str) or not self.has_same_shapes():
            return []
        pairs = []
        for ours, theirs in zip(self.found, self.answer.outputs, strict=True):
            if ours.dtype.kind in "fiub":
                far = ~np.isclose(ours.astype(np.float64), theirs.astype(np.float64), 1e-4, 1e-5, equal_nan=True)
                pairs.append((ours[far].astype(np.float64), theirs[far].astype(np.float64)))
        return pairs


class Row(NamedTuple):
    """The key of a departure, the changes that bring it about, and the condition under which it explains a difference.

    A key that is not among ``GENERAL`` explains only what its operation declares.
    """

    key: str
    changes: str = ""
    applies: Callable[[Extreme], bool] = lambda _: True

    def explains(self, extreme: Extreme) -> bool:
        found = self.key in extreme.departures and re.search(self.changes, extreme.change) is not None
        return found and self.applies(extreme)


class Refusal(NamedTuple):
    """Words of irrun's message about an input that OpenVINO does not check, and what the pages say."""

    words: str
    reason: str


def _only(*allowed: Callable[[Array], Array]) -> Callable[[Extreme], bool]:
    """Return whether each element that differs is of a kind, in irrun's output or in the plugin's."""

    def applies(extreme: Extreme) -> bool:
        pairs = extreme.differing()
        return bool(pairs) and all(
            np.all(np.any([kind(ours) | kind(theirs) for kind in allowed], axis=0)) for ours, theirs in pairs
        )

    return applies


def _is_huge(array: Array) -> Array:
    return np.abs(array) > HUGE


def _has_no_geometry(array: Array) -> Array:
    """Mark scores without an order and coordinates of boxes without an area, from which NaN follows."""
    return ~np.isfinite(array) | _is_huge(array)


def _is_32_bit(extreme: Extreme) -> bool:
    return extreme.has("i32", "u32", "i64", "u64")


def _is_of(*categories: str) -> Callable[[Extreme], bool]:
    return lambda extreme: harness.declaration(extreme.case).spec.category in categories


def _overflows(extreme: Extreme) -> bool:
    """Return whether an output holds infinities, NaN or numbers that are nearly too large, and all types are floats."""
    arrays = [*extreme.answer.outputs, *extreme.found]
    return all(array.dtype.kind == "f" for array in arrays) and any(
        np.any(~np.isfinite(array) | (np.abs(array) > HUGE)) for array in arrays if isinstance(array, np.ndarray)
    )


ROWS: Final = (
    Row("unknown", applies=lambda it: "doesn't contain the operation" in it.answer.refused),
    Row("f64", applies=lambda it: it.has("f64")),
    Row("empty", applies=Extreme.is_empty),
    Row("rank", "^a scalar|^rank 8", lambda it: bool(it.answer.refused)),
    Row("rank", "^rank 8", lambda it: not it.has_same_shapes() or it.case.type == "Interpolate"),
    Row("one step", "^1 for"),
    Row("nan", "NaN"),
    Row("nan", "infinities|extremes", _only(np.isnan)),
    Row("beside nan", "NaN|infinities", _only(np.isnan)),
    Row("infinite", "NaN|infinities|extremes"),
    Row("infinite", applies=lambda it: it.holds(np.isinf) or _only(np.isinf)(it)),
    Row("64-bit", "extremes", lambda it: it.has("i64", "u64", "u32")),
    Row("i32", "extremes", lambda it: it.has("i32") and it.case.type in IN_F32),
    Row("integers", "extremes", _is_32_bit),
    Row("overflow", "infinities|extremes", _overflows),
    Row("clip", "infinities|extremes"),
    Row("pdpd", applies=lambda it: "pdpd" in (*it.case.attributes.values(),)),
    Row("undefined", applies=lambda it: _is_of("detection", "sort")(it) and it.holds(_has_no_geometry)),
    Row("undefined", "extremes for input 1", lambda it: it.case.type in ("BitwiseLeftShift", "BitwiseRightShift")),
    Row("rank 7", "^rank 8", lambda it: not it.answer.refused),
    Row("of integers", "infinities|extremes", lambda it: it.case.inputs[0].dtype.kind != "f"),
    Row("empty group", "^[01] for"),
    Row("memory", applies=lambda it: it.answer.refused.startswith("crashes")),
    Row("memory", "^1 for|^(NaN|infinities|extremes) for input [12]", lambda it: it.case.type in UNWRITTEN),
)

REFUSALS: Final = (
    Refusal(
        "axis .* is empty, expected elements|expected elements along each pooled axis", "there is nothing to sample"
    ),
    Refusal(
        "the kernel has 0 elements|has no classes|has 0 classes|has 0 channels", "sizes of 0 leave the result undefined"
    ),
    Refusal(r"is outside |expected (less than 2\^62|0 or more|at least|at most|0 to|1 to)", "the page sets bounds"),
    Refusal("are more than|, more than|is below -1", "the page sets bounds"),
    Refusal("than can be counted", "no tensor holds such a number of elements"),
    Refusal("channels, expected", "the page sets the number of channels"),
    Refusal("a size cannot be negative|which is negative|no negative sizes", "a size cannot be negative"),
    Refusal(
        "has rank [0-9]+, expected|is a scalar, expected|has shape .*, expected a single", "the page sets the rank"
    ),
    Refusal("expected (a )?finite number", "the page computes sizes and positions of finite numbers"),
    Refusal("expected an ascending order|expected them sorted", "the page requires an order"),
    Refusal("must be the same|elements of .* is [0-9]+, expected|has [0-9]+ elements, expected", "sizes contradict"),
    Refusal(
        "(last size|height) of .* is [0-9]+, expected|elements, but data .* have|must be divisible", "sizes contradict"
    ),
    Refusal("updates have shape .*, expected that of the slice", "sizes contradict"),
    Refusal("has no inverse", "the page requires invertible matrices"),
    Refusal("does not fit on spatial axis|padding leaves", "no window fits, so that the output has no size"),
    Refusal("does not broadcast|do not fit into", "the page defines broadcasting"),
    Refusal("axes are listed, but only", "the page reduces each axis once"),
    Refusal("resizes 2 axes, got", "the page allows the modes of Pillow for two axes"),
)


class _Layer(NamedTuple):
    """The layer of a variant as departures of operations see it, with the values of all inputs."""

    inputs: tuple[Fact, ...]
    outputs: tuple[Fact, ...]
    constants: tuple[int, ...]

    def varies(self, *ports: int) -> bool:
        return any(port < len(self.inputs) and port not in self.constants for port in ports)

    def is_constant(self) -> bool:
        return False


def _recognised(extreme: Extreme) -> str | None:
    """Return the departure that the linter would find in the layer; None without one."""
    op, facts = harness.operation(extreme.case), harness.facts(extreme.case)
    inputs = tuple(fact for fact in facts if fact is not None)
    layer = _Layer(inputs, infer(op, facts), harness.constants(extreme.case))
    found = (departure.found(op, layer) for departure in op.spec.recognised)
    return next((text for text in found if text is not None), None)


def explanation(extreme: Extreme) -> str | None:
    """Return the reason of a difference; None if there is none."""
    if isinstance(extreme.found, str):
        message = extreme.found
        return next((row.reason for row in REFUSALS if re.search(row.words, message)), None)
    recognised = _recognised(extreme)
    if recognised is not None:
        return recognised
    if extreme.base.departs:
        return extreme.departures[extreme.base.departs]
    return next((extreme.departures[row.key] for row in ROWS if row.explains(extreme)), None)

"""Why OpenVINO's CPU plugin and irrun differ on an extreme case, by the departures that operations declare."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from irrun.ops.calling import infer
from irrun.ops.departures import GENERAL
from irrun.tensor import Array, Fact
from tests.cases import Case
from tests.lab import records
from tests.lab.conformance.record import RECORD, outcomes
from tests.lab.oracle import Answer
from tests.ops import extreme_names as names
from tests.ops import harness

HUGE: Final = 1e36
"""Values from which on sums and products may overflow."""

OUTCOMES: Final = outcomes(records.read(RECORD))
"""The recorded outcome of each case, by name."""


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

    @property
    def kind(self) -> str:
        """``crashes``, ``refuses``, ``shapes`` or ``values``: what differs."""
        if self.answer.refused:
            return "crashes" if self.answer.refused.startswith("crashes") else "refuses"
        return "values" if self.has_same_shapes() else "shapes"

    def departs_as_base(self) -> bool:
        """Return whether the plugin departs in the same way as for the case without the change."""
        outcome = {"shapes": "differs", "values": "differs"}.get(self.kind, self.kind)
        return bool(self.base.departs) and OUTCOMES.get(str(self.base)) == outcome

    def is_empty(self) -> bool:
        """Return whether an input, or an output of irrun, has no elements."""
        found = [] if isinstance(self.found, str) else self.found
        return any(array is not None and array.size == 0 for array in (*self.case.inputs, *found))

    def is_wide(self) -> bool:
        """Return whether an input holds integers beyond 32 bits with sign."""
        arrays = [array for array in self.case.inputs if array is not None and array.dtype.kind in "iu"]
        return any(array.size and max(int(array.max()), ~int(array.min())) >= 2**31 for array in arrays)

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
    """The key of a departure, and the differences that it explains: kinds, changes, operations, and a condition.

    A key that is not among ``GENERAL`` explains only what its operation declares, and needs no operations.
    """

    key: str
    kinds: str
    changes: str = ""
    operations: str = ""
    applies: Callable[[Extreme], bool] = lambda _: True

    def explains(self, extreme: Extreme) -> bool:
        found = self.key in extreme.departures and extreme.kind in self.kinds.split()
        found = found and (not self.operations or extreme.case.type in self.operations.split())
        return found and re.search(self.changes, extreme.change) is not None and self.applies(extreme)


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


def _is_not_finite(array: Array) -> Array:
    return ~np.isfinite(array)


def _is_huge(array: Array) -> Array:
    return np.abs(array) > HUGE


def _has_no_geometry(array: Array) -> Array:
    """Mark scores without an order and coordinates of boxes without an area, from which NaN follows."""
    return _is_not_finite(array) | _is_huge(array)


def _changes(*types: str) -> Callable[[Extreme], bool]:
    """Return whether the changed input has one of some types."""

    def applies(extreme: Extreme) -> bool:
        port = extreme.change.rpartition("input ")[2]
        return port.isdecimal() and harness.element_types(extreme.case)[int(port)].name in types

    return applies


def _overflows(extreme: Extreme) -> bool:
    """Return whether an output holds infinities, NaN or numbers that are nearly too large, and all types are floats."""
    arrays = [*extreme.answer.outputs, *extreme.found]
    return all(array.dtype.kind == "f" for array in arrays) and any(
        np.any(~np.isfinite(array) | (np.abs(array) > HUGE)) for array in arrays if isinstance(array, np.ndarray)
    )


def _by_names(key: str, names: Mapping[str, str], changes: str, applies: Callable[[Extreme], bool]) -> Iterator[Row]:
    return (Row(key, kind, changes, operations, applies) for kind, operations in names.items() if operations)


SPECIAL: Final = "NaN|infinities|extremes"

ROWS: Final = (
    Row("nan", "values", SPECIAL, applies=_only(np.isnan)),
    Row("nan", "values", "NaN", names.ORDERED_NAN),
    Row("nan", "crashes", "NaN", "DeformableConvolution"),
    Row("beside nan", "values", "NaN|infinities", applies=_only(np.isnan)),
    Row("infinite", "values", applies=_only(_is_not_finite)),
    Row("infinite", "values", SPECIAL, "MaxPool"),
    Row("one step", "refuses", "^1 for"),
    Row("no path", "values", "NaN"),
    Row("nothing selected", "values", applies=Extreme.is_empty),
    Row("norm", "values", "extremes"),
    Row("8-bit", "values", "extremes", applies=_changes("i8", "u8")),
    Row("integers", "values", "extremes", applies=_changes("i32", "u32", "i64", "u64")),
    Row("clip", "values", "infinities|extremes"),
    Row("scalar", "shapes refuses", "^a scalar"),
    Row("rank 7", "values", "^rank 8"),
    Row("of integers", "values refuses", "infinities|extremes", applies=lambda it: it.case.inputs[0].dtype.kind != "f"),
    Row("rows of -1", "shapes"),
    Row("large step", "shapes", "extremes for input 2"),
    Row("soft", "shapes values", "for input 5"),
    Row("empty group", "values refuses", "^[01] for"),
    Row("pdpd", "values refuses", applies=lambda it: "pdpd" in it.case.attributes.values()),
    Row("strings", "refuses crashes", applies=lambda it: it.has("string")),
    *_by_names("empty", names.EMPTY, "", Extreme.is_empty),
    *_by_names("rank", names.RANK, "^a scalar|^rank 8", lambda _: True),
    *_by_names("f64", names.F64, "", lambda it: it.has("f64")),
    *_by_names("64-bit", names.IN_32_BITS, "", Extreme.is_wide),
    Row("64-bit", "values", SPECIAL, "Convert"),
    *_by_names("i32", names.IN_F32, "extremes", _changes("i32")),
    *_by_names("undefined", names.UNDEFINED, SPECIAL, lambda it: it.holds(_has_no_geometry)),
    Row("undefined", "values", "extremes for input 1", "BitwiseLeftShift BitwiseRightShift Bucketize"),
    Row("undefined", "values", f"({SPECIAL}) for input 0", "Multinomial"),
    *_by_names("overflow", names.OVERFLOW, "infinities|extremes", _overflows),
    *_by_names("memory", names.MEMORY, f"^1 for|({SPECIAL}) for input [12]", lambda _: True),
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

    def before(self, port: int) -> tuple[str, tuple[Fact | None, ...]]:
        del port
        return "", ()


def recognised(case: Case) -> str | None:
    """Return the departure that the linter would find in the layer of a case; None without one."""
    op, facts = harness.operation(case), harness.facts(case)
    inputs = tuple(fact for fact in facts if fact is not None)
    layer = _Layer(inputs, infer(op, facts), harness.constants(case))
    found = (departure.found(op, layer) for departure in op.spec.recognised)
    return next((text for text in found if text is not None), None)


def explanation(extreme: Extreme) -> str | None:
    """Return the reason of a difference; None if there is none."""
    if isinstance(extreme.found, str):
        message = extreme.found
        return next((row.reason for row in REFUSALS if re.search(row.words, message)), None)
    found = recognised(extreme.case)
    if found is not None:
        return found
    if extreme.departs_as_base():
        return extreme.departures[extreme.base.departs]
    return next((extreme.departures[row.key] for row in ROWS if row.explains(extreme)), None)

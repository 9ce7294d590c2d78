"""Cases at the edges of what an operation takes: sizes 0 and 1, scalars, high ranks, special and extreme values.

``python -m tests.ops.extremes FOLDER`` runs those of every case in irrun and in OpenVINO's CPU plugin, and prints the
number of agreements and each difference. FOLDER keeps the plugin's answers.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from irrun.ops import OpError
from irrun.ops.calling import infer, run
from irrun.tensor import Array, ElementType
from tests.cases import Case, all_cases
from tests.ops import harness
from tests.oracle import cases as oracle

SIZES: Final = (0, 1)
RANK: Final = 8
MOST: Final = 200_000
"""The limit on the elements of an output: an extreme value may also be a size."""


def extremes(case: Case) -> Iterator[Case]:
    """Yield the variants of a case, without expected outputs."""
    for size in sorted({size for array in case.inputs if array is not None for size in array.shape}):
        for new in SIZES:
            changed = [None if array is None else _resized(array, size, new) for array in case.inputs]
            yield _variant(case, changed, f"{new} for {size}")
    for index, array in enumerate(case.inputs):
        if array is None:
            continue
        if array.size:
            yield _with(case, index, array.reshape(-1)[0:1].reshape(()), "a scalar")
        if array.ndim < RANK:
            yield _with(case, index, array.reshape((1,) * (RANK - array.ndim) + array.shape), f"rank {RANK}")
        for name, values in _values(array, harness.element_types(case)[index]):
            yield _with(case, index, np.resize(values, array.shape).astype(array.dtype), name)


def outputs(case: Case) -> Sequence[Array] | None:
    """Return the outputs of irrun; None where it refuses the case, or the outputs are large."""
    op = harness.operation(case)
    try:
        facts = infer(op, harness.facts(case))
        if any(not fact.shape.is_static or fact.shape.size.lo > MOST for fact in facts):
            return None
        return run(op, _carried(case), [fact.type for fact in facts])
    except OpError:
        return None


def _carried(case: Case) -> list[Array | None]:
    return [None if fact is None else fact.value for fact in harness.facts(case)]


def _values(array: Array, type: ElementType) -> Iterator[tuple[str, Sequence[float]]]:
    if not array.size:
        return
    if type.kind == "float" and array.dtype.kind == "f":
        yield "NaN", [np.nan, *array.reshape(-1)[1:].tolist()]
        yield "infinities", [np.inf, -np.inf, *array.reshape(-1)[2:].tolist()]
        yield "extremes", [np.finfo(array.dtype).max, np.finfo(array.dtype).min, np.finfo(array.dtype).tiny, -0.0]
    elif type.kind in ("int", "uint"):
        low = -(2 ** (type.bits - 1)) if type.kind == "int" else 0
        yield "extremes", [low, low + 2**type.bits - 1, 0, 1]


def _resized(array: Array, old: int, new: int) -> Array:
    shape = tuple(new if size == old else size for size in array.shape)
    return np.resize(array, shape) if array.size else np.zeros(shape, array.dtype)


def _with(case: Case, index: int, array: Array, what: str) -> Case:
    inputs = [array if place == index else other for place, other in enumerate(case.inputs)]
    return _variant(case, inputs, f"{what} for input {index}")


def _variant(case: Case, inputs: Sequence[Array | None], what: str) -> Case:
    return replace(case, inputs=inputs, expected=(), name=f"{case.name}: {what}", departs="")


def compared(given: Iterable[Case], root: Path) -> tuple[Counter[str], dict[str, str]]:
    """Return the number of cases by outcome in the plugin, and the differences."""
    count: Counter[str] = Counter()
    asked = []
    for case in given:
        found = outputs(case)
        if found is None:
            count["refused by irrun"] += 1
        elif not oracle.is_asked(case):
            count["not to be written"] += 1
        else:
            asked.append(replace(case, expected=found, constant=()))
    replies = oracle.ask(asked, root)
    count.update(reply.outcome for reply in replies.values())
    return count, {name: reply.detail for name, reply in replies.items() if reply.outcome == "differs"}


def main() -> None:
    with np.errstate(all="ignore"):
        count, differences = compared((item for case in all_cases() for item in extremes(case)), Path(sys.argv[1]))
    for name, detail in sorted(differences.items()):
        print(f"{name}: {' '.join(detail.split())[:160]}")
    print(", ".join(f"{number} {outcome}" for outcome, number in sorted(count.items())))


if __name__ == "__main__":
    main()

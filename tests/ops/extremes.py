"""Cases at the edges of what an operation takes: sizes 0 and 1, scalars, high ranks, special and extreme values.

``python -m tests.ops.extremes FOLDER`` runs those of every case in irrun and in OpenVINO's CPU plugin, prints each
difference that no departure explains, and the number of each outcome. Types of operations after FOLDER restrict the
run to them. FOLDER keeps the plugin's answers, so that a second run asks it nothing.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from irrun.ops import OpError
from irrun.ops.calling import infer, run
from irrun.tensor import Array, ElementType, Fact
from tests.cases import Case, all_cases
from tests.lab import oracle
from tests.lab.oracle.cases import is_asked, reply
from tests.ops import harness
from tests.ops.extreme_rows import Extreme, explanation

SIZES: Final = (0, 1)
RANK: Final = 8
MOST: Final = 200_000
"""The limit on the elements of an output: an extreme value may also be a size."""

LIMITS: Final = {
    "f16": (65504.0, 2.0**-14),
    "bf16": ((2 - 2.0**-7) * 2.0**127, 2.0**-126),
    "f32": (float(np.finfo(np.float32).max), 2.0**-126),
    "f64": (float(np.finfo(np.float64).max), 2.0**-1022),
}
"""The largest and the smallest normal number of float types with NaN and infinities."""
ALONE: Final = "alone"
"""The file that marks a folder whose model ran in a process of its own."""
BATCH: Final = 200
"""Variants that one process runs, until it crashes."""


class Verdict(NamedTuple):
    """The outcome of a variant: ``agrees``, ``refused by both``, ``large``, ``explained`` or ``unexplained``."""

    name: str
    outcome: str
    detail: str = ""


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
    """Return the outputs of irrun; None where they are large. OpError where it refuses the case."""
    op = harness.operation(case)
    known = harness.facts(case)
    facts = infer(op, known)
    if any(fact.shape.size.lo > MOST for fact in facts):
        return None
    return run(op, [None if fact is None else fact.value for fact in known], [fact.type for fact in facts])


def _values(array: Array, type: ElementType) -> Iterator[tuple[str, Sequence[float]]]:
    if not array.size:
        return
    if type.name in LIMITS:
        yield "NaN", [np.nan, *array.reshape(-1)[1:].tolist()]
        yield "infinities", [np.inf, -np.inf, *array.reshape(-1)[2:].tolist()]
        largest, least = LIMITS[type.name]
        yield "extremes", [largest, -largest, least, -0.0]
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


def compared(given: Iterable[tuple[Case, Case]], root: Path) -> Iterator[Verdict]:
    """Compare variants, each with its case, with the plugin's answers, which are kept in folders below ``root``."""
    found: list[tuple[Case, Case, Sequence[Array] | str, Path]] = []
    for base, case in given:
        try:
            ours: Sequence[Array] | str | None = outputs(case)
        except OpError as error:
            ours = str(error)
        if ours is None:
            yield Verdict(str(case), "large")
        else:
            found.append((base, case, ours, _written(base, case, ours, root)))
    oracle.ask([folder for *_, folder in found], shared=True)
    asked = [
        (Extreme(base, case, case.name[len(base.name) + 2 :], ours, oracle.answer(folder)), folder)
        for base, case, ours, folder in found
    ]
    alone = [folder for extreme, folder in asked if _depends_on_others(extreme) and not (folder / ALONE).exists()]
    for folder in alone:
        (folder / "answer.json").unlink()
        (folder / ALONE).touch()
    oracle.ask(alone)
    for extreme, folder in asked:
        answered = extreme._replace(answer=oracle.answer(folder))
        yield _verdict(answered)


def _verdict(extreme: Extreme) -> Verdict:
    name = str(extreme.case)
    if _agrees(extreme):
        return Verdict(name, "refused by both" if isinstance(extreme.found, str) else "agrees")
    reason = explanation(extreme)
    if reason is not None:
        return Verdict(name, "explained", reason)
    return Verdict(name, "unexplained", _difference(extreme) or extreme.answer.refused or str(extreme.found))


def _depends_on_others(extreme: Extreme) -> bool:
    """Return whether models that ran before in the same process may have changed an answer."""
    return extreme.answer.refused.startswith("crashes") or bool(_difference(extreme))


def _agrees(extreme: Extreme) -> bool:
    if isinstance(extreme.found, str) or extreme.answer.refused:
        return isinstance(extreme.found, str) and bool(extreme.answer.refused)
    return not _difference(extreme)


def _difference(extreme: Extreme) -> str:
    if isinstance(extreme.found, str) or extreme.answer.refused:
        return ""
    return reply(replace(extreme.case, expected=extreme.found), extreme.answer).detail


def _written(base: Case, case: Case, found: Sequence[Array] | str, root: Path) -> Path:
    """Write the model of a variant; its declared outputs are those of its case, which OpenVINO infers again.

    Of these, it has as many as irrun found.
    """
    declared = _declared(base) if isinstance(found, str) else _declared(base)[: len(found)]
    ir, parameters = harness.model(case, constants=harness.constants(case), declared=declared)
    inputs = [array for index in parameters if (array := case.inputs[index]) is not None]
    return oracle.put(ir, inputs, root)


def _declared(base: Case) -> list[Fact]:
    facts = infer(harness.operation(base), harness.facts(base), output_count=len(base.expected))
    return [Fact(fact.type, fact.shape) for fact in facts]


def main() -> None:
    """Compare all variants, the first ones of each operation first, in batches."""
    root, *types = sys.argv[1:]
    number: Counter[tuple[str, int | str]] = Counter()
    ordered = []
    for base in askable():
        if types and base.type not in types:
            continue
        number[base.type, base.opset] += 1
        ordered.append((number[base.type, base.opset], base))
    ordered.sort(key=lambda item: item[0])
    variants = [(base, case) for _, base in ordered for case in extremes(base)]
    count: Counter[str] = Counter()
    with np.errstate(all="ignore"):
        for first in range(0, len(variants), BATCH):
            for verdict in compared(variants[first : first + BATCH], Path(root)):
                count[
                    f"{verdict.outcome}: {verdict.detail}" if verdict.outcome == "explained" else verdict.outcome
                ] += 1
                if verdict.outcome == "unexplained":
                    print(f"{verdict.name}: {' '.join(verdict.detail.split())[:300]}", flush=True)
    for outcome, times in count.most_common():
        print(f"{times:6,} {outcome}")


def askable() -> list[Case]:
    """Return the cases whose variants can be compared: those without state that an IR can hold."""
    return [case for case in all_cases() if "state" not in harness.declaration(case).spec.run_asks and is_asked(case)]


if __name__ == "__main__":
    main()

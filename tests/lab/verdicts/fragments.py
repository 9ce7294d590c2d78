"""Each operation case as a bare layer, its declared outputs changed one number or one axis at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np

from irrun.diagnostics import OpError
from irrun.linter import lint
from irrun.tensor import Fact, Shape
from tests.cases import Case
from tests.ops import harness

Verdict = Literal["found", "not verified", "verified"]


class Wrong(NamedTuple):
    """A layer with one wrong output, and what was changed."""

    text: bytes
    change: str


def layer(case: Case, shapes: Sequence[Sequence[int]]) -> bytes:
    """Return the operation of a case as a bare layer that declares its outputs with these shapes."""
    known = harness.facts(case)
    outputs = harness.infer(harness.operation(case), known, output_count=len(case.expected))
    declared = [Fact(fact.type, Shape(shape)) for fact, shape in zip(outputs, shapes, strict=True)]
    ir, parameters = harness.model(case, declared=declared)
    written = re.search(rf'^\t\t<layer id="{len(parameters)}".*?^\t\t</layer>', ir.text, re.M | re.S)
    assert written is not None
    return written[0].encode()


def sound(case: Case) -> bytes | None:
    """Return the layer with the shapes of the expected outputs; None where irrun refuses its inputs without values."""
    try:
        return layer(case, shapes(case))
    except OpError:
        return None


def shapes(case: Case) -> list[tuple[int, ...]]:
    return [np.shape(array) for array in case.expected]


def wrong(case: Case) -> Iterator[Wrong]:
    """Yield the layer with each size one larger, one smaller and doubled, and with one axis more and one less."""
    right = shapes(case)
    for output, shape in enumerate(right):
        changed: dict[tuple[int, ...], str] = {}
        for axis, size in enumerate(shape):
            for other in (size + 1, size - 1, 2 * size):
                if other >= 0 and other != size:
                    changed[(*shape[:axis], other, *shape[axis + 1 :])] = "size"
        if shape:
            changed |= {(*shape, 1): "rank", shape[:-1]: "rank"}
            changed.pop((), None)
        for item, change in changed.items():
            yield Wrong(layer(case, [*right[:output], item, *right[output + 1 :]]), change)


def verdict(text: bytes) -> Verdict:
    """Return what the linter says of a layer."""
    report = lint("layer.xml", data=text)
    if any(item.code in ("IR401", "IR304") for item in report):
        return "found"
    return "not verified" if report.unverified else "verified"

"""Operations without a recipe, used as one of their cases uses them."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import Final

import numpy as np

from irrun.ops import Op
from irrun.tensor import Array, ElementType, Shape
from tests.cases import Case, all_cases
from tests.lab.graphs import adapt
from tests.lab.graphs.grow import Grower, Rejected, Tensor
from tests.lab.graphs.theme import RUNNABLE
from tests.ops.harness import element_types, operation

FROM_GRAPH: Final = 0.5
"""The probability that an input of floats is derived from another tensor of the graph."""
AS_THEY_ARE: Final = ("detection", "sort")
"""Categories whose inputs are boxes, which random numbers are not."""


@cache
def cases() -> dict[tuple[str, int | str], list[Case]]:
    """The cases that the native plugin is asked about, by operation."""
    found: dict[tuple[str, int | str], list[Case]] = defaultdict(list)
    for case in all_cases():
        if not case.departs and all(array is not None for array in case.inputs):
            found[case.type, case.opset].append(case)
    return found


def borrow(grower: Grower, cls: type[Op]) -> list[Tensor]:
    """Add the layer of a case. Inputs of floats may be tensors of the graph, in the shape and range of the case."""
    known = cases().get((cls.type, cls.opset))
    if not known:
        raise Rejected("no case")
    case = grower.draw.pick(known)
    op = operation(case)
    inputs: list[Tensor] = []
    for index, (array, kind) in enumerate(zip(case.inputs, element_types(case), strict=True)):
        constants = case.constant or range(1, len(case.inputs))
        if index in constants or not kind.is_float or kind not in RUNNABLE:
            inputs.append(grower.constant(kind, array))
        else:
            inputs.append(_given(grower, kind, array, adapted=cls.spec.category not in AS_THEY_ARE))
    return grower.add(case.type, case.opset, inputs, vars(op), outputs=len(case.expected))


def _given(grower: Grower, kind: ElementType, array: Array, *, adapted: bool) -> Tensor:
    if adapted and kind.is_float and array.size > 1 and np.isfinite(array).all() and grower.draw.chance(FROM_GRAPH):
        low, high = float(array.min()), float(array.max())
        made = adapt.adapted(grower, [kind], array.shape, low, high) if high > low else None
        if made is not None:
            return made
    return grower.parameter(kind, array, Shape(array.shape))

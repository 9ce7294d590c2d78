"""The elements of a layer at which NaN or infinity begins, and the inputs that they are computed from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from irrun.diagnostics import amount
from irrun.graph import Node
from irrun.ops.shapes import normalize_axis
from irrun.tensor import Array

Inputs = Sequence[Array | None]
Bad = Callable[[Array], Array]

_MASK: Final = 3
"""The input of an attention that says which keys a query sees."""


def causes_of(node: Node, inputs: Inputs, outputs: Sequence[Array], bad: Bad) -> tuple[str, ...]:
    """Return in words where a layer makes values that are ``bad``, and from which elements of its inputs."""
    array = next(item for item in outputs if item.dtype.kind == "f" and bad(item).any())
    at = tuple(int(index) for index in np.argwhere(bad(array))[0])
    texts = tuple(_RULES.get(node.type, _nothing)(node, inputs))
    if texts:
        return texts
    is_product = node.op is not None and node.op.factors
    read = "" if is_product else ", ".join(_read(inputs, array.shape, at))
    return (f"first at {_place(at)}{': ' if read else ''}{read}",)


def _read(inputs: Inputs, shape: tuple[int, ...], at: Sequence[int]) -> Iterator[str]:
    """Yield the elements that are read at a place, of the inputs that are broadcast to the shape of the output."""
    for port, array in enumerate(inputs):
        if array is None or array.dtype.kind not in "fiub":
            continue
        try:
            value = np.broadcast_to(array, shape)[tuple(at)]
        except ValueError:
            continue
        yield f"input {port} is {value:.6g}" if array.dtype.kind == "f" else f"input {port} is {value}"


def _divisor(node: Node, inputs: Inputs) -> Iterator[str]:
    del node
    divisor = inputs[1]
    zero = np.argwhere(divisor == 0) if divisor is not None else np.zeros((0, 0))
    if len(zero):
        yield f"the divisor, input 1, is 0 in {amount(len(zero), 'element')}, first at {_place(zero[0])}"


def _mask(node: Node, inputs: Inputs) -> Iterator[str]:
    del node
    mask = inputs[_MASK] if len(inputs) > _MASK else None
    if mask is not None and mask.ndim:
        hidden = ~mask if mask.dtype.kind == "b" else np.isneginf(mask)
        yield from _rows(hidden.all(axis=-1), f"the mask, input {_MASK}, hides all keys of", "query")


def _scores(node: Node, inputs: Inputs) -> Iterator[str]:
    scores = inputs[0]
    if scores is not None and scores.ndim:
        axis = normalize_axis(getattr(node.op, "axis", -1), scores.ndim)
        yield from _rows(np.isneginf(scores).all(axis=axis), "input 0 is -Inf throughout", "row")


def _rows(lost: Any, what: str, name: str) -> Iterator[str]:
    places = np.argwhere(lost)
    if len(places):
        first = f" {_place(places[0])}" if np.ndim(lost) else ""
        count = f", of {len(places):,} such" if len(places) > 1 else ""
        joint = "in " if name == "row" else ""
        yield f"{what} {joint}{name}{first}{count}"


def _nothing(node: Node, inputs: Inputs) -> Iterator[str]:
    del node, inputs
    return iter(())


def _place(at: Any) -> str:
    return f"[{','.join(str(int(index)) for index in at)}]"


_RULES: Final[dict[str, Callable[[Node, Inputs], Iterator[str]]]] = {
    "Divide": _divisor,
    "ScaledDotProductAttention": _mask,
    "SoftMax": _scores,
    "LogSoftmax": _scores,
}

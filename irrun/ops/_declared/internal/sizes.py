"""Sizes that several inputs of one operation share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from irrun.ops import Dim, Fact, OpError
from irrun.ops.shapes import merge_dims


def agreed_sizes(inputs: Sequence[Fact], axes: Sequence[str]) -> dict[str, Dim]:
    """Return each shared size by name; ``axes`` names the sizes of every input, ``"batch tokens heads"``.

    OpError names the input whose size differs from that of an input before it.
    """
    sizes: dict[str, Dim] = {name: Dim() for names in axes for name in names.split()}
    for index, (fact, names) in enumerate(zip(inputs, axes, strict=True)):
        if fact.shape.dims is None:
            continue
        for name, dim in zip(names.split(), fact.shape, strict=True):
            sizes[name] = merge_dims(sizes[name], dim, f"the sizes of {name}", input=index)
    return sizes


def check_groups(sizes: Mapping[str, Dim], groups: str, input: int) -> None:
    """Raise OpError where the number of heads is known not to be a multiple of the number of groups."""
    heads, count = sizes["heads"], sizes[groups]
    if heads.is_static and count.is_static and (count.lo == 0 or heads.lo % count.lo != 0) and heads != count:
        raise OpError(f"{heads} heads are not a multiple of {count} {groups}", input=input)

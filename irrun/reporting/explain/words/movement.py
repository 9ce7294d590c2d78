"""Words for operations that move elements: shapes, slices, joins and copies."""

from __future__ import annotations

from typing import Final

from irrun.reporting.explain.words.register import Seen, Words, axes_text, listed, nth, says, shape_text, times
from irrun.tensor import Dim

_FARTHEST: Final = 2**31 - 2
"""The limit beyond which a bound of a slice means that there is none."""


@says("Concat")
def concat(seen: Seen) -> Words:
    rank = len(seen.sizes())
    axis = seen.op.axis % rank if rank else seen.op.axis
    sizes = [fact.shape[axis] if fact is not None and fact.rank else None for fact in seen.inputs]
    text = " + ".join("?" if size is None else str(size) for size in sizes)
    others = [size for place, size in enumerate(seen.result) if place != axis]
    return (
        [f"Join {len(seen.inputs)} tensors along axis {axis}."],
        [f"axis {axis}: {text} = {seen.result[axis]}", f"the other axes are those of all inputs: {nth(others)}"],
    )


@says("Reshape")
def reshape(seen: Seen) -> Words:
    sizes, pattern = seen.sizes(), seen.inputs[1].dims() if seen.inputs[1] is not None else None
    first = f"The same elements in the same order, as {nth(seen.result)} in place of {nth(sizes)}."
    if pattern is None:
        return [first], ["the new shape is computed at run time"]
    shapes = []
    for axis, size in enumerate(pattern):
        made = seen.result[axis]
        if size == Dim.exactly(-1):
            shapes.append(f"axis {axis}: -1 is inferred from the number of elements, {made}")
        elif size == Dim.exactly(0) and seen.op.special_zero:
            shapes.append(f"axis {axis}: 0 copies axis {axis} of data, {made} (special_zero)")
        else:
            shapes.append(f"axis {axis}: {made}, as the input `shape` says")
    fact = seen.inputs[0]
    assert fact is not None
    return [first], [*shapes, f"elements: {' * '.join(map(str, sizes)) or '1'} = {fact.shape.size}"]


@says("Transpose")
def transpose(seen: Seen) -> Words:
    sizes, order = seen.sizes(), seen.ints(1)
    if order is None:
        return ["The axes in another order, which is computed at run time."], []
    order = order or list(range(len(sizes)))[::-1]
    shapes = [f"axis {axis}: axis {source} of the input, {sizes[source]}" for axis, source in enumerate(order)]
    return [f"The axes in the order {listed(order)}."], shapes


@says("Squeeze")
def squeeze(seen: Seen) -> Words:
    sizes, axes = seen.sizes(), seen.ints(1)
    if axes is None and len(seen.inputs) > 1:
        dropped = "axes that are computed at run time, as far as they are"
    else:
        listed_axes = [axis % max(len(sizes), 1) for axis in axes or range(len(sizes))]
        known = [axis for axis in dict.fromkeys(listed_axes) if axis < len(sizes) and sizes[axis].admits(1)]
        dropped = axes_text(known, len(sizes)) + ("," if known else "")
    return [f"Drop {dropped} of size 1; no element moves."], [f"{nth(sizes)} without them is {nth(seen.result)}"]


@says("Unsqueeze")
def unsqueeze(seen: Seen) -> Words:
    axes = seen.ints(1)
    made = "axes that are computed at run time" if axes is None else axes_text(axes, len(seen.result))
    return (
        [f"Insert {made}, of size 1; no element moves."],
        [f"{nth(seen.sizes())} with them is {nth(seen.result)}; negative axes count from the end of the result"],
    )


@says("ShapeOf")
def shape_of(seen: Seen) -> Words:
    rank = len(seen.sizes())
    return [f"The shape of the input as numbers: {shape_text(seen.inputs[0])}."], [
        f"one number for each of {rank} axes"
    ]


@says("Gather")
def gather(seen: Seen) -> Words:
    data, indices, axes = seen.sizes(), seen.sizes(1), seen.ints(2)
    if axes is None or not data or seen.inputs[1] is None or seen.inputs[1].rank is None:
        return [seen.op.spec.summary], []
    axis, batch = axes[0] % len(data), getattr(seen.op, "batch_dims", 0)
    batch += len(indices) if batch < 0 else 0
    values = seen.ints(1)
    which = f" {listed(values)}" if values is not None and 0 < len(values) <= 4 else ""
    what = f"index{which}" if values is not None and len(values) == 1 else f"indices{which}"
    texts = [
        f"Take the slices of data at the {what} along axis {axis}, which has {data[axis]} slices.",
        *([f"Along {axes_text(range(batch), 0)}, each part of data has indices of its own."] if batch else []),
    ]
    shapes = []
    if axis:
        shapes.append(f"axes of data before axis {axis}: {nth(data[:axis])}")
    shapes.append(f"in the place of axis {axis}: the shape of the indices, {nth(indices[batch:])}")
    if axis + 1 < len(data):
        shapes.append(f"axes of data after it: {nth(data[axis + 1 :])}")
    return texts, [*shapes, f"together {nth(seen.result)}"]


@says("Slice")
def slice_of(seen: Seen) -> Words:
    sizes, limits = seen.sizes(), [seen.ints(port) for port in (1, 2, 3)]
    begin, end, step = limits
    axes = list(range(len(begin or ()))) if seen.input(4) is None else seen.ints(4)
    if begin is None or end is None or step is None or axes is None:
        return [seen.op.spec.summary], _at_run_time(seen)
    parts = [
        f"axis {axis}: {part}"
        for axis, *bounds in zip([axis % len(sizes) for axis in axes], begin, end, step, strict=True)
        if (part := _python(sizes[axis], *bounds))
    ]
    return _taken(seen, parts)


@says("StridedSlice")
def strided_slice(seen: Seen) -> Words:
    op, sizes = seen.op, seen.sizes()
    begin, end = seen.ints(1), seen.ints(2)
    step = [1] * len(begin or ()) if seen.input(3) is None else seen.ints(3)
    if begin is None or end is None or step is None:
        return [op.spec.summary], _at_run_time(seen)
    parts = []
    for what, place, axis in op.parts(len(sizes), len(begin)):
        if what == "new":
            parts.append("a new axis of size 1")
        elif what == "shrink":
            parts.append(f"axis {axis}: {begin[place]}, and the axis is dropped")
        elif what == "slice":
            low, high = op.bounds(place, begin, end, step[place])
            part = _python(sizes[axis], low, high, step[place])
            parts += [f"axis {axis}: {part}"] if part else []
    return _taken(seen, parts)


def _python(size: Dim, low: int, high: int, step: int) -> str:
    """Return a slice in Python's notation; "" for all elements of an axis."""
    is_whole = size.is_static and low >= 0 and high >= size.lo and step == 1
    first = _from(size, low, step)
    last = "" if _is_open(high, step) else str(high)
    if (first in ("", "0") and not last and step == 1) or (is_whole and low == 0):
        return ""
    return f"{first}:{last}" + (f":{step}" if step != 1 else "")


def _from(size: Dim, low: int, step: int) -> str:
    """Return the first element of a slice: one before the first of all is the first, which it is not in Python."""
    if step < 0 and low > _FARTHEST:
        return ""
    return "0" if low < -_FARTHEST or (size.is_static and low < -size.lo) else str(low)


def _is_open(high: int, step: int) -> bool:
    return high > _FARTHEST if step > 0 else high < -_FARTHEST


def _taken(seen: Seen, parts: list[str]) -> Words:
    text = f"Take a part of the input, in Python's notation: {'; '.join(parts)}." if parts else "Take all of the input."
    return [text], [f"{nth(seen.sizes())} becomes {nth(seen.result)}"]


def _at_run_time(seen: Seen) -> list[str]:
    return [f"{nth(seen.sizes())} becomes {nth(seen.result)}; the limits are known at run time"]


@says("Split", "VariadicSplit")
def split(seen: Seen) -> Words:
    sizes, axes = seen.sizes(), seen.ints(1)
    if axes is None or not sizes:
        return [seen.op.spec.summary], []
    axis = axes[0] % len(sizes)
    parts = [
        "?" if fact is None or fact.rank is None else str(fact.shape[axis]) for fact in seen.outputs if fact is not None
    ]
    return (
        [f"Cut the input into {len(seen.outputs)} parts along axis {axis}."],
        [f"axis {axis}: {sizes[axis]} = {' + '.join(parts)}", f"the other axes keep their sizes: {nth(sizes)}"],
    )


@says("Pad")
def pad(seen: Seen) -> Words:
    sizes, begins, ends = seen.sizes(), seen.ints(1), seen.ints(2)
    values = seen.numbers(3)
    constant = "a constant" if seen.input(3) is not None else "0"
    sources = {
        "constant": values[0] if values else constant,
        "edge": "copies of the edge",
        "reflect": "the reflection of the elements without the edge",
        "symmetric": "the reflection of the elements with the edge",
    }
    text = f"Add elements before and after the axes: {sources[seen.op.pad_mode]}."
    if any(size < 0 for size in (*(begins or ()), *(ends or ()))):
        text += " Negative numbers of elements are taken away."
    if begins is None or ends is None:
        return [text], ["how many is computed at run time"]
    shapes = [
        f"axis {axis}: {before} + {size} + {after} = {seen.result[axis]}"
        if (Dim.of(size) + before + after).hi >= 0
        else f"axis {axis}: {before} + {size} + {after} is below 0: nothing is left"
        for axis, (before, size, after) in enumerate(zip(begins, sizes, ends, strict=False))
        if before or after
    ]
    return [text], shapes or ["nothing is added to any axis"]


@says("Broadcast", "Tile")
def repeat(seen: Seen) -> Words:
    sizes, given = seen.sizes(), seen.inputs[1].dims() if seen.inputs[1] is not None else None
    if seen.op.type == "Tile":
        counts = "counts that are computed at run time" if given is None else times(given)
        return [f"Repeat the input {counts} times."], [f"{nth(sizes)} becomes {nth(seen.result)}"]
    mapping, rule = seen.ints(2), seen.op.mode or ("numpy" if seen.input(2) is None else "explicit")
    begin = seen.op.axis if seen.op.axis >= 0 else len(seen.result) - len(sizes)
    placed = {
        "numpy": f", its axes being the last {len(sizes)}",
        "bidirectional": f", its axes being the last {len(sizes)}",
        "pdpd": f", its axes beginning at axis {begin}",
    }.get(rule, f", its axes being {axes_text(mapping, 0)}" if mapping else "")
    placed = placed if 0 < len(sizes) < len(seen.result) else ""
    return (
        [f"Repeat the input along axes of size 1 until it has the shape {nth(seen.result)}{placed}."],
        [f"{nth(sizes)} becomes {nth(seen.result)} (mode {rule})"],
    )


@says("Interpolate")
def interpolate(seen: Seen) -> Words:
    op, sizes = seen.op, seen.sizes()
    changed = [axis for axis, (a, b) in enumerate(zip(sizes, seen.result, strict=False)) if a != b]
    texts = [f"Resize {axes_text(changed, len(sizes))} by the method {op.mode}." if changed else "No size changes."]
    if hasattr(op, "coordinate_transformation_mode") and not op.mode.endswith("_pillow"):
        texts.append(f"Coordinates are mapped by {op.coordinate_transformation_mode}.")
        if op.mode == "nearest":
            texts.append(f"They are rounded to an element by {op.nearest_mode}.")
    return texts, [f"axis {axis}: {sizes[axis]} becomes {seen.result[axis]}" for axis in changed] or [
        "no axis changes its size"
    ]


@says("TopK")
def top_k(seen: Seen) -> Words:
    sizes, counts = seen.sizes(), seen.ints(1)
    axis = seen.op.axis % max(len(sizes), 1)
    k = "k" if counts is None else str(counts[0])
    order = {"value": "by value", "index": "by index", "none": "in no particular order"}[seen.op.sort]
    word = "greatest" if seen.op.mode == "max" else "least"
    return (
        [f"The {k} {word} elements along axis {axis}, {order}; output 1 has their indices."],
        [f"axis {axis}: {k} of {sizes[axis]}", f"together {nth(seen.result)}"],
    )


def _mask(op: object, name: str, place: int) -> bool:
    values = getattr(op, name, ())
    return place < len(values) and bool(values[place])

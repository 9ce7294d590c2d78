"""Words for operations that move elements: shapes, slices, joins and copies."""

from __future__ import annotations

from irrun.reporting.explain.words.register import Seen, Words, axes_text, listed, nth, says, shape_text, times
from irrun.tensor import Dim


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
    if axes is None:
        dropped = "all axes" if len(seen.inputs) < 2 else "axes that are computed at run time"
    else:
        dropped = axes_text(axes, len(sizes))
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
    if axes is None or not data:
        return [seen.op.spec.summary], []
    axis, batch = axes[0] % len(data), getattr(seen.op, "batch_dims", 0) % max(len(indices), 1)
    values = seen.ints(1)
    which = f" {listed(values)}" if values is not None and 0 < len(values) <= 4 else ""
    what = f"index{which}" if values is not None and len(values) == 1 else f"the indices{which}"
    text = f"Take the slices of data at {what} along axis {axis}, which has {data[axis]} slices."
    shapes = []
    if axis:
        shapes.append(f"axes of data before axis {axis}: {nth(data[:axis])}")
    shapes.append(f"in the place of axis {axis}: the shape of the indices, {nth(indices[batch:])}")
    if axis + 1 < len(data):
        shapes.append(f"axes of data after it: {nth(data[axis + 1 :])}")
    return [text], [*shapes, f"together {nth(seen.result)}"]


@says("StridedSlice", "Slice")
def strided_slice(seen: Seen) -> Words:
    sizes = seen.sizes()
    begin, end, step = (seen.ints(port) for port in (1, 2, 3))
    if begin is None or end is None:
        return [seen.op.spec.summary], [f"{nth(sizes)} becomes {nth(seen.result)}; the limits are known at run time"]
    step = step or [1] * len(begin)
    axes = seen.ints(4) if seen.op.type == "Slice" and len(seen.inputs) > 4 else list(range(len(begin)))
    texts = []
    for place, axis in enumerate(axes or ()):
        masks = [_mask(seen.op, name, place) for name in ("begin_mask", "end_mask")]
        low = "" if masks[0] else str(begin[place])
        high = "" if masks[1] or abs(end[place]) >= 2**31 - 1 else str(end[place])
        every = "" if step[place] == 1 else f":{step[place]}"
        if _mask(seen.op, "new_axis_mask", place):
            texts.append("new axis")
        elif _mask(seen.op, "shrink_axis_mask", place):
            texts.append(f"axis {axis}: {begin[place]}, and the axis is dropped")
        elif _mask(seen.op, "ellipsis_mask", place):
            texts.append("all remaining axes")
        elif low or high or every:
            texts.append(f"axis {axis}: {low}:{high}{every}")
    return (
        [f"Take a part of the input, in Python's notation: {'; '.join(texts) or 'all of it'}."],
        [f"{nth(sizes)} becomes {nth(seen.result)}"],
    )


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
    sources = {
        "constant": "a constant",
        "edge": "copies of the edge",
        "reflect": "the reflection of the elements without the edge",
        "symmetric": "the reflection of the elements with the edge",
    }
    text = f"Add elements before and after the axes: {sources[seen.op.pad_mode]}."
    if begins is None or ends is None:
        return [text], ["how many is computed at run time"]
    shapes = [
        f"axis {axis}: {before} + {size} + {after} = {seen.result[axis]}"
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
    rule = getattr(seen.op, "mode", None) or "numpy"
    return (
        [f"Repeat the input along axes of size 1 until it has the shape {nth(seen.result)}."],
        [f"{nth(sizes)} becomes {nth(seen.result)} (mode {rule})"],
    )


@says("Interpolate")
def interpolate(seen: Seen) -> Words:
    op, sizes = seen.op, seen.sizes()
    changed = [axis for axis, (a, b) in enumerate(zip(sizes, seen.result, strict=False)) if a != b]
    text = f"Resize {axes_text(changed, len(sizes))} by the method {op.mode}."
    if hasattr(op, "coordinate_transformation_mode"):
        text += f" Coordinates are mapped by {op.coordinate_transformation_mode}."
    return [text], [f"axis {axis}: {sizes[axis]} becomes {seen.result[axis]}" for axis in changed] or [
        "no axis changes its size"
    ]


@says("TopK")
def top_k(seen: Seen) -> Words:
    sizes, counts = seen.sizes(), seen.ints(1)
    axis = seen.op.axis % len(sizes)
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

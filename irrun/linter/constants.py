"""The constants of a file and their ranges of bytes in the weights file."""

from __future__ import annotations

import bisect
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from irrun.document.records import LayerElement
from irrun.linter.context import Context
from irrun.linter.declared import called
from irrun.linter.scopes import by_type, once
from irrun.ops._declared.infrastructure.const import Const


class Constant(NamedTuple):
    """A valid Const layer, and its bytes from ``start`` up to ``end``.

    ``type`` is the name of its element type; ``path`` names the bodies around it. Surplus bytes that belong to another
    constant are not part of the range.
    """

    layer: LayerElement
    op: Const
    path: tuple[str, ...]
    type: str
    start: int
    end: int


@once
def constants(context: Context) -> list[Constant]:
    """Return every valid Const in the order of the graph, those of bodies after those of the model."""
    found = []
    for node, scope, layer in by_type(context).get("Const", ()):
        op = node.op
        if isinstance(op, Const):
            found.append(Constant(layer, op, scope.path, op.element_type.name, op.offset, op.offset + op.size))
    starts = sorted({item.start for item in found})
    return [_within(item, starts) for item in found]


def _within(item: Constant, starts: Sequence[int]) -> Constant:
    """Return a constant without surplus bytes that reach into the next constant."""
    following = bisect.bisect_right(starts, item.start)
    if item.op.size == item.op.needed or following == len(starts) or item.end <= starts[following]:
        return item
    return item._replace(end=item.start + item.op.needed)


@once
def unread(context: Context) -> bool:
    """Return whether a Const is invalid, so that its range of bytes is unknown."""
    return any(item.node.op is None for item in by_type(context).get("Const", ()))


@once
def spans(context: Context) -> Mapping[tuple[int, int], Constant]:
    """Return the ranges of bytes of all constants, ascending, each with its first constant."""
    found = {(item.start, item.end): item for item in reversed(constants(context))}
    return {span: found[span] for span in sorted(found)}


@once
def gaps(context: Context) -> list[tuple[int, int]]:
    """Return the ranges of the weights file that no constant and no mean uses; none without such a file."""
    weights = context.document.weights
    if not weights.exists:
        return []
    found: list[tuple[int, int]] = []
    reached = 0
    for start, end in sorted([*spans(context), *_images(context)]):
        if start > reached:
            found.append((reached, start))
        reached = max(reached, end)
    total = len(weights.bytes)
    if total > reached:
        found.append((reached, total))
    return found


def _images(context: Context) -> Iterator[tuple[int, int]]:
    """Yield the ranges of the mean images of ``<pre-process>``."""
    for mean in (context.bound.means or {}).values():
        yield from ((offset, offset + mean.bytes) for offset in mean.offsets)


def also(context: Context, constant: Constant) -> tuple[str, ...]:
    """Return a note about other constants with the same bytes."""
    others = sharing(context, constant)
    if not others:
        return ()
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    return (f"{called(others[0].layer)}{more} shares these bytes",)


def sharing(context: Context, constant: Constant) -> list[Constant]:
    """Return the other constants with the same bytes and type."""
    return [
        item
        for item in constants(context)
        if (item.start, item.end, item.type) == (constant.start, constant.end, constant.type)
        and item.layer.element != constant.layer.element
    ]


class _Layout(NamedTuple):
    """The ends and starts of constants, and the sizes of the unused gaps before and after them."""

    ends: set[int]
    starts: set[int]
    before: dict[int, int]
    behind: dict[int, int]
    free: set[int]


@once
def clashing(context: Context) -> list[Constant]:
    """Return the constants in ``overlaps``, and all others with the same bytes."""
    ranges = {(item.start, item.end) for pair in overlaps(context) for item in pair}
    return [item for item in constants(context) if (item.start, item.end) in ranges]


@once
def overlaps(context: Context) -> list[tuple[Constant, Constant]]:
    """Return the constants that partly overlap another one, each with that one."""
    if unread(context):
        return []
    total = len(context.document.weights.bytes) if context.document.weights.exists else None
    taken = [item for (start, end), item in spans(context).items() if end > start and (total is None or end <= total)]
    if all(item.start >= before.end for before, item in itertools.pairwise(taken)):
        return _disguised(context)
    taken = [item for item in taken if item.op.shape.size.lo > 0]
    clashes: list[tuple[Constant, Constant]] = []
    reach: Constant | None = None
    for item in taken:
        if reach is not None and item.start < reach.end:
            clashes.append((reach, item))
        if reach is None or item.end > reach.end:
            reach = item
    if not clashes:
        return _disguised(context)
    layout = _Layout(
        {0, *(item.end for item in taken)},
        {item.start for item in taken},
        {end: end - start for start, end in gaps(context)},
        {start: end - start for start, end in gaps(context)},
        {end - start for start, end in gaps(context)},
    )
    counts = Counter(item.layer.element for pair in clashes for item in pair)
    culprits: dict[int, tuple[Constant, Constant]] = {}
    for pair in clashes:
        if any(item.layer.element in culprits for item in pair):
            continue
        guilty, other = sorted(pair, key=lambda item: _guilt(item, pair, counts, layout), reverse=True)
        culprits[guilty.layer.element] = guilty, other
    return list(culprits.values())


def _guilt(
    item: Constant,
    pair: tuple[Constant, Constant],
    counts: Mapping[int, int],
    layout: _Layout,
) -> tuple[int, bool, bool, bool, int, int, int]:
    """Return a sort key for how likely the offset of this constant, rather than the other's, is wrong.

    ``counts`` is the number of clashes of each constant.
    """
    other = pair[0] if item is pair[1] else pair[1]
    attached = (item.start in layout.ends and item.start != other.end) + (
        item.end in layout.starts and item.end != other.start
    )
    slides = (
        layout.before.get(item.start) == item.end - other.start or layout.behind.get(item.end) == other.end - item.start
    )
    fits = item.end - item.start in layout.free
    first, second = sorted(pair, key=lambda constant: constant.layer.element)
    return (
        counts[item.layer.element],
        slides or fits,
        fits and first.start > second.start,
        slides,
        (item.start in layout.before) + (item.end in layout.behind),
        -attached,
        item.layer.element,
    )


def _disguised(context: Context) -> list[tuple[Constant, Constant]]:
    """Return pairs of a float and another type with the same nonzero bytes, which cannot be equal values."""
    weights = context.document.weights
    if not weights.exists:
        return []
    seen: dict[tuple[int, int], Constant] = {}
    found = []
    for item in constants(context):
        span = item.start, item.end
        other = seen.setdefault(span, item)
        if other.op.element_type.is_float == item.op.element_type.is_float or item.end > len(weights.bytes):
            continue
        if item.end - item.start >= 4 and weights.bytes[item.start : item.end].any():
            found.append((item, other))
    return found

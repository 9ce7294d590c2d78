from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from irrun.diagnostics import Diagnostic, Severity
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import InferredLayer, inferred_layers
from irrun.linter.shape_paths import named, spelt, trail
from irrun.linter.slices import STOP, HardWired, hard_wired
from irrun.ops._declared.movement.broadcast import BroadcastV1, BroadcastV3
from irrun.ops._declared.shape.reshape import Reshape
from irrun.tensor import Dim


class HardWiredSize(Rule):
    """A layer accepts only one value of a size that is dynamic in the model's inputs.

    ## What it does
    Compares the constant pattern of a Reshape, the constant target of a Broadcast, or the constant bounds of a Slice or
    StridedSlice with dims that follow from dynamic dims of the model's inputs. The finding is a warning where the layer
    fails for all sizes but one, or where a slice of constant length is combined with a tensor of the whole length. It
    is an info where it may be intended, as with `[1,-1,768]`, which moves a dynamic batch into the second axis. The
    notes name the input that the size comes from, and the layers in between.

    ## Why is this bad
    The model was made dynamic after tracing, and a pattern still contains the traced size. The model loads, but fails
    for any other size, or mixes the data of different samples.

    ## Example
    A Reshape of `[?,3,4]` to the constant `[1,12]`.

    ## Use instead
    `[-1,12]`; or `[0,12]` with `special_zero`; or a pattern that is computed from a ShapeOf.
    """

    code = "IR406"
    name = "hard-wired-size"
    opt_in = True
    severity = Severity.WARNING
    needs_sound = "file"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item in inferred_layers(context, "Reshape", "Broadcast"):
            op = item.node.op
            if len(item.inputs) < 2 or item.inputs[0].shape.dims is None or item.inputs[0].shape.is_static:
                continue
            if not isinstance(op, Reshape | BroadcastV1 | BroadcastV3):
                continue
            target = item.inputs[1].ints()
            if target is None:
                continue
            found = _reshape(op, item, target) if isinstance(op, Reshape) else _broadcast(op, item, target)
            if found is not None:
                what, names, severity = found
                yield from self._finding(HardWired(item, what, names, severity, item.node.id, 0), 1)
        for known in hard_wired(context):
            yield from self._finding(known, STOP)

    def _finding(self, found: HardWired, port: int) -> Iterator[Diagnostic]:
        item = found.item
        source = item.scope.graph.sources(found.reader)[found.port]
        origin = () if source is None else (f'a ShapeOf of "{item.scope.graph.node(source.node).name}" has the size',)
        through = [trail(item.scope, found.reader, name, found.port) for name in dict.fromkeys(found.names)]
        yield self.report(
            item,
            found.what,
            port=item.layer.inputs[port],
            severity=found.severity,
            notes=(f"input 0: {item.inputs[0]}", *filter(None, through), *origin),
        )


_Found = tuple[str, Sequence[str], Severity]


def _reshape(op: Reshape, item: InferredLayer, target: Sequence[int]) -> _Found | None:
    dims = item.inputs[0].shape.dims or ()
    copied = {axis for axis, size in enumerate(target) if size == 0 and op.special_zero and axis < len(dims)}
    left = math.prod(
        [dim for axis, dim in enumerate(dims) if axis not in copied],
        start=Dim.exactly(1),
    )
    names = named(left)
    if left.is_static or not names:
        return None
    if any("(" in name for name in names):
        return None
    asked = math.prod(size for axis, size in enumerate(target) if axis not in copied and size != -1)
    pattern = f"[{','.join(map(str, target))}]"
    if -1 not in target:
        equal, sure = _equal(left, asked)
        return f"the constant pattern {pattern} fits only where {equal}", names, sure
    if len(target) != len(dims):
        return None
    for axis, (dim, size) in enumerate(zip(dims, target, strict=True)):
        pinned = named(dim)
        if size > 0 and pinned and axis not in copied and not dim.is_static:
            what = f"the constant pattern {pattern} sets axis {axis} to {size}, where {spelt(dim)} arrives"
            return f"{what}; -1 infers the size", pinned, Severity.INFO
    return None


def _equal(left: Dim, asked: int) -> tuple[str, Severity]:
    """Return ``x[0] is 1`` and a warning, or ``12*x[0]*x[1] is 24`` and an info where no single size follows."""
    names = named(left)
    (_, factor), *more = left.expr or (((), 1),)
    if not more and len(names) == 1 and left.expr is not None and len(left.expr[0][0]) == 1 and asked % factor == 0:
        return f"{names[0]} is {asked // factor}", Severity.WARNING
    return f"{spelt(left)} is {asked}", Severity.INFO


def _broadcast(op: BroadcastV1 | BroadcastV3, item: InferredLayer, target: Sequence[int]) -> _Found | None:
    dims = item.inputs[0].shape.dims or ()
    if op.mode not in ("numpy", "bidirectional") or len(target) < len(dims):
        return None
    behind = target[len(target) - len(dims) :]
    for dim, size in zip(dims, behind, strict=True):
        names = named(dim)
        if dim.is_static or not names or "(" in names[0] or (size == 1 and op.mode == "bidirectional"):
            continue
        fits = "1" if size == 1 else f"1 or {size}"
        pattern = f"[{','.join(map(str, target))}]"
        sure = Severity.WARNING if size == 1 else Severity.INFO
        return (
            f"the constant target {pattern} fits only where {spelt(dim)} is {fits}",
            names,
            sure,
        )
    return None

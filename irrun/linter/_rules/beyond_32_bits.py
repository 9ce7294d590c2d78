from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from irrun.diagnostics import Diagnostic, Severity
from irrun.graph import Outlet
from irrun.linter.constants import also
from irrun.linter.contents import beyond
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import Placed, by_type, scopes
from irrun.ops import Op
from irrun.ops._declared.infrastructure.loop import Loop
from irrun.ops._declared.movement.slice import Slice
from irrun.ops._declared.movement.strided_slice import StridedSlice
from irrun.tensor import Fact, StoredFact
from irrun.tensor.element_type import I64, U64

LEAST: Final = -(1 << 31)
MOST: Final = (1 << 31) - 1
MOST_ELEMENTS: Final = 4096


class Beyond32Bits(Rule):
    """A 64-bit integer constant does not fit into 32 bits.

    ## What it does
    Checks i64 and u64 constants, except the bounds of a Slice or StridedSlice and the trip count of a Loop, where a
    large number stands for the end. Also checks numbers that follow from constants and fixed sizes, at the layer that
    first has them.

    ## Why is this bad
    OpenVINO's CPU plugin computes i64 in i32, so that the number is truncated to 32 bits.

    ## Example
    An i64 constant `[10000000000]`.

    ## Use instead
    A number that fits, or f64 arithmetic.
    """

    code = "IR607"
    name = "beyond-32-bits"
    opt_in = True
    severity = Severity.INFO
    needs_sound = "file"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        yield from self._computed(context)
        found = [*beyond(context, "i64", LEAST, MOST), *beyond(context, "u64", 0, MOST)]
        if not found:
            return
        bounds = _bounds(context)
        for item, number in found:
            if item.layer.element in bounds:
                continue
            yield self.report(
                item,
                f"{number} does not fit into 32 bits, in which OpenVINO's CPU plugin computes {item.type}",
                notes=also(context, item),
            )

    def _computed(self, context: Context) -> Iterator[Diagnostic]:
        for scope in scopes(context):
            large = {outlet for outlet, fact in (scope.facts.of.items() if scope.facts else ()) if _large(fact)}
            for outlet in sorted(large):
                node = scope.graph.node(outlet.node)
                sources = scope.graph.sources(node.id)
                if node.type in ("Const", "Result") or node.layer is None or not large.isdisjoint(sources):
                    continue
                fact = scope.facts.of[outlet] if scope.facts is not None else None
                if fact is not None:
                    what = f"computes {_large(fact)}, which does not fit into 32 bits, in which OpenVINO's CPU plugin"
                    yield self.report(Placed(node, scope, node.layer), f"{what} computes {fact.type}")


def _large(fact: Fact) -> int | None:
    """Return a number of a known value of 64 bits that does not fit into 32; None where all fit."""
    value = fact.constant if fact.type in (I64, U64) and not isinstance(fact, StoredFact) else None
    if value is None or not 0 < value.size <= MOST_ELEMENTS or value.dtype.kind not in "iu":
        return None
    least, most = int(value.min()), int(value.max())
    return most if most > MOST else least if least < LEAST else None


def _is_bound(op: Op | None, port: int) -> bool:
    return port == 0 if isinstance(op, Loop) else port > 0 and isinstance(op, Slice | StridedSlice)


def _bounds(context: Context) -> set[int]:
    """Return the elements of the constants that only bound slices and loops."""
    found: set[int] = set()
    for node, scope, layer in by_type(context).get("Const", ()):
        fed = scope.graph.consumers(Outlet(node.id, 0))
        if fed and all(_is_bound(scope.graph.node(target).op, port) for target, port in fed):
            found.add(layer.element)
    return found

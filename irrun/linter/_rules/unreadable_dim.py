from __future__ import annotations

from irrun.diagnostics import Diagnostic, Fix
from irrun.document import faults
from irrun.linter.context import Context
from irrun.linter.corrections import declared_at, is_output
from irrun.linter.declared import DeclaredPort
from irrun.linter.rule import Rule


class UnreadableDim(Rule):
    """A `<dim>` does not contain a size.

    ## What it does
    Reports `<dim>` elements that contain neither a size of 0 or more nor the -1 of a dynamic dim.

    ## Why is this bad
    OpenVINO refuses the file, or reads the leading digits and ignores the rest.

    ## Example
    `<dim>?</dim>`

    ## Use instead
    `<dim>-1</dim>`
    """

    code = "IR108"
    name = "unreadable-dim"
    faults = (faults.UnreadableDim,)
    breaks = ("structure",)

    def fix(self, found: Diagnostic, context: Context) -> Fix | None:
        """Write the size of the other end of the edge, or the inferred one; -1 only where that was meant."""
        item = declared_at(found, context)
        element = found.anchor.element
        if item is None or element not in item.port.dim_elements:
            return None
        axis = item.port.dim_elements.index(element)
        size = _size(item, axis, context)
        if size == "-1" and found.suggestion is None:
            return None
        return Fix(f"write {size}", context.editor.size(item.port, axis, size))


def _size(item: DeclaredPort, axis: int, context: Context) -> str:
    feeder = None if is_output(item, context) else item.feeder
    dims = item.fact.shape.dims
    if feeder is not None and len(feeder.dims) == len(item.port.dims):
        return feeder.dims[axis]
    if dims is None or len(dims) != len(item.port.dims) or not dims[axis].is_static:
        return "-1"
    return str(dims[axis].lo)

"""Computes the edits that fix a finding.

Safe fixes change only what OpenVINO does not read, or refuses: the dims and precisions of ports. Fixes that change the
model as OpenVINO reads it, such as the name of an attribute, are unsafe.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from irrun.diagnostics import Diagnostic, Edit, Fix
from irrun.document.records import PortElement
from irrun.inference import Facts
from irrun.linter.context import Context
from irrun.linter.declared import DeclaredPort, agrees, is_miscounted, may_be_of_any_rank, offending
from irrun.linter.edits import Editor
from irrun.tensor import Dim, ElementType, Shape
from irrun.tensor.element_type import BY_NAME, BY_PRECISION

_MEANT: Final = re.compile(r"did you mean <?([\w.:-]+)>?\?$")
_OPSET: Final = re.compile(r"it is in (opset\d+)")
_ID: Final = re.compile(r'id="(\d+)" was meant$')

Maker = Callable[["Fixes", Diagnostic], Fix | None]


class Fixes:
    """Computes the fixes of the findings in one file."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._editor = Editor(context.document)

    def added_to(self, found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        """Yield the findings, each with its fix where there is one."""
        for item in found:
            make = _MAKERS.get(item.code) if item.fix is None else None
            fix = None if make is None else make(self, item)
            yield item if fix is None else dataclasses.replace(item, fix=fix)

    @functools.cached_property
    def _outputs(self) -> Mapping[int, DeclaredPort]:
        return _by_element(self._context.outputs)

    @functools.cached_property
    def _inputs(self) -> Mapping[int, DeclaredPort]:
        return _by_element(self._context.inputs)

    def _is_output(self, item: DeclaredPort) -> bool:
        return self._outputs.get(item.port.element) is item

    def _item(self, found: Diagnostic) -> DeclaredPort | None:
        element = found.anchor.element
        return None if element is None else self._outputs.get(element) or self._inputs.get(element)

    # -- dims and precisions

    def _dims(self, found: Diagnostic) -> Fix | None:
        """Write the inferred dims, here and in every dependent port that contradicts its inferred dims."""
        item = self._item(found)
        if item is None:
            return None
        wrong = self._context.contradiction(item) if found.code == "IR402" else None
        shape = item.fact.shape if wrong is None else wrong.shape
        edits = self._sizes(item, shape)
        return self._with_consequences(item, edits, str(shape), self._wrong_dims)

    def _wrong_dims(self, item: DeclaredPort) -> tuple[Edit, ...]:
        if is_miscounted(item):
            return ()
        if not item.port.dims and self._is_output(item) and may_be_of_any_rank(item):
            return ()
        return self._sizes(item, item.fact.shape)

    def _sizes(self, item: DeclaredPort, shape: Shape) -> tuple[Edit, ...]:
        """Write the dims of a shape to a port; unknown ones as at the other end of the edge, or as -1.

        Where the rank is wrong, all dims are those of the other end.
        """
        axes = offending(item.port, shape)
        if axes == () or shape.dims is None:
            return ()
        others = {port.dims for port in self._other_ends(item) if offending(port, shape) == ()}
        spare = others.pop() if len(others) == 1 else None
        if axes is None and spare is not None:
            return self._editor.sizes(item.port, spare, axes)
        texts = spare or ("-1",) * len(shape.dims)
        sizes = [str(dim.lo) if dim.is_static else text for dim, text in zip(shape.dims, texts, strict=True)]
        return self._editor.sizes(item.port, sizes, axes)

    def _other_ends(self, item: DeclaredPort) -> Iterator[PortElement]:
        if self._is_output(item):
            yield from (port for _, port in item.fed)
        elif item.feeder is not None:
            yield item.feeder

    def _precision(self, found: Diagnostic) -> Fix | None:
        """Write the inferred precision, here and in every dependent port that contradicts its inferred precision."""
        item = self._item(found)
        if item is None or not item.fact.type.is_known:
            return None
        content = _spelt(item.port, item.fact.type)
        edits = self._editor.value(item.port.element, "precision", content)
        return self._with_consequences(item, edits, content, self._wrong_precision)

    def _wrong_precision(self, item: DeclaredPort) -> tuple[Edit, ...]:
        if agrees(item.port, item.fact.type):
            return ()
        return self._editor.value(item.port.element, "precision", _spelt(item.port, item.fact.type))

    def _with_consequences(
        self,
        item: DeclaredPort,
        edits: tuple[Edit, ...],
        content: str,
        wrong: Callable[[DeclaredPort], tuple[Edit, ...]],
    ) -> Fix | None:
        if not edits:
            return None
        if not self._is_output(item):
            return Fix(f"write {content}", edits)
        others = [found for other in self._behind(item) if (found := wrong(other))]
        if not others:
            return Fix(f"write {content}", edits)
        more = f"{len(others)} more port{'s' if len(others) > 1 else ''}"
        return Fix(
            f"write {content}, and mend {more}", _unique((*edits, *(edit for found in others for edit in found)))
        )

    def _behind(self, item: DeclaredPort) -> Iterator[DeclaredPort]:
        """Yield the other outputs of the layer, and all ports of the layers downstream."""
        behind: set[int] = set()
        _collect(self._context.facts, {item.layer.element}, behind)
        for other in self._context.outputs:
            if other.layer.element in behind and other.port is not item.port:
                yield other
        for other in self._context.inputs:
            feeder = other.facts.graph[other.outlet.node].layer
            if feeder is not None and feeder.element in behind:
                yield other

    def _unreadable_size(self, found: Diagnostic) -> Fix | None:
        item = self._item(found)
        element = found.anchor.element
        if item is None or element not in item.port.dim_elements:
            return None
        axis = item.port.dim_elements.index(element)
        size = self._size_of(item, axis)
        if size == "-1" and "-1 was meant" not in found.message:
            return None
        return Fix(f"write {size}", self._editor.size(item.port, axis, size))

    def _size_of(self, item: DeclaredPort, axis: int) -> str:
        feeder = None if self._is_output(item) else item.feeder
        dims = item.fact.shape.dims
        if feeder is not None and len(feeder.dims) == len(item.port.dims):
            return feeder.dims[axis]
        return "-1" if dims is None or len(dims) != len(item.port.dims) else _size(dims[axis])

    def _unknown_precision(self, found: Diagnostic) -> Fix | None:
        item = self._item(found)
        if item is None or not item.fact.type.is_known:
            return self._value(found)
        content = item.fact.type.precision
        return _fix(f"write {content}", self._editor.value(item.port.element, "precision", content), "safe")

    def _missing_precision(self, found: Diagnostic) -> Fix | None:
        item = self._item(found)
        if item is None or not item.fact.type.is_known:
            return None
        content = item.fact.type.precision
        edits = self._editor.added(item.port.element, "id", "precision", content)
        return _fix(f'write precision="{content}"', edits, "safe")

    # -- misspelt names and values

    def _value(self, found: Diagnostic) -> Fix | None:
        meant, attribute = _MEANT.search(found.message), found.anchor.attribute
        if meant is None or attribute is None or found.anchor.element is None:
            return None
        edits = self._editor.value(found.anchor.element, attribute, meant[1])
        return _fix(f'write {attribute}="{meant[1]}"', edits)

    def _operation(self, found: Diagnostic) -> Fix | None:
        opset = _OPSET.search(found.message)
        if opset is None or found.anchor.element is None:
            return self._value(found)
        return _fix(f'write version="{opset[1]}"', self._editor.value(found.anchor.element, "version", opset[1]))

    def _attribute(self, found: Diagnostic) -> Fix | None:
        meant, attribute = _MEANT.search(found.message), found.anchor.attribute
        if meant is None or attribute is None or found.anchor.element is None:
            return None
        edits = self._editor.name(found.anchor.element, attribute, meant[1])
        return _fix(f"rename {attribute} to {meant[1]}", edits)

    def _element(self, found: Diagnostic) -> Fix | None:
        meant = _MEANT.search(found.message)
        if meant is None or found.anchor.element is None:
            return None
        return _fix(f"write <{meant[1]}>", self._editor.tag(found.anchor.element, meant[1]))

    def _port_id(self, found: Diagnostic) -> Fix | None:
        meant = _ID.search(found.message)
        if meant is None or found.anchor.element is None:
            return None
        return _fix(f'write id="{meant[1]}"', self._editor.value(found.anchor.element, "id", meant[1]))


_MAKERS: Final[Mapping[str, Maker]] = {
    "IR103": Fixes._missing_precision,
    "IR104": Fixes._element,
    "IR105": Fixes._attribute,
    "IR107": Fixes._port_id,
    "IR108": Fixes._unreadable_size,
    "IR109": Fixes._unknown_precision,
    "IR301": Fixes._operation,
    "IR302": Fixes._attribute,
    "IR305": Fixes._value,
    "IR401": Fixes._dims,
    "IR402": Fixes._dims,
    "IR403": Fixes._precision,
}


def _fix(message: str, edits: tuple[Edit, ...], applicability: str = "unsafe") -> Fix | None:
    return Fix(message, edits, "safe" if applicability == "safe" else "unsafe") if edits else None


def _by_element(items: Sequence[DeclaredPort]) -> dict[int, DeclaredPort]:
    """Return ports by the elements of the port and of its dims."""
    return {element: item for item in items for element in (item.port.element, *item.port.dim_elements)}


def _size(dim: Dim) -> str:
    return str(dim.lo) if dim.is_static else "-1"


def _spelt(port: PortElement, type: ElementType) -> str:
    """Return the precision in the port's spelling: ``FP32``, or ``f32`` where it uses such a name."""
    by_name = port.precision in BY_NAME and port.precision not in BY_PRECISION
    return type.name if by_name else type.precision


def _unique(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    return tuple(sorted(dict.fromkeys(edits), key=lambda edit: (edit.start, edit.end)))


def _collect(facts: Facts, seeds: Collection[int], behind: set[int]) -> bool:
    """Add the seeds and the layers downstream of them, by element; return whether there are any."""
    reached: set[int] = set()
    for node in facts.graph:
        feeders = facts.graph.sources(node.id)
        hit = node.layer is not None and node.layer.element in seeds
        hit = hit or any(outlet is not None and outlet.node in reached for outlet in feeders)
        for tag in node.bodies:
            inner = facts.bodies.get((node.id, tag))
            if inner is not None and hit:
                _collect(inner, {item.layer.element for item in inner.graph if item.layer is not None}, behind)
            elif inner is not None:
                hit = _collect(inner, seeds, behind)
        if hit:
            reached.add(node.id)
            if node.layer is not None:
                behind.add(node.layer.element)
    return bool(reached)

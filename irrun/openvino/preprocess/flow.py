"""A tensor on its way between the caller and the model, with its layout and colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from irrun.openvino.nodes.node import Node, make
from irrun.openvino.nodes.op import Constant
from irrun.openvino.nodes.ports import Output, as_output
from irrun.openvino.values.layout import Layout
from irrun.openvino.values.shapes import of_dims
from irrun.tensor import ElementType, Fact

_LATEST = "opset13"


class ColorFormat(Enum):
    """The channels of an image."""

    UNDEFINED = 0
    NV12_SINGLE_PLANE = 1
    NV12_TWO_PLANES = 2
    I420_SINGLE_PLANE = 3
    I420_THREE_PLANES = 4
    RGB = 5
    BGR = 6
    GRAY = 7
    RGBX = 8
    BGRX = 9

    def __str__(self) -> str:
        """Return the name as texts have it, such as NV12 (single plane)."""
        name, _, planes = self.name.partition("_")
        return name if not planes else f"{name} ({'single plane' if planes == 'SINGLE_PLANE' else 'multi-plane'})"


@dataclass
class Flow:
    """The current output, and what is known of it.

    ``wanted`` and ``type`` are the layout and the element type at the other end. ``planes`` are the outputs of further
    planes. ``adds_axes`` is true before a model, which may have more axes.
    """

    output: Output
    layout: Layout
    wanted: Layout
    type: ElementType | None
    color: ColorFormat | None = None
    sizes: tuple[int, ...] = ()
    planes: Sequence[Output] = ()
    adds_axes: bool = False

    @property
    def colors(self) -> str:
        """The name of the colour format; empty where none is known."""
        return "" if self.color in (None, ColorFormat.UNDEFINED) else str(self.color)

    @property
    def state(self) -> str:
        """The shape, layout, element type and colours as a text."""
        return ", ".join(filter(None, (described(self.output.fact, self.layout), self.colors)))

    def convert(self, type: ElementType | None) -> None:
        """Convert the elements where they have another type; RuntimeError where no type is given."""
        if type is None:
            raise RuntimeError("there is no element type to convert to: set_element_type of the tensor sets it")
        if self.output.fact.type is not type:
            self.apply("Convert", destination_type=type)

    def apply(self, type: str, *inputs: Any, **attributes: Any) -> None:
        """Replace the output by that of an operation of it and of constants."""
        if self.planes:
            raise RuntimeError(f"{type} needs one image, but the tensor has planes; convert_color comes first")
        self.output = node(type, self.output, *inputs, **attributes)

    def axis(self, name: str, of: Layout | None = None) -> int:
        """Return an axis of the current tensor by name, counted from 0; RuntimeError where the layout has none."""
        layout = of if of is not None else self.layout
        if not layout.has_name(name):
            raise RuntimeError(f"the layout {layout} has no axis {name}; set_layout names the axes")
        return axis_of(layout, name, self.output.fact.rank)

    @property
    def rank(self) -> int:
        rank = self.output.fact.rank
        if rank is None:
            raise RuntimeError("the rank of the tensor is dynamic")
        return rank

    def transpose(self, order: Sequence[int]) -> None:
        """Reorder the axes."""
        if sorted(order) != list(range(self.rank)):
            raise RuntimeError(f"{list(order)} is not an order of {self.rank} axes")
        if list(order) != list(range(self.rank)):
            self.apply("Transpose", np.array(order, np.int64))
        self.layout = permuted(self.layout, order)

    def arrange(self, layout: Layout) -> None:
        """Reorder the axes to a layout; a tensor without one has it then, in the order of its axes.

        Before a model, axes of size 1 are added first for the names that the tensor does not have. As in OpenVINO, none
        are added where the others are in order already.
        """
        if not self.layout.empty:
            added = added_names(self.layout, layout) if self.adds_axes else ()
            full = Layout(f"[{','.join((*added, *self.layout.names))}]") if added else self.layout
            order = order_of(full, layout, self.rank + len(added))
            if added and order != list(range(len(order))):
                self.apply("Unsqueeze", np.arange(len(added), dtype=np.int64))
                self.layout = full
            if self.rank == len(order):
                self.transpose(order)
        self.layout = layout


def described(fact: Fact, layout: Layout) -> str:
    """Return the shape, layout and element type of a tensor as a text."""
    return f"{of_dims(fact.shape)}, {'<no layout>' if layout.empty else layout}, {fact.type}"


def node(type: str, *inputs: Any, **attributes: Any) -> Output:
    """Return the first output of a new node; arrays become constants."""
    sources = [as_output(item if isinstance(item, Node | Output) else Constant(item)) for item in inputs]
    return Output(make(type, _LATEST, sources, attributes), 0)


def axis_of(layout: Layout, name: str, rank: int | None) -> int:
    """Return an axis by name, counted from 0; RuntimeError where the layout has none, or the rank is too low.

    A rank that is None is dynamic: RuntimeError where the layout counts the axis from the end.
    """
    index = layout.get_index_by_name(name)
    if rank is None and index >= 0:
        return index
    if rank is None:
        raise RuntimeError("the rank of the tensor is dynamic")
    axis = index if index >= 0 else index + rank
    if not 0 <= axis < rank:
        raise RuntimeError(f"axis {name} of the layout {layout} is outside a tensor of rank {rank}")
    return axis


def expanded(layout: Layout, rank: int) -> tuple[str, ...]:
    """Return a name for each axis, ``?`` for those without one; RuntimeError where the layout has another rank."""
    names = layout.names
    if "..." in names and len(names) - 1 <= rank:
        at = names.index("...")
        return (*names[:at], *("?",) * (rank - len(names) + 1), *names[at + 1 :])
    if len(names) != rank:
        raise RuntimeError(f"the layout {layout} does not fit a tensor of rank {rank}")
    return names


def permuted(layout: Layout, order: Sequence[int]) -> Layout:
    """Return the layout of a tensor after its axes are reordered; RuntimeError where it has another rank."""
    if layout.empty:
        return layout
    names = expanded(layout, len(order))
    return Layout(f"[{','.join(names[axis] for axis in order)}]")


def added_names(before: Layout, after: Layout) -> tuple[str, ...]:
    """Return the names of the axes that a longer layout has beside those of another one; none for ``...``."""
    if "..." in (*before.names, *after.names) or len(before.names) >= len(after.names):
        return ()
    if "?" in (*before.names, *after.names) or not set(before.names) < set(after.names):
        raise RuntimeError(f"the layout {before} cannot be converted to {after}: the longer one has to name its axes")
    return tuple(name for name in after.names if name not in before.names)


def order_of(before: Layout, after: Layout, rank: int) -> list[int]:
    """Return for each axis of a layout the axis of another one; axes without a name keep their order.

    RuntimeError where the layout with fewer names has one that the other does not have.
    """
    if before == after:
        return list(range(rank))
    first, second = expanded(before, rank), expanded(after, rank)
    if first.count("?") < second.count("?"):
        back = order_of(after, before, rank)
        return [back.index(axis) for axis in range(rank)]
    if not set(first) - {"?"} <= set(second):
        raise RuntimeError(f"the layout {before} cannot be converted to {after} for a tensor of rank {rank}")
    unnamed = iter([axis for axis, name in enumerate(first) if name == "?"])
    return [first.index(name) if name != "?" and name in first else next(unnamed) for name in second]

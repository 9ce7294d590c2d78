"""Queries of the usual axes of a layout."""

from __future__ import annotations

from irrun.document.info import LAYOUT
from irrun.openvino.nodes.op import Parameter, Result
from irrun.openvino.nodes.ports import Output
from irrun.openvino.values.layout import Layout


def get_layout(port: Output) -> Layout:
    """Return the layout of the tensor of a port; an empty one where it has none."""
    notes = port.get_rt_info()
    return Layout(notes[LAYOUT].astype(str)) if LAYOUT in notes else Layout()


def set_layout(port: Output, layout: Layout) -> None:
    """Set the layout of an input or output of a model; RuntimeError for other ports."""
    node = port.get_node()
    if not isinstance(node, Parameter | Result):
        raise RuntimeError(f"{port!r} is not an input or output of a model")
    node.set_layout(layout)


def has_batch(layout: Layout) -> bool:
    """Return whether a layout has an axis for the batch."""
    return layout.has_name("N")


def has_channels(layout: Layout) -> bool:
    """Return whether a layout has an axis for the channels."""
    return layout.has_name("C")


def has_depth(layout: Layout) -> bool:
    """Return whether a layout has an axis for the depth."""
    return layout.has_name("D")


def has_height(layout: Layout) -> bool:
    """Return whether a layout has an axis for the height."""
    return layout.has_name("H")


def has_width(layout: Layout) -> bool:
    """Return whether a layout has an axis for the width."""
    return layout.has_name("W")


def batch_idx(layout: Layout) -> int:
    """Return the axis of the batch in a layout; RuntimeError where there is none."""
    return layout.get_index_by_name("N")


def channels_idx(layout: Layout) -> int:
    """Return the axis of the channels in a layout; RuntimeError where there is none."""
    return layout.get_index_by_name("C")


def depth_idx(layout: Layout) -> int:
    """Return the axis of the depth in a layout; RuntimeError where there is none."""
    return layout.get_index_by_name("D")


def height_idx(layout: Layout) -> int:
    """Return the axis of the height in a layout; RuntimeError where there is none."""
    return layout.get_index_by_name("H")


def width_idx(layout: Layout) -> int:
    """Return the axis of the width in a layout; RuntimeError where there is none."""
    return layout.get_index_by_name("W")

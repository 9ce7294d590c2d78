"""The size of the batch of a model, by the layouts of its inputs."""

from __future__ import annotations

from typing import Any

from irrun.openvino.models.model import Model
from irrun.openvino.values.dimensions import Dimension
from irrun.openvino.values.shapes import PartialShape


def get_batch(model: Model) -> Dimension:
    """Return the size of the batch, by the layouts of the inputs; RuntimeError where none has one."""
    sizes = [
        node.partial_shape[node.layout.get_index_by_name("N")] for node in model.parameters if node.layout.has_name("N")
    ]
    if not sizes:
        raise RuntimeError("no input has a layout with a batch; set_layout gives it one")
    size: Dimension = sizes[0]
    return size


def set_batch(model: Model, batch_size: Any = -1) -> None:
    """Reshape the inputs that have a batch, by their layouts."""
    get_batch(model)
    size = batch_size if isinstance(batch_size, Dimension) else Dimension(batch_size)
    shapes: dict[Any, Any] = {}
    for index, node in enumerate(model.parameters):
        if node.layout.has_name("N"):
            shape = PartialShape(node.partial_shape)
            shape[node.layout.get_index_by_name("N")] = size
            shapes[index] = shape
    model.reshape(shapes)

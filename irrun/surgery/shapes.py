"""Other shapes of inputs, written into the model."""

from __future__ import annotations

from collections.abc import Mapping

from irrun.model import Loaded
from irrun.model.arguments import find_port
from irrun.model.loaded import Shapes, as_shape
from irrun.openvino.models.model import Model
from irrun.openvino.values.shapes import PartialShape
from irrun.surgery.ends import loaded


def reshape(model: Loaded, shapes: Shapes) -> Loaded:
    """Return a model with inputs of other shapes, and of all other tensors the shapes that follow.

    ``shapes`` are those by the names or places of inputs, or one shape for the only input: a list of sizes with -1 for
    a dynamic one, a text such as ``1,3,?,2..5``, or a Shape. Sizes that an exporter wrote into layers are relaxed as by
    ``Model.reshape`` of OpenVINO's API. InputError for an unknown name, IRError where the shapes do not fit.
    """
    by_name = shapes if isinstance(shapes, Mapping) else {0: shapes}
    given = {find_port(model.inputs, key, "input").index: as_shape(shape) for key, shape in by_name.items()}
    made = Model.of(model)
    made.reshape({index: PartialShape(str(shape)) for index, shape in given.items()})
    return loaded(made)

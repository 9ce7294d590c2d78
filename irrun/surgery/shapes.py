"""Other shapes of inputs, written into the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from irrun.model import Loaded


def reshape(model: Loaded, shapes: Mapping[str, Any] | Sequence[Any]) -> Loaded:
    """Return a model with inputs of other shapes, and of all other tensors the shapes that follow.

    ``shapes`` are those by the names of inputs, or one shape for the only input: a list of sizes with -1 for a dynamic
    one, or a text such as ``1,3,?,2..5``. InputError for an unknown name, IRError where the shapes do not fit.
    """
    return model.reshaped(shapes)

"""Operations in OpenVINO's style, as a user writes them: with attributes of every kind, and without any."""

from __future__ import annotations

from typing import Any

import numpy as np

import irrun as ov

DEFAULTS: dict[str, Any] = {
    "axes": [0, 1],
    "words": ["a"],
    "scales": [0.5],
    "array": np.array([1, 2], np.float32),
    "flags": [True],
    "factor": 1.5,
    "single": np.float32(0.5),
    "exact": False,
    "count": 3,
    "mode": "fast",
    "shape": ov.PartialShape([1]),
    "size": ov.Dimension(3),
}
GIVEN: dict[str, Any] = {
    "axes": [5, 7],
    "words": ["p", "q r"],
    "scales": [1.5, -2.25],
    "array": np.array([3, 4.5], np.float32),
    "flags": [False, True],
    "factor": 2.5,
    "single": np.float32(2.25),
    "exact": True,
    "count": 9,
    "mode": "slow and sure",
    "shape": ov.PartialShape([2, -1]),
    "size": ov.Dimension(7),
}


class Total(ov.Op):
    """Add the sum of ``axes`` to every element."""

    def __init__(self, inputs: Any = None, **attributes: Any) -> None:
        super().__init__(self, inputs)
        self.values = {**DEFAULTS, **attributes}

    def validate_and_infer_types(self) -> None:
        self.set_output_type(0, self.get_input_element_type(0), self.get_input_partial_shape(0))

    def clone_with_new_inputs(self, new_inputs: Any) -> ov.Op:
        return Total(new_inputs, **self.values)

    def visit_attributes(self, visitor: Any) -> bool:
        visitor.on_attributes(self.values)
        return True

    def has_evaluate(self) -> bool:
        return True

    def evaluate(self, outputs: Any, inputs: Any) -> bool:
        outputs[0].data[:] = inputs[0].data + sum(self.values["axes"])
        return True


class Halved(ov.Op):
    """Half of every element; named by ``get_type_info``, which is static."""

    def __init__(self, *inputs: Any) -> None:
        super().__init__(self, inputs)

    def validate_and_infer_types(self) -> None:
        self.set_output_type(0, self.get_input_element_type(0), self.get_input_partial_shape(0))

    @staticmethod
    def get_type_info() -> ov.DiscreteTypeInfo:  # type: ignore[override]
        return ov.DiscreteTypeInfo("Half", "my.domain")

    def evaluate(self, outputs: Any, inputs: Any) -> bool:
        outputs[0].data[:] = inputs[0].data / 2
        return True


class Named(Halved):
    """A class with a type info that only a method could tell, which OpenVINO does not read."""

    class_type_info = ov.DiscreteTypeInfo("Another", "elsewhere")
    get_type_info = ov.Op.get_type_info

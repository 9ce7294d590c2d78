"""Faults in operations of users end in errors that name the layer."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irrun
from irrun.openvino import opset13 as ops


class _Same(irrun.Op):
    """Returns its input, unless ``answer`` says otherwise."""

    answer: Any = True

    def __init__(self, inputs: Any = None) -> None:
        super().__init__(self)
        if inputs is not None:
            self.set_arguments(inputs)
            self.constructor_validate_and_infer_types()

    def validate_and_infer_types(self) -> None:
        self.set_output_type(0, self.get_input_element_type(0), self.get_input_partial_shape(0))

    def clone_with_new_inputs(self, new_inputs: Any) -> irrun.Op:
        return type(self)(new_inputs)

    def evaluate(self, output_values: Any, input_values: Any, _context: Any = None) -> bool:
        if isinstance(self.answer, Exception):
            raise self.answer
        input_values[0].copy_to(output_values[0])
        return bool(self.answer)


class _False(_Same):
    answer = False


class _Raises(_Same):
    answer = ValueError("on purpose")


class _WithoutEvaluate(_Same):
    evaluate = irrun.Node.evaluate


def _run(cls: type[_Same], **settings: Any) -> Any:
    x = ops.parameter([1, 2], np.float32, name="x")
    node = cls([x.output(0)])
    node.set_friendly_name("mine")
    model = irrun.Model([node.output(0)], [x], "m")
    return irrun.compile_model(model, "CPU", settings)(np.ones((1, 2), np.float32))[0]


@pytest.mark.parametrize("tier", ["numpy", "compiled"])
def test_it_runs_on_both_tiers(tier: str) -> None:
    assert _run(_Same, TIER=tier).tolist() == [[1, 1]]


@pytest.mark.parametrize(
    ("cls", "text"),
    [(_False, "returned False"), (_Raises, "on purpose"), (_WithoutEvaluate, "has no evaluate")],
)
def test_a_fault_names_the_layer(cls: type[_Same], text: str) -> None:
    with pytest.raises(irrun.IRError, match=f'layer "mine".*{text}'):
        _run(cls)


def test_a_clone_keeps_the_attributes() -> None:
    class Alone(irrun.Op):
        clone_with_new_inputs = irrun.Op.clone_with_new_inputs

        def __init__(self, inputs: Any, by: int) -> None:
            super().__init__(self, inputs)
            self.by = by
            self.constructor_validate_and_infer_types()

        def validate_and_infer_types(self) -> None:
            self.set_output_type(0, self.get_input_element_type(0), self.get_input_partial_shape(0))

        def visit_attributes(self, visitor: Any) -> bool:
            visitor.on_attributes(None)
            visitor.on_attributes({"by": self.by})
            return True

        def evaluate(self, output_values: Any, input_values: Any, _context: Any = None) -> bool:
            output_values[0].data[:] = input_values[0].data + self.by
            return True

    x = ops.parameter([2], np.float32, name="x")
    model = irrun.Model([Alone([x], 3)], [x], "alone")
    assert irrun.compile_model(model, "CPU")([np.ones(2, np.float32)])[0].tolist() == [4, 4]
    model.reshape([3])
    assert irrun.compile_model(model, "CPU")([np.ones(3, np.float32)])[0].tolist() == [4, 4, 4]
    assert [node.get_attributes() for node in model.get_ordered_ops()][1] == {"by": 3}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([{}], "Unsupported attribute type in provided list: <class 'dict'>"),
        (np.ones(2, np.complex128), "Unsupported NumPy array dtype: complex128"),
        ({}, "Unsupported attribute type: <class 'dict'>"),
    ],
)
def test_attributes_that_no_file_holds(value: Any, message: str) -> None:
    class Holds(_Same):
        def visit_attributes(self, visitor: Any) -> bool:
            visitor.on_attributes({"value": value})
            return True

    x = ops.parameter([2], np.float32, name="x")
    model = irrun.Model([Holds([x])], [x], "holds")
    with pytest.raises(TypeError, match=re.escape(message)):
        irrun.serialize(model, BytesIO(), BytesIO())


def test_outputs_may_be_written_in_place() -> None:
    class Writes(_Same):
        def evaluate(self, output_values: Any, input_values: Any, _context: Any = None) -> bool:
            output_values[0].data[:] = input_values[0].data + 1
            return True

    assert _run(Writes).tolist() == [[2, 2]]


class _Halves(irrun.Op):
    """Splits an array in halves, and multiplies each by one of the attribute ``scales``."""

    class_type_info = irrun.DiscreteTypeInfo("Halves", "extension")

    def __init__(self, inputs: Any = None, scales: Any = (2.0, 3.0)) -> None:
        self.scales = list(scales)
        super().__init__(self, inputs)
        if inputs is not None:
            self.constructor_validate_and_infer_types()

    def validate_and_infer_types(self) -> None:
        for index in (1, 0, 1):
            self.set_output_type(index, self.get_input_element_type(0), irrun.PartialShape([2]))

    def clone_with_new_inputs(self, new_inputs: Any) -> irrun.Op:
        return _Halves(new_inputs, self.scales)

    def visit_attributes(self, visitor: Any) -> bool:
        visitor.on_attributes({"scales": self.scales, "exact": True})
        return True

    def evaluate(self, output_values: Any, input_values: Any, _context: Any = None) -> bool:
        for output, part, scale in zip(output_values, np.split(input_values[0].data, 2), self.scales, strict=True):
            output.data[:] = part * scale
        return True


def test_several_outputs_and_lists_of_attributes(tmp_path: Path) -> None:
    x = ops.parameter([4], np.float32, name="x")
    node = _Halves([x.output(0)], (2.0, -1.5))
    assert [node.get_output_partial_shape(index) for index in range(node.get_output_size())] == [[2], [2]]
    model = irrun.Model([node.output(0), node.output(1)], [x], "m")
    results = irrun.compile_model(model)(np.array([1, 2, 3, 4], np.float32))
    assert [array.tolist() for array in results.to_tuple()] == [[2, 4], [-4.5, -6]]
    irrun.save_model(model, tmp_path / "m.xml")
    assert '<data scales="2.0, -1.5" exact="true" />' in (tmp_path / "m.xml").read_text()


class _WritesInput(_Same):
    def evaluate(self, output_values: Any, input_values: Any, _context: Any = None) -> bool:
        input_values[0].data[:] = output_values[0].data
        return True


class _Smaller(_Same):
    def evaluate(self, output_values: Any, input_values: Any, _context: Any = None) -> bool:
        input_values[0].copy_to(output_values[0])
        output_values[0].shape = [1, 1]
        return True


class _Fails(_Same):
    def validate_and_infer_types(self) -> None:
        self.set_output_type(0, self.get_input_element_type(0), self.get_input_partial_shape(0))
        if self.get_input_partial_shape(0).is_dynamic:
            raise KeyError("dynamic")


@pytest.mark.parametrize(
    ("cls", "message"),
    [
        (
            _WritesInput,
            r"_WritesInput\.evaluate fails at .*users\.py:\d+: ValueError: assignment destination is read-o",
        ),
        (_Smaller, r"_Smaller\.evaluate at .*users\.py:\d+ returns an array of float32\[1, 1\], expected f32\[1,2\]"),
        (_Raises, r"_Raises\.evaluate fails at .*users\.py:\d+: ValueError: on purpose"),
    ],
)
def test_a_fault_names_the_line(cls: type[_Same], message: str) -> None:
    with pytest.raises(irrun.IRError, match=message):
        _run(cls)


def test_a_fault_of_inference_names_the_line(tmp_path: Path) -> None:
    x = ops.parameter([1, 2], np.float32, name="x")
    irrun.save_model(irrun.Model([_Fails([x]).output(0)], [x], "m"), tmp_path / "m.xml")
    model = irrun.read_model(tmp_path / "m.xml", extensions=[_Fails])
    with pytest.raises(irrun.IRError, match=r"_Fails\.validate_and_infer_types fails at .*py:\d+: KeyError: 'dynamic'"):
        model.reshape([-1, 2])
    assert model.input().shape == [1, 2]

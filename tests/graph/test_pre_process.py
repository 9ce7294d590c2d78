"""<pre-process>: means of channels, and images."""

from __future__ import annotations

import numpy as np
import pytest

import irrun.model
from irrun.document.writer import Writer
from irrun.tensor import Array, ElementType, Fact, Shape
from irrun.tensor.element_type import F16, F32


def net(shape: list[int], channels: str, *, type: ElementType = F32, reference: str = "x") -> str:
    """Return the text of x -> ReLU -> y, with a mean for each channel."""
    ir = Writer("net", "10")
    fact = Fact(type, Shape(shape))
    data = {"shape": ",".join(map(str, shape)), "element_type": type.name}
    x = ir.layer("Parameter", "opset1", [], [fact], data, name="x")[0]
    ir.result(ir.layer("ReLU", "opset1", [x], [fact], name="y")[0])
    named = f' reference-layer-name="{reference}"' if reference else ""
    return ir.text.replace("</edges>", f"</edges><pre-process{named}>{channels}</pre-process>")


def numbers(*values: float) -> str:
    return "".join(f'<channel id="{index}"><mean value="{value}"/></channel>' for index, value in enumerate(values))


def images(size: int, *offsets: int) -> str:
    ends = [f'<mean offset="{offset}" size="{size}"/>' for offset in offsets]
    return "".join(f'<channel id="{index}">{mean}</channel>' for index, mean in enumerate(ends))


def answer(text: str, x: Array, weights: bytes = b"") -> Array:
    return irrun.model.build(irrun.model.load(text.encode(), weights))([x])[0]


@pytest.mark.parametrize("shape", [[1, 3], [3, 1, 2], [1, 3, 2, 2], [2, 3, 1, 2, 1]])
def test_a_number_for_each_channel(shape: list[int]) -> None:
    got = answer(net(shape, numbers(0.5, 0.25, 0.125)), np.ones(shape, np.float32))
    axis = 0 if len(shape) == 3 else 1
    along = [3 if index == axis else 1 for index in range(len(shape))]
    np.testing.assert_array_equal(got, np.ones(shape) - np.reshape([0.5, 0.25, 0.125], along))


@pytest.mark.parametrize("shape", [[1, 2, 2, 2], [2, 2, 2], [1, 2, 1, 2, 2]])
def test_an_image_for_each_channel(shape: list[int]) -> None:
    mean = np.arange(8, dtype=np.float32)
    got = answer(net(shape, images(16, 0, 16)), np.full(shape, 10, np.float32), mean.tobytes())
    np.testing.assert_array_equal(got.reshape(-1), 10 - mean)


def test_images_of_two_batches() -> None:
    mean = np.arange(4, dtype=np.float32)
    got = answer(net([2, 2, 1, 2], images(8, 8, 0)), np.full([2, 2, 1, 2], 5, np.float32), mean.tobytes())
    np.testing.assert_array_equal(got.reshape(2, 4), [[3, 2, 5, 4]] * 2)


def test_a_mean_in_half_precision_is_rounded_and_the_difference_is_not() -> None:
    got = answer(net([1, 1], numbers(0.1), type=F16), np.ones([1, 1], np.float32))
    assert got.dtype == np.float32
    assert got[0, 0] == np.float32(1) - np.float32(np.float16(0.1))


def test_without_a_name_the_first_input_of_rank_4() -> None:
    ir = Writer("net", "10")
    for name, shape in (("a", [1, 1]), ("b", [1, 1, 1, 1])):
        ir.result(ir.parameter(name, F32, Shape(shape)), name)
    text = ir.text.replace("</edges>", f"</edges><pre-process>{numbers(0.5)}</pre-process>")
    outputs = irrun.model.build(irrun.model.load(text.encode()))([np.ones([1, 1]), np.ones([1, 1, 1, 1])])
    assert [float(array.reshape(-1)[0]) for array in outputs.to_tuple()] == [1.0, 0.5]


def test_channels_without_an_id_count_on_and_a_scale_is_passed_over() -> None:
    channels = '<channel><mean value="0.5"/><scale value="2"/></channel><channel><mean value="0.25"/></channel>'
    model = irrun.model.load(net([1, 2], channels).encode())
    assert model.diagnostics == ()
    np.testing.assert_array_equal(irrun.model.build(model)([np.ones([1, 2])])[0], [[0.5, 0.75]])


@pytest.mark.parametrize("channels", ["", '<channel id="0"/>'])
def test_no_mean(channels: str) -> None:
    np.testing.assert_array_equal(answer(net([1, 2], channels), np.ones([1, 2], np.float32)), [[1, 1]])


def test_a_reshaped_input_that_its_mean_does_not_fit() -> None:
    model = irrun.model.load(net([1, 2, 2], images(16, 0)).encode(), bytes(16))
    model = model.reshaped({"x": [1, 2, 3]})
    with pytest.raises(irrun.InputError, match=r'input "x" has shape \[1,2,3\], expected one that its mean of shape'):
        irrun.model.build(model)([np.ones([1, 2, 3], np.float32)])


def test_an_image_without_weights_is_not_run() -> None:
    model = irrun.model.load(net([1, 1, 1, 1], images(4, 0)).encode())
    with pytest.raises(irrun.IRError, match='the mean of input "x" is not known: there is no weights file'):
        irrun.model.build(model)


def test_a_mean_that_does_not_fit_is_not_run() -> None:
    model = irrun.model.load(net([1, 2], numbers(0.5)).encode())
    assert [item.code for item in model.diagnostics] == ["IR215"]
    with pytest.raises(irrun.IRError, match="there are means of channels 0, expected one for each of the 2 channels"):
        irrun.model.build(model)

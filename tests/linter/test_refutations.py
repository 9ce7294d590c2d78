"""Declared shapes of bare layers without any value: what no value yields is found, the rest is not verified."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from irrun.linter import lint
from irrun.linter.check import Report
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32
from tests.nets import Net

Shapes = Sequence[Sequence[int]]
NONE: Mapping[str, str] = {}
KEEP = {"keep_dims": "true"}
LISTED = {"keep_dims": "false"}
REFLECT, SYMMETRIC, CONSTANT = ({"pad_mode": mode} for mode in ("reflect", "symmetric", "constant"))
NUMPY, BOTH, EXPLICIT = ({"mode": mode} for mode in ("numpy", "bidirectional", "explicit"))
TOP = {"axis": "1", "mode": "max", "sort": "value"}


def checked(type: str, data: Mapping[str, str], inputs: Shapes, outputs: Shapes) -> Report:
    def ports(shapes: Shapes, first: int) -> str:
        sizes = ("".join(f"<dim>{size}</dim>" for size in shape) for shape in shapes)
        return "".join(f'<port id="{first + index}">{text}</port>' for index, text in enumerate(sizes))

    attributes = " ".join(f'{name}="{value}"' for name, value in data.items())
    body = f"<data {attributes}/><input>{ports(inputs, 0)}</input><output>{ports(outputs, len(inputs))}</output>"
    return lint("layer.xml", data=f'<layer ... type="{type}">{body}</layer>'.encode())


REFUTED: list[tuple[str, Mapping[str, str], Shapes, Shapes, str]] = [
    ("Tile", NONE, [[2, 3, 4], [3]], [[2, 6, 13]], "axis 2 is 13, expected a multiple of 4, the size of data"),
    ("Tile", NONE, [[3, 4], [3]], [[7, 4, 4]], "axis 1 is 4, expected a multiple of 3, the size of data"),
    ("Tile", NONE, [[2, 3, 4], [-1]], [[3, 4]], "the rank is 2, expected 3 or more, the rank of data"),
    ("Tile", NONE, [[2, 3, 4], [-1]], [[5, 2, 4, 4]], "axis 2 is 4, expected a multiple of 3, the size of data"),
    ("Broadcast", NUMPY, [[16, 1], [-1]], [[2, 15, 5]], "axis 1 is 15, expected 16, the size of data"),
    ("Broadcast", NUMPY, [[16, 1], [-1]], [[16]], "the rank is 1, expected 2 or more, the rank of data"),
    ("Broadcast", BOTH, [[16, 1], [-1]], [[32, 5]], "axis 0 is 32, expected 16, the size of data"),
    ("Broadcast", EXPLICIT, [[50, 50], [4], [2]], [[1, 50, 49, 16]], "data [50,50] fit no ascending axes of it"),
    ("Broadcast", EXPLICIT, [[3, 2], [3], [2]], [[2, 3, 5]], "data [3,2] fit no ascending axes of it"),
    ("Pad", REFLECT, [[3], [1], [1]], [[8]], "inferred [0..7]"),
    ("Pad", SYMMETRIC, [[3], [1], [1]], [[10]], "inferred [0..9]"),
    ("Reshape", {"special_zero": "false"}, [[2, 6], [2]], [[5, 5]], "it has 25 elements, expected 12 as data [2,6]"),
    ("Reshape", {"special_zero": "true"}, [[2, 6], [2]], [[-1, 5]], "its sizes do not divide the 12 elements"),
    ("Reshape", {"special_zero": "true"}, [[-1, 6], [1]], [[15]], "expected a multiple of 6 as data [?,6]"),
    ("Squeeze", NONE, [[1, 3, 1], [1]], [[1, 1]], "it does not follow from data [1,3,1] by dropping axes of size 1"),
    ("Squeeze", NONE, [[1, 3, 1, 1], [1]], [[3, 1]], "by dropping axes of size 1"),
    (
        "Unsqueeze",
        NONE,
        [[2, 3], [2]],
        [[2, 2, 3, 1]],
        "it does not follow from data [2,3] by inserting axes of size 1",
    ),
    ("Unsqueeze", NONE, [[2, 3], [1]], [[1, 1, 2, 3]], "(rank 4, expected 3)"),
    ("Transpose", NONE, [[2, 3, 4], [3]], [[4, 4, 2]], "its sizes are not those of arg [2,3,4] in another order"),
    ("Split", {"num_splits": "2"}, [[4, 6], []], [[2, 6], [4, 3]], "no axis of data [4,6] splits into 2 such parts"),
    ("Split", {"num_splits": "2"}, [[4, 6], []], [[2, 5], [2, 6]], "no axis of data [4,6] splits into 2 such parts"),
    ("VariadicSplit", NONE, [[4, 6], [], [2]], [[4, 2], [4, 3]], "do not add up to an axis of data [4,6]"),
    ("Slice", NONE, [[4, 6], [1], [1], [1], [1]], [[3, 5]], "more than 1 axis of data [4,6] differ"),
    ("Gather", NONE, [[4, 6], [2], []], [[4, 3]], "indices [2] of no axis of data [4,6] have such a result"),
    ("ReduceSum", KEEP, [[4, 6, 2], [2]], [[1, 6, 2]], "a reduction along no axes of data [4,6,2] has this shape"),
    ("ReduceSum", LISTED, [[4, 6, 2], [-1]], [[6, 4]], "a reduction along no axes of data [4,6,2] has this shape"),
    ("TopK", TOP, [[2, 5], []], [[2, 3], [2, 4]], "axis 1 is 4, expected 3 as in output port 2"),
    ("TopK", TOP, [[2, 5], []], [[2, 6], [2, 6]], "inferred [2,0..5]"),
    ("OneHot", {"axis": "-1"}, [[3], [], [], []], [[4, 7]], "inferred [3,1..]"),
    ("SpaceToBatch", NONE, [[2, 4], [2], [2], [2]], [[3, 4]], "axis 0 is 3, expected a multiple of 2"),
    ("BatchToSpace", NONE, [[6, 4], [2], [2], [2]], [[4, 4]], "axis 0 is 4, expected a divisor of 6"),
    ("RDFT", NONE, [[4, 6], [1]], [[4, 6, 2]], "a transform of no axis of [4,6] has this size"),
]


@pytest.mark.parametrize(("type", "data", "inputs", "outputs", "part"), REFUTED)
def test_what_no_value_yields(type: str, data: Mapping[str, str], inputs: Shapes, outputs: Shapes, part: str) -> None:
    report = checked(type, data, inputs, outputs)
    assert [item.code for item in report] == ["IR401"]
    assert part in report[0].message
    assert report.verified.refuted >= 1


POSSIBLE: list[tuple[str, Mapping[str, str], Shapes, Shapes, str]] = [
    ("Tile", NONE, [[2, 3, 4], [3]], [[2, 6, 12]], "Tile: repeats is unknown; --value 1=… decides"),
    ("Tile", NONE, [[2, 3, 4], [3]], [[0, 3, 8]], "Tile: repeats is unknown; --value 1=… decides"),
    ("Tile", NONE, [[3, 4], [-1]], [[5, 6, 4]], "Tile: repeats is unknown"),
    (
        "Broadcast",
        NUMPY,
        [[16, 1, 1], [4]],
        [[1, 16, 50, 50]],
        "Broadcast: target_shape is unknown; --value 1=… decides",
    ),
    (
        "Broadcast",
        EXPLICIT,
        [[50, 50], [4], [2]],
        [[1, 50, 50, 16]],
        "Broadcast: target_shape and axes_mapping are unknown; --value 1=… --value 2=… decide",
    ),
    (
        "Pad",
        CONSTANT,
        [[3], [1], [1]],
        [[100]],
        "Pad: pads_begin and pads_end are unknown; --value 1=… --value 2=… decide",
    ),
    ("Reshape", {"special_zero": "false"}, [[2, 6], [2]], [[3, 4]], "Reshape: shape is unknown; --value 1=… decides"),
    ("Squeeze", NONE, [[1, 3, 1], [1]], [[1, 3]], "Squeeze: axes is unknown; --value 1=… decides"),
    ("Unsqueeze", NONE, [[2, 3], [2]], [[1, 2, 1, 3]], "Unsqueeze: axes is unknown; --value 1=… decides"),
    ("Transpose", NONE, [[2, 3, 4], [3]], [[4, 3, 2]], "Transpose: input_order is unknown; --value 1=… decides"),
    ("Split", {"num_splits": "2"}, [[4, 6], []], [[2, 6], [2, 6]], "Split: axis is unknown; --value 1=… decides"),
    (
        "VariadicSplit",
        NONE,
        [[4, 6], [], [2]],
        [[4, 2], [4, 4]],
        "VariadicSplit: axis and split_lengths are unknown; --value 1=… --value 2=… decide",
    ),
    ("Gather", NONE, [[4, 6], [2], []], [[4, 2]], "Gather: axis is unknown; --value 2=… decides"),
    ("ReduceSum", LISTED, [[4, 6, 2], [2]], [[6]], "ReduceSum: axes is unknown; --value 1=… decides"),
    ("TopK", TOP, [[2, 5], []], [[2, 3], [2, 3]], "TopK: k is unknown; --value 1=… decides"),
    ("Range", {"output_type": "i64"}, [[], [], []], [[7]], "Range: start, stop and step are unknown"),
    ("NonZero", NONE, [[2, 5]], [[2, 3]], "NonZero: data is unknown; --value 0=… decides"),
]


@pytest.mark.parametrize(("type", "data", "inputs", "outputs", "reason"), POSSIBLE)
def test_what_a_value_may_yield(
    type: str, data: Mapping[str, str], inputs: Shapes, outputs: Shapes, reason: str
) -> None:
    report = checked(type, data, inputs, outputs)
    assert list(report) == []
    assert (report.ports, report.verified.refuted) == (0, 0)
    ((found, ports),) = report.unverified
    assert found.startswith(reason)
    assert ports == len(outputs)


def test_a_declared_unknown_size_that_inference_leaves_open_is_verified() -> None:
    report = checked("Tile", NONE, [[2, 3], [2]], [[-1, -1]])
    assert (list(report), report.ports, report.unverified) == ([], 1, ())
    report = checked("Broadcast", NUMPY, [[16, 1], [2]], [[16, -1]])
    assert (list(report), report.ports, report.unverified) == ([], 1, ())


def test_what_follows_has_the_reason_of_its_cause() -> None:
    text = """<net name="net" version="11"><layers>
    <layer id="0" name="x" type="Parameter" version="opset1"><data shape="2,3" element_type="f32"/>
        <output><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></output></layer>
    <layer id="1" name="n" type="Parameter" version="opset1"><data shape="2" element_type="i64"/>
        <output><port id="0" precision="I64"><dim>2</dim></port></output></layer>
    <layer id="2" name="t" type="Tile" version="opset1">
        <input><port id="0"><dim>2</dim><dim>3</dim></port><port id="1"><dim>2</dim></port></input>
        <output><port id="2" precision="FP32"><dim>4</dim><dim>6</dim></port></output></layer>
    <layer id="3" name="r" type="ReLU" version="opset1"><input><port id="0"><dim>4</dim><dim>6</dim></port></input>
        <output><port id="1" precision="FP32"><dim>4</dim><dim>6</dim></port></output></layer>
    <layer id="4" name="y" type="Result" version="opset1"><input><port id="0"><dim>4</dim><dim>6</dim></port></input>
    </layer></layers><edges><edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
    <edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
    <edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
    <edge from-layer="3" from-port="1" to-layer="4" to-port="0"/></edges></net>"""
    report = lint("net.xml", data=text.encode())
    assert (list(report), report.ports) == ([], 2)
    assert report.unverified == (('Tile "t": repeats is unknown; --value n=… decides', 2),)
    report = lint("net.xml", data=text.encode(), values=[("n", [2, 2])])
    assert (report.ports, report.unverified) == (4, ())


def test_inputs_that_do_not_fit_refute_nothing() -> None:
    """The edge of the data comes from the axes, against what its port declares."""
    net = Net()
    axes = net.parameter("axes", "2", "i64")
    net.result(net.layer("IRDFT", [axes._replace(fact=Fact(F32, Shape([2, 2, 2]))), axes], "?,?", 9))
    assert [item.code for item in lint("net.xml", data=net.ir.text.encode())] == ["IR402"]

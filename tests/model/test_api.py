"""The Python API, with OpenVINO's names."""

from __future__ import annotations

import gc
import threading
from pathlib import Path

import numpy as np
import pytest

import irrun.model
from irrun.document.writer import Writer
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F16, F32, I64

DIGITS = Path(__file__).resolve().parents[2] / "examples" / "digits"


def square(path: Path, shape: str = "?,3") -> Path:
    """Write a model of x * x: one output feeds both inputs of one layer."""
    ir = Writer("square")
    x = ir.parameter("x", F32, Shape.parse(shape))
    (y,) = ir.layer("Multiply", "opset1", [x, x], [Fact(F32, Shape.parse(shape))], name="mul", names=["y,squared"])
    ir.result(y, "out")
    ir.save(path / "square.xml")
    return path / "square.xml"


def test_one_output_into_both_inputs(tmp_path: Path) -> None:
    compiled = irrun.model.build(square(tmp_path))
    outputs = compiled({"x": np.array([[1, -2, 3]], np.float32)})
    np.testing.assert_array_equal(outputs[0], np.array([[1, 4, 9]], np.float32))


def test_graph_is_a_multigraph_of_networkx(tmp_path: Path) -> None:
    graph = irrun.model.load(square(tmp_path)).graph
    assert graph.is_multigraph()
    assert [graph.nodes[id]["type"] for id in graph.nodes] == ["Parameter", "Multiply", "Result"]
    assert sorted(data["to_port"] for _, _, data in graph.edges(0, data=True)) == [0, 1]


def test_outputs_by_position_name_and_port(tmp_path: Path) -> None:
    compiled = irrun.model.build(str(square(tmp_path)))
    outputs = compiled.session().run([np.full((2, 3), 3, np.float32)])
    for key in (0, "y", "squared", "mul", "out", compiled.outputs[0], compiled.output("y")):
        np.testing.assert_array_equal(outputs[key], np.full((2, 3), 9, np.float32))
    assert [port.names for port in outputs] == [frozenset({"y", "squared"})]
    with pytest.raises(irrun.InputError, match='no output "yy"'):
        outputs["yy"]


def test_ports(tmp_path: Path) -> None:
    model = irrun.model.load(square(tmp_path))
    (port,) = model.inputs
    assert port.any_name == "x"
    assert port.element_type is F32
    assert str(port.partial_shape) == "[?,3]"
    assert model.output(0).get_names() == {"y", "squared"}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.zeros((2, 4), np.float32), 'input "x" has shape [2,4], expected [?,3]'),
        (np.zeros(3, np.float32), 'input "x" has shape [3], expected [?,3] (rank 1, expected 2)'),
        (np.zeros((1, 3), np.complex64), 'input "x" is complex64, expected f32'),
    ],
)
def test_wrong_input(value: np.ndarray, message: str, tmp_path: Path) -> None:
    compiled = irrun.model.build(square(tmp_path))
    with pytest.raises(irrun.InputError) as caught:
        compiled({"x": value})
    assert str(caught.value) == message


def test_wrong_input_name_has_a_near_match(tmp_path: Path) -> None:
    compiled = irrun.model.build(square(tmp_path))
    with pytest.raises(irrun.InputError, match=r'no input "X"; did you mean x\?'):
        compiled({"X": np.zeros((1, 3), np.float32)})
    with pytest.raises(irrun.InputError, match='no value for input "x" '):
        compiled({})


def test_two_threads_infer_on_one_compiled_model() -> None:
    compiled = irrun.model.build(DIGITS / "model.xml")
    images = np.load(DIGITS / "heldout_images.npy")
    want = np.load(DIGITS / "expected_scores.npy")
    failures: list[float] = []

    def work(start: int) -> None:
        for index in range(start, 120, 2):
            got = compiled({"image": images[index : index + 1]})["scores"]
            gap = float(np.abs(got - want[index : index + 1]).max())
            if gap > 1e-5:
                failures.append(gap)

    threads = [threading.Thread(target=work, args=(start,)) for start in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_compiled_model_survives_its_model() -> None:
    model = irrun.model.load(DIGITS / "model.xml")
    compiled = irrun.model.build(model)
    del model
    gc.collect()
    got = compiled(np.load(DIGITS / "seven.npy"))[0]
    assert int(got.argmax()) == 7


def test_digits_agree_with_openvino() -> None:
    images, labels = np.load(DIGITS / "heldout_images.npy"), np.load(DIGITS / "heldout_labels.npy")
    scores = irrun.model.build(DIGITS / "model.xml")(images)["scores"]
    np.testing.assert_allclose(scores, np.load(DIGITS / "expected_scores.npy"), rtol=0, atol=1e-5)
    assert int((scores.argmax(1) == labels).sum()) == 357


def test_reshape_infers_again(tmp_path: Path) -> None:
    model = irrun.model.load(square(tmp_path))
    model = model.reshaped({"x": [5, -1]})
    assert str(model.outputs[0].partial_shape) == "[5,?]"
    model = model.reshaped([2, 3])
    assert model.outputs[0].shape == (2, 3)


def test_outputs_are_the_callers_own(tmp_path: Path) -> None:
    compiled = irrun.model.build(square(tmp_path))
    first = compiled([np.ones((1, 3), np.float32)])[0]
    first[:] = 7
    np.testing.assert_array_equal(compiled([np.ones((1, 3), np.float32)])[0], np.ones((1, 3), np.float32))


def test_half_precision_is_rounded_at_every_layer(tmp_path: Path) -> None:
    ir = Writer("half")
    x = ir.parameter("x", F16, Shape([1]))
    (y,) = ir.layer("Multiply", "opset1", [x, x], [Fact(F16, Shape([1]))])
    ir.result(y)
    ir.save(tmp_path / "half.xml")
    got = irrun.model.build(tmp_path / "half.xml")([np.array([1.001], np.float16)])[0]
    assert got.dtype == np.float16
    assert got[0] == np.float16(np.float32(np.float16(1.001)) ** 2)


def test_integers_are_64_bits(tmp_path: Path) -> None:
    ir = Writer("big")
    x = ir.parameter("x", I64, Shape([1]))
    (y,) = ir.layer("Multiply", "opset1", [x, x], [Fact(I64, Shape([1]))])
    ir.result(y)
    ir.save(tmp_path / "big.xml")
    got = irrun.model.build(tmp_path / "big.xml")([np.array([3_037_000_499], np.int64)])[0]
    assert got[0] == 9_223_372_030_926_249_001


def test_weights_given_apart(tmp_path: Path) -> None:
    text = (DIGITS / "model.xml").read_bytes()
    (tmp_path / "model.xml").write_bytes(text)
    with pytest.raises(irrun.IRError, match="there is no weights file"):
        irrun.model.build(tmp_path / "model.xml")
    for weights in (DIGITS / "model.bin", (DIGITS / "model.bin").read_bytes()):
        compiled = irrun.model.build(irrun.model.load(tmp_path / "model.xml", weights))
        assert int(compiled(np.load(DIGITS / "three.npy"))[0].argmax()) == 3

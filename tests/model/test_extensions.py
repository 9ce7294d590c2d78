"""Models with operations of extensions: read, described, and refused with a reason at compilation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import irrun.model
from irrun.document.writer import Handle, Writer, WrittenBody
from irrun.inference.fold import fold
from irrun.model.summary import ExtensionUse, summarize
from irrun.ops import calling
from irrun.ops.available import operations_of
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32
from tests.linter.snippets import example


@pytest.fixture
def tokenizer(tmp_path: Path) -> Path:
    return example("sound_files", "Extension tokenizer").written(tmp_path)


CANNOT_RUN = (
    "which irrun cannot run; expected operations of opset1 to opset17, or those that --extension or add_extension names"
)
WHOLE = Fact(F32, Shape.parse("?,3"))


def start(ir: Writer) -> Handle:
    return ir.parameter("x", F32, WHOLE.shape)


def custom(ir: Writer, type: str, source: Handle) -> Handle:
    """Add a layer as OpenVINO writes an operation that is a Python class."""
    data = {"factor": "2", "mode": "fast", "axes": "1, 2", "flag": "true"}
    return ir.layer(type, "extension", [source], [WHOLE], data, name=f"{type}_1")[0]


def read(ir: Writer) -> irrun.model.Loaded:
    return irrun.model.load(ir.text.encode(), ir.weights)


def refused(model: irrun.model.Loaded) -> list[tuple[str, str, str, tuple[str, ...]]]:
    """Return the name of the layer, the code, the message and the notes of each reason."""
    with pytest.raises(irrun.IRError) as caught:
        irrun.model.build(model)
    found = caught.value.diagnostics
    return [(item.layer.name if item.layer else "", item.code, item.message, item.notes) for item in found]


def test_an_operation_that_is_a_class_in_python() -> None:
    ir = Writer("net")
    scaled = custom(ir, "MyScale", start(ir))
    ir.result(ir.layer("ReLU", "opset1", [scaled], [WHOLE])[0], "y")
    model = read(ir)
    assert model.diagnostics == ()
    assert [str(port.partial_shape) for port in model.outputs] == ["[?,3]"]
    what = f"MyScale of extension is an operation of a library, {CANNOT_RUN}"
    assert refused(model) == [("MyScale_1", "IR803", what, ())]


def test_the_first_of_several_stands_for_all() -> None:
    ir = Writer("net")
    moved = custom(ir, "MyScale", custom(ir, "SparseConv", start(ir)))
    ir.result(custom(ir, "MyShift", moved), "y")
    what = f"SparseConv is an operation of openvino_contrib, {CANNOT_RUN}"
    assert refused(read(ir)) == [
        ("SparseConv_1", "IR803", what, ("2 more layers are of extensions: MyScale, MyShift",))
    ]


def test_a_tokenizer_runs(tokenizer: Path) -> None:
    pytest.importorskip("regex", reason="regular expressions need the package regex")
    compiled = irrun.model.build(irrun.model.load(tokenizer))
    ids, mask = compiled(np.array(["b a", ""], object)).values()
    np.testing.assert_array_equal(ids[:, :4], [[1, 0, 0, 0], [0, 0, 0, 0]])
    np.testing.assert_array_equal(mask[:, :4], [[1, 1, 1, 0], [0, 0, 0, 0]])
    assert ids.shape == mask.shape == (2, 64)


def test_a_layer_that_no_result_depends_on_does_not_matter() -> None:
    ir = Writer("net")
    x = start(ir)
    ir.layer("ReLU", "opset1", [custom(ir, "MyScale", x)], [WHOLE])
    ir.result(ir.layer("ReLU", "opset1", [x], [WHOLE])[0], "y")
    (result,) = irrun.model.build(read(ir))(np.array([[-1, 0, 1]], np.float32)).values()
    np.testing.assert_array_equal(result, [[0, 0, 1]])


def test_an_error_elsewhere_does_not_hide_it() -> None:
    ir = Writer("net")
    scaled = custom(ir, "MyScale", start(ir))
    ir.result(ir.layer("Clamp", "opset1", [scaled], [WHOLE], {"min": "2", "max": "1"})[0], "y")
    found = [(name, code) for name, code, _, _ in refused(read(ir))]
    assert found == [("Clamp_2", "IR304"), ("MyScale_1", "IR803")]


def test_inside_a_body() -> None:
    ir = Writer("net")
    x = start(ir)
    body = ir.body()
    inner = custom(body, "MyScale", body.parameter("part", F32, WHOLE.shape))
    body.result(inner, "whole")
    ports = ([{"external_port_id": 0, "internal_layer_id": 0}], [{"external_port_id": 1, "internal_layer_id": 2}])
    made = ir.layer("TensorIterator", "opset1", [x], [WHOLE], bodies={"body": WrittenBody(body, *ports)})
    ir.result(made[0], "y")
    assert [(name, code) for name, code, _, _ in refused(read(ir))] == [("MyScale_1", "IR803")]


def test_types_in_another_case_run() -> None:
    ir = Writer("net")
    x = start(ir)
    (bent,) = ir.layer("Relu", "opset1", [x], [WHOLE])
    (scores,) = ir.layer("softmax", "opset8", [bent], [WHOLE], {"axis": "-1"})
    ir.result(scores, "y")
    (result,) = irrun.model.build(read(ir))(np.array([[-1, 0, 0]], np.float32)).values()
    np.testing.assert_allclose(result, [[1 / 3] * 3], rtol=1e-6)


def test_summary(tokenizer: Path) -> None:
    summary = summarize(irrun.model.load(tokenizer))
    assert summary.extensions == tuple(
        ExtensionUse(type, "extension", 1, "openvino_tokenizers", None)
        for type in ("RegexSplit", "WordpieceTokenizer", "RaggedToDense")
    )
    assert summary.libraries == {"openvino_tokenizers": "2026.4.1.0"}
    assert (summary.unknown, summary.openvino) == ((), "2024.4")
    assert summary.operations["RegexSplit", "extension"] == 1


def test_the_arithmetic_inside_is_not_counted(tmp_path: Path) -> None:
    path = example("wrong_output_dims", "Extension with a body").written(tmp_path)
    summary = summarize(irrun.model.load(path))
    assert (summary.flops.total, summary.flops.assumed, summary.flops.unknown) == (0, False, ())
    assert summary.libraries == {}


def test_the_operation_of_the_example_states_no_wrong_value() -> None:
    path = Path(__file__).resolve().parents[2] / "examples" / "extension" / "my_ops.py"
    shrink = operations_of([path]).resolve("SoftShrink", "extension")
    known = Fact.of(F32, np.array([2, -3], np.float32))
    (fact,) = calling.infer(shrink(lambd=0.5), [known])
    assert fact.value is None
    (folded,) = fold(shrink(lambd=0.5), [known], [fact])
    assert folded.value is not None
    assert folded.value.tolist() == [1.5, -2.5]

"""Declarations of outputs that OpenVINO and older writers use although they differ from the inferred ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from irrun.document.writer import Handle
from irrun.linter import lint
from irrun.tensor import ElementType
from irrun.tensor.element_type import F16, F32, I32, I64
from tests.linter.rules.support import told
from tests.nets import Net


def findings(net: Net, folder: Path, asked: Sequence[str] = ()) -> list[tuple[str, str, str]]:
    net.save(folder / "net.xml")
    return told(list(lint(folder / "net.xml", asked=asked)))


def suppressed(opset: int, batches: int, classes: int, limit: int, rows: str) -> Net:
    """Return a net with a selection of 10 boxes whose output is declared with ``rows`` rows."""
    net = Net()
    options = [net.constant(limit), net.constant(0.5), net.constant(0.0)]
    inputs = [net.parameter("b", f"{batches},10,4"), net.parameter("s", f"{batches},{classes},10"), *options]
    net.result(*net.layers("NonMaxSuppression", inputs, [(I64, f"{rows},3")], opset))
    return net


@pytest.mark.parametrize("opset", [1, 3])
@pytest.mark.parametrize(
    ("batches", "classes", "limit", "rows"),
    [
        (1, 1, 5, "5"),
        (2, 1, 5, "5"),
        (2, 1, 3, "6"),
        (1, 3, 4, "10"),
        (3, 2, 100, "10"),
        (2, 2, 1, "?"),
        (1, 2, 0, "0"),
    ],
)
def test_rows_by_the_page_and_by_model_optimizer(
    tmp_path: Path, opset: int, batches: int, classes: int, limit: int, rows: str
) -> None:
    net = suppressed(opset, batches, classes, limit, rows)
    assert findings(net, tmp_path) == []


@pytest.mark.parametrize("opset", [1, 3])
@pytest.mark.parametrize(
    ("batches", "classes", "limit", "rows", "expected"),
    [(2, 1, 3, "4", 3), (2, 3, 4, "20", 10), (3, 2, 100, "11", 10), (1, 1, 5, "6", 5), (2, 2, 1, "1", 2)],
)
def test_other_rows(
    tmp_path: Path, opset: int, batches: int, classes: int, limit: int, rows: str, expected: int
) -> None:
    net = suppressed(opset, batches, classes, limit, rows)
    message = f"output port 5 is declared [{rows},3], inferred [{expected},3]"
    assert findings(net, tmp_path) == [("IR401", "error", message)]


def pooled(kind: ElementType) -> tuple[Net, list[Handle]]:
    """Return a MaxPool with two outputs; the indices are declared as ``kind``."""
    net = Net()
    attributes = dict.fromkeys(("strides", "dilations", "kernel"), "1,1")
    pads = {"pads_begin": "0,0", "pads_end": "0,0", "index_element_type": "i64"}
    outputs = [(F32, "1,1,2,2"), (kind, "1,1,2,2")]
    return net, net.layers("MaxPool", [net.parameter("x", "1,1,2,2")], outputs, 8, **attributes, **pads)


@pytest.mark.parametrize(("kind", "precision"), [(F32, "FP32"), (F16, "FP16")])
def test_integers_that_nothing_reads_in_the_type_of_the_model(
    tmp_path: Path, kind: ElementType, precision: str
) -> None:
    net, (values, _) = pooled(kind)
    net.result(values)
    assert findings(net, tmp_path) == []
    message = f"output port 2 is declared {precision}, inferred I64"
    assert findings(net, tmp_path, ["IR403"]) == [("IR403", "info", message)]


@pytest.mark.parametrize("is_read", [False, True])
def test_integers_in_another_type(tmp_path: Path, is_read: bool) -> None:
    net, (values, indices) = pooled(F32 if is_read else I32)
    net.result(values, *([indices] if is_read else []))
    message = f"output port 2 is declared {'FP32' if is_read else 'I32'}, inferred I64"
    assert findings(net, tmp_path) == [("IR403", "error", message)]


def test_a_reduction_along_an_open_list_of_no_axes(tmp_path: Path) -> None:
    net = Net()
    net.result(net.layer("ReduceSum", [net.parameter("x", "2,3"), net.parameter("a", "0", I64)], "", keep_dims=False))
    assert findings(net, tmp_path) == []


@pytest.mark.parametrize(("declared", "count"), [("?,?", 0), ("1,2", 0), ("1,2,?", 0), ("1,3", 1), ("1,2,?,?", 1)])
def test_a_transposed_convolution_to_an_open_size(tmp_path: Path, declared: str, count: int) -> None:
    net = Net()
    data, kernel = net.parameter("x", "1,4,5"), net.constant(np.ones((4, 2, 3), np.float32))
    given = {"strides": "2", "dilations": "1", "pads_begin": "0", "pads_end": "0", "output_padding": "0"}
    inputs = [data, kernel, net.parameter("s", "1", I64)]
    net.result(net.layer("ConvolutionBackpropData", inputs, declared, **given, auto_pad="same_upper"))
    assert len(findings(net, tmp_path)) == count


@pytest.mark.parametrize(("shape", "count"), [("...", 0), ("?,?", 1), ("2,3", 1)])
def test_an_output_without_dims_behind_a_tensor_of_dynamic_rank(tmp_path: Path, shape: str, count: int) -> None:
    """OpenVINO leaves the rank of a Pad open where that of the data is, although the pads tell it."""
    net = Net()
    amounts = [net.constant(np.array([1, 1])), net.constant(np.array([0, 2]))]
    net.result(net.layer("Pad", [net.parameter("x", shape), *amounts], "", pad_mode="edge"))
    assert len(findings(net, tmp_path)) == count

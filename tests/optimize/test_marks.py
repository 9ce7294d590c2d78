"""Layers that a file marks as f32, computed in half precision elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import irrun.model
from irrun.document.info import entry_of
from irrun.document.records import InfoElement
from irrun.graph.marks import keeps_f32
from irrun.model import load
from irrun.surgery import convert
from tests.engines import TIERS, need
from tests.nets import Net

MARK = '<attribute name="DisablePrecisionConversion" version="0" value="{}" />'
PRECISE = '<attribute name="precise" version="0" />'
HELD = ("dynamic:f16", "dynamic:dynamic", "dynamic:bf16,f16", "f16:f32;dynamic:f16")


def entry(value: str) -> InfoElement:
    made = entry_of("DisablePrecisionConversion_0", value)
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("value", "precision", "held"),
    [
        *((value, precision, True) for value in HELD for precision in ("f16", "bf16")),
        ("f32:f16", "bf16", True),
        ("dynamic:bf16", "bf16", True),
        ("dynamic:bf16", "f16", False),
        ("f16:f32", "f16", False),
        ("f64:f16", "f16", False),
        ("", "f16", False),
        (";:,", "f16", False),
    ],
)
def test_marks(value: str, precision: str, held: bool) -> None:
    assert keeps_f32((entry(value),), precision) is held


def network(folder: Path, marks: dict[str, str]) -> Path:
    """Write a product, a convolution and a product of two tensors, with marks of layers by their names."""
    net = Net()
    weights = net.random.standard_normal((64, 64), dtype=np.float32)
    data = net.parameter("x", "1,16,64,64")
    first = net.layer(
        "MatMul", [data, net.constant(weights)], "1,16,64,64", name="first", transpose_a=False, transpose_b=False
    )
    kernel = net.random.standard_normal((16, 16, 1, 1), dtype=np.float32)
    second = net.convolution(net.layer("ReLU", [first], "1,16,64,64"), net.constant(kernel), "1,16,64,64")
    third = net.layer("MatMul", [second, data], "1,16,64,64", name="third", transpose_a=False, transpose_b=True)
    net.result(first)
    net.result(third)
    path = net.save(folder / "net.xml")
    text = path.read_text()
    for name, mark in marks.items():
        head = re.compile(rf'(<layer id="\d+" name="{name}" [^>]*>\s*<data [^>]*/>)')
        assert head.search(text) is not None, name
        text = head.sub(lambda found, mark=mark: f"{found[1]}<rt_info>{mark}</rt_info>", text)
    path.write_text(text)
    return path


def results(path: Path, precision: str, tier: str = "numpy") -> list[np.ndarray]:
    x = np.random.default_rng(1).standard_normal((1, 16, 64, 64), dtype=np.float32)
    # The sums of BLAS depend on the number of its threads, which other programs may change.
    config = {"INFERENCE_PRECISION_HINT": precision, "TIER": tier, "INFERENCE_NUM_THREADS": 1}
    compiled = irrun.model.build(path, config)
    return [np.asarray(array) for array in compiled({"x": x}).to_tuple()]


@pytest.mark.parametrize("precision", ["bf16", "f16"])
@pytest.mark.parametrize("mark", [MARK.format("dynamic:f16"), PRECISE], ids=["mark", "old mark"])
def test_a_marked_product_is_exact(tmp_path: Path, precision: str, mark: str) -> None:
    path = network(tmp_path, {"first": mark})
    for tier in TIERS:
        exact, rounded = results(path, "f32", tier), results(path, precision, tier)
        assert np.array_equal(exact[0], rounded[0])
        assert not np.array_equal(exact[1], rounded[1])


@pytest.mark.parametrize("precision", ["bf16", "f16"])
def test_all_marked(tmp_path: Path, precision: str) -> None:
    mark = MARK.format("dynamic:f16")
    names = [
        node.name for node in load(network(tmp_path, {})).graph.ordered() if node.type in ("MatMul", "Convolution")
    ]
    path = network(tmp_path, dict.fromkeys(names, mark))
    for exact, rounded in zip(results(path, "f32"), results(path, precision), strict=True):
        assert np.array_equal(exact, rounded)


def test_a_marked_activation_does_not_hold_a_product(tmp_path: Path) -> None:
    relu = next(node.name for node in load(network(tmp_path, {})).graph.ordered() if node.type == "ReLU")
    text = (tmp_path / "net.xml").read_text()
    text = text.replace(
        f'name="{relu}" type="ReLU" version="opset1">',
        f'name="{relu}" type="ReLU" version="opset1"><rt_info>{MARK.format("dynamic:f16")}</rt_info>',
    )
    (tmp_path / "net.xml").write_text(text)
    assert not np.array_equal(results(tmp_path / "net.xml", "f32")[0], results(tmp_path / "net.xml", "bf16")[0])


def test_errors_are_no_larger_than_those_of_openvino(tmp_path: Path) -> None:
    openvino = need("openvino")
    path = network(tmp_path, {"first": MARK.format("dynamic:f16"), "third": PRECISE})
    x = np.random.default_rng(1).standard_normal((1, 16, 64, 64), dtype=np.float32)
    core = openvino.Core()
    found = []
    for precision in ("f32", "bf16"):
        request = core.compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": precision})
        found.append(list(request([x]).values()))
    if all(map(np.array_equal, *found)):
        pytest.skip("OpenVINO computes in f32 on this processor, whatever precision is asked for")
    for exact, theirs, ours in zip(found[0], found[1], results(path, "bf16"), strict=True):
        assert np.abs(ours - exact).max() <= np.abs(theirs - exact).max() + 1e-3


def test_weights_of_marked_layers_stay(tmp_path: Path) -> None:
    model = convert(load(network(tmp_path, {"first": MARK.format("dynamic:f16")})), "f16")
    graph = model.graph
    stored = {
        graph.node(reader).name: graph.node(id).op.element_type.name  # type: ignore[union-attr]
        for id in graph
        if graph.node(id).type == "Const"
        for reader in graph.successors(id)
    }
    assert stored.pop("first") == "f32"
    assert set(stored.values()) == {"f16"}

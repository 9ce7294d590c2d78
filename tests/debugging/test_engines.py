"""OpenVINO as the other side: at once and in pieces, in bf16, and with faults of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import irrun.debugging.engines as engines
from irrun.debugging import DebugError, OpenVINOSide, compare_layers
from irrun.debugging.cases import of_sizes
from irrun.model import load
from tests.cases import f32
from tests.debugging.nets import ALL, written
from tests.engines import need
from tests.lab.planting.models import inputs_of
from tests.loops import loop_model
from tests.nets import Net

need("openvino")


@pytest.mark.sample(5)
@pytest.mark.parametrize("held", [1 << 24, 1])
@pytest.mark.parametrize("name", ALL)
def test_layers_agree_at_once_and_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, held: int
) -> None:
    """With a bound of one byte, each piece is one layer."""
    monkeypatch.setattr(engines, "_HELD", held)
    path = written(name, tmp_path)
    model = load(path)
    inputs = inputs_of(model)
    found = compare_layers(of_sizes(model, inputs), inputs, OpenVINOSide(path, inputs))
    assert found.first is None
    outputs = sum(
        len(model.facts.outlets(node.id))
        for node in model.graph.ordered()
        if node.type not in ("Parameter", "Const", "Result")
    )
    assert len(found.layers) == outputs
    for ours, theirs in zip(found.outputs, found.others, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("held", [1 << 24, 1])
def test_a_loop_is_one_layer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held: int) -> None:
    monkeypatch.setattr(engines, "_HELD", held)
    path = loop_model(tmp_path, 3, 100.0)
    inputs = {0: f32([[1, 2]])}
    found = compare_layers(load(path), inputs, OpenVINOSide(path, inputs))
    assert [item.type for item in found.layers if item.differs] == []
    assert "Loop" in {item.type for item in found.layers}


@pytest.mark.parametrize("held", [1 << 24, 1])
def test_tensors_in_bf16(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held: int) -> None:
    """Numbers are multiples of what bf16 holds: whether OpenVINO rounds in between depends on the processor."""
    monkeypatch.setattr(engines, "_HELD", held)
    net = Net()
    x = net.parameter("x", "1,4")
    narrow = net.layer("Convert", [x], name="narrow", destination_type="bf16")
    twice = net.layer("Add", [narrow, narrow], name="twice")
    net.result(net.layer("Convert", [twice], name="wide", destination_type="f32"))
    path = net.save(tmp_path / "net.xml")
    inputs = {0: f32([[1.5, -2.25, 294912, 0]])}
    found = compare_layers(load(path), inputs, OpenVINOSide(path, inputs))
    assert [(item.layer, item.differs) for item in found.layers] == [
        ("narrow", False),
        ("twice", False),
        ("wide", False),
    ]


def test_what_openvino_cannot_read(tmp_path: Path) -> None:
    path = tmp_path / "net.xml"
    path.write_text("<net/>")
    with pytest.raises(DebugError, match=r"OpenVINO cannot read .*net\.xml: "):
        OpenVINOSide(path, {}).outputs()

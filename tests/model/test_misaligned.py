"""Constants that begin at any byte of the weights file: none is copied when it is read, and all values are right."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import irrun.document.weights
import irrun.model
import irrun.tensor.packing
from irrun.graph import Outlet
from irrun.tensor.element_type import F16
from tests.engines import TIERS
from tests.nets import Net
from tests.runtime.decoder import Decoder, Session


@pytest.fixture(autouse=True)
def _whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Constants of any size stay as they are, in files that are mapped."""
    monkeypatch.setattr(irrun.tensor.packing, "LEFT", 1)
    monkeypatch.setattr(irrun.document.weights, "COPIED", 16)


def moved(path: Path) -> Path:
    """Put a byte before the weights of a model."""
    found = path.with_name("moved.xml")
    text = path.read_text(encoding="utf-8")
    found.write_text(re.sub(r'offset="(\d+)"', lambda at: f'offset="{int(at[1]) + 1}"', text), encoding="utf-8")
    found.with_suffix(".bin").write_bytes(b"\1" + path.with_suffix(".bin").read_bytes())
    return found


@pytest.mark.parametrize("weights", ["f32", "u4"])
@pytest.mark.parametrize("tier", TIERS)
def test_a_language_model(tmp_path: Path, tier: str, weights: str) -> None:
    path = Decoder(weights=weights, layers=1).save(tmp_path / "net.xml")
    one, other = (Session(irrun.model.build(each, {"TIER": tier})) for each in (path, moved(path)))
    for tokens in (5, 1, 1):
        np.testing.assert_array_equal(one.run(tokens), other.run(tokens))


@pytest.mark.parametrize("tier", TIERS)
def test_convolutions_and_halves(tmp_path: Path, tier: str) -> None:
    net = Net()
    x = net.parameter("x", "1,16,9,9")
    half = net.constant(np.random.default_rng(1).standard_normal((32, 16, 3, 3)).astype(np.float16), F16)
    widened = net.layer("Convert", [half], "32,16,3,3", destination_type="f32")
    shifted = net.layer("Add", [net.convolution(x, widened), net.normal(1, 32, 1, 1)], "1,32,7,7")
    net.result(net.convolution(shifted, net.normal(8, 32, 1, 1)))
    path = net.save(tmp_path / "net.xml")
    inputs = net.inputs()
    one, other = (irrun.model.build(each, {"TIER": tier})(inputs)[0] for each in (path, moved(path)))
    np.testing.assert_array_equal(one, other)


def test_nothing_is_copied_when_a_file_is_read(tmp_path: Path) -> None:
    net = Net()
    net.result(net.layer("MatMul", [net.parameter("x", "1,64"), net.normal(64, 64)], "1,64"))
    model = irrun.model.load(moved(net.save(tmp_path / "net.xml")))
    (found,) = [model.facts[Outlet(node.id, 0)].constant for node in model.graph.ordered() if node.type == "Const"]
    assert found is not None
    assert not found.flags.aligned
    assert np.shares_memory(found, model.weights.bytes)
    plan = model.plan(irrun.model.config.read_config({"TIER": "numpy"}).optimize)
    assert all(slot.flags.aligned for slot in plan.slots if slot is not None)

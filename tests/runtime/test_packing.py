"""The memory that packing weights takes."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

import irrun.model
from tests.nets import Net

pytest.importorskip("irrun_kernels", reason="compiled kernels are those of irrun-kernels")

from irrun.runtime.lower import lower
from irrun.runtime.packs import Packs


@pytest.mark.parametrize("kind", ["MatMul", "Convolution"])
def test_weights_of_one_group_are_packed_without_a_copy_in_between(kind: str, tmp_path: Path) -> None:
    """What is traced is all but the packed weights, which are mapped."""
    net = Net()
    if kind == "MatMul":
        weights = net.normal(1024, 1024)
        net.result(net.layer(kind, [net.parameter("x", "8,1024"), weights], "8,1024"))
    else:
        weights = net.normal(1024, 1024, 1, 1)
        sides = {"strides": "1,1", "dilations": "1,1", "pads_begin": "0,0", "pads_end": "0,0", "auto_pad": "explicit"}
        net.result(net.layer(kind, [net.parameter("x", "1,1024,3,3"), weights], "1,1024,3,3", **sides))
    net.save(tmp_path / "net.xml")
    plan = irrun.model.build(tmp_path / "net.xml", {"TIER": "numpy"}).plan
    lower(plan, Packs())
    packs = Packs()
    tracemalloc.start()
    try:
        program = lower(plan, packs)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    size = 4 * 1024 * 1024
    assert [pack.nbytes for pack in packs.values()] == [size]
    assert program.constants
    assert most < (0.5 if kind == "MatMul" else 1.5) * size

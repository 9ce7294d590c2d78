"""The graphs and programs of small networks are as they were; ``python -m tests.reporting.plans`` writes them again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from irrun.reporting.plans import running
from irrun.tensor.element_type import I64
from tests.nets import Net
from tests.runtime.test_tiers import products

pytest.importorskip("irrun_kernels", reason="programs are those of compiled kernels")

from tests.reporting.plans.nets import NETS
from tests.reporting.plans.texts import FOLDER, texts


@pytest.mark.parametrize("name", NETS)
def test_what_runs_is_as_it_was(name: str, tmp_path: Path) -> None:
    for kind, text in texts(name, tmp_path).items():
        assert text == (FOLDER / f"{name}.{kind}").read_text(encoding="utf-8"), f"{name}.{kind}"


def test_there_are_no_other_texts() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {f"{name}.{kind}" for name in NETS for kind in ("graph", "plan")}


def test_functions_of_functions_have_names(tmp_path: Path) -> None:
    """Each names the one before it twice: as one text, the last would have a thousand million parts."""
    net = Net()
    data = products(net, net.parameter("x", "?,24"), 2, "?,24")
    (size,) = net.layers("ShapeOf", [data], [(I64, "2")], 3, output_type="i64")
    first, two, three = (net.constant(np.array([number])) for number in (0, 2, 3))
    (size,) = net.layers("Gather", [size, first, net.constant(np.array(0))], [(I64, "1")], 8)
    for _ in range(30):
        parts = [net.layers(name, [size, by], [(I64, "1")])[0] for name, by in (("Divide", two), ("Mod", three))]
        (size,) = net.layers("Add", parts, [(I64, "1")])
    (shape,) = net.layers("Concat", [size, net.constant(np.array([24]))], [(I64, "2")], axis=0)
    wide = net.layer("Broadcast", [net.normal(1, 24), shape], "?,24", 3, mode="numpy")
    net.result(net.layer("Concat", [data, wide], "?,24", axis=0))
    text = running(net.compile(tmp_path, TIER="compiled")).text()
    assert len(text) < 20_000
    assert "\n  f0 = " in text

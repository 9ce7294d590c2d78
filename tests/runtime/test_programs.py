"""The choice of the program that computes a run: refusals, several threads, sizes that were seen first."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import irrun
from irrun.tensor.element_type import I64
from tests.nets import Net
from tests.runtime.accounts import counts
from tests.runtime.test_tiers import BETWEEN, both, layered, products

pytest.importorskip("irrun_kernels", reason="compiled kernels are those of irrun-kernels")

from irrun.runtime.instance import Instance
from irrun.runtime.lower import lower
from irrun.runtime.observers import Profiler
from irrun.runtime.packs import Packs
from irrun.runtime.request import Refused, Request
from irrun.runtime.view import Call

OTHER_SHAPES = "the program is for other shapes of inputs"


@pytest.fixture
def opened() -> Net:
    """Four products of a matrix with any number of rows."""
    net = Net()
    x = net.parameter("x", "?,24")
    net.result(products(net, x, 4, "?,24"))
    return net


def test_why_an_instance_refuses(opened: Net, tmp_path: Path) -> None:
    compiled = opened.compile(tmp_path, TIER="compiled")
    x = opened.inputs({"x": (5, 24)})["x"]
    instance = Instance(lower(compiled.plan, Packs(), Request([x])), 1)
    expected = compiled({"x": x})[0]
    np.testing.assert_array_equal(instance.run(Request([x]), 1)[0], expected)
    for array in (x.astype(np.float64), x[:, :23], x[0]):
        with pytest.raises(Refused, match=OTHER_SHAPES) as refused:
            instance.run(Request([array]), 1)
        assert (refused.value.late, refused.value.final) == (False, False)
    np.testing.assert_array_equal(instance.run(Request([x]), 1)[0], expected)


def test_why_numpy_computes_a_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("irrun.runtime.programs.threads", lambda: 16)
    small, single = Net(), Net()
    layered(small)
    single.result(single.layer("ReLU", [single.parameter("x", "?,24")], "?,24"))
    for net, config, reason in (
        (small, {"MAX_MEMORY": BETWEEN}, "its arrays need more memory than the budget"),
        (single, {}, "compiled kernels compute too few of its steps"),
    ):
        compiled = net.compile(tmp_path, TIER="compiled", **config)
        for rows in (3, 4):
            compiled(net.inputs({"x": (rows, 24)} if net is single else {}))
        assert counts(compiled) == (0, {reason: 2}, {}, 0, {})


def test_sixteen_threads_on_one_model(opened: Net, tmp_path: Path) -> None:
    """Threads of different sizes make programs, and put the one that fits first, at the same time."""
    plain, compiled = both(opened, tmp_path)
    inputs = [opened.inputs({"x": (rows, 24)}) for rows in (1, 2, 7, 33)]
    expected = [plain(given)[0] for given in inputs]
    faults: list[Any] = []
    start = threading.Barrier(16)

    def work(number: int) -> None:
        session = compiled.session()
        start.wait()
        for turn in range(12):
            case = (number + turn) % len(inputs)
            try:
                np.testing.assert_allclose(session.run(inputs[case])[0], expected[case], rtol=1e-4, atol=1e-5)
            except BaseException as fault:
                faults.append(fault)

    team = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in team:
        thread.start()
    for thread in team:
        thread.join()
    assert faults == []
    assert counts(compiled)[:3] == (16 * 12, {}, {})
    assert all(1 <= len(list(programs)) <= 8 for programs in compiled.executor.programs)


def test_observers_see_a_run_that_numpy_computes_to_see_sizes(tmp_path: Path) -> None:
    net = Net()
    data = products(net, net.parameter("x", "6,24"), 4)
    places = net.layers("NonZero", [data], [(I64, "2,?")], 3, output_type="i64")[0]
    net.result(net.layer("Convert", [places], "2,?", destination_type="f32"))
    compiled = net.compile(tmp_path, TIER="compiled")
    session, profiler = compiled.session(), Profiler()
    session.observers.append(profiler)
    for tier in ("numpy", "compiled"):
        session.run(net.inputs())
        assert compiled.executor.last == tier
    assert [len(timing.own) for timing in profiler.timings] == [2] * len(compiled.plan.steps)


def test_the_former_name_of_the_executor(tmp_path: Path) -> None:
    net = Net()
    layered(net)
    compiled = net.compile(tmp_path)
    with pytest.warns(DeprecationWarning, match="tiers is now called executor"):
        assert compiled.tiers is compiled.executor
    model = irrun.compile_model(tmp_path / "net.xml", "CPU")
    with pytest.warns(DeprecationWarning, match="tiers is now called executor"):
        assert model.tiers is model.executor


def test_a_convolution_from_plan_to_kernels_reads_few_files(tmp_path: Path) -> None:
    net = Net()
    x = net.parameter("x", "1,64,14,14")
    net.result(
        net.layer(
            "Convolution",
            [x, net.normal(64, 64, 1, 1)],
            "1,64,14,14",
            strides="1,1",
            dilations="1,1",
            pads_begin="0,0",
            pads_end="0,0",
        )
    )
    plan, packs = net.compile(tmp_path, TIER="compiled").plan, Packs()
    root = Path(irrun.__file__).parents[1]
    engine = [str(root / part) for part in ("irrun/runtime", "irrun/kernels", "kernels", "irrun/ops/_declared/fused")]
    called = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(tuple(engine)) and "<" not in code.co_name:
            called.add((code.co_filename, code.co_qualname))

    sys.setprofile(note)
    try:
        program = lower(plan, packs)
    finally:
        sys.setprofile(None)
    assert [str(call.kernel.name) for call in program.items if isinstance(call, Call)] == ["move", "product"]
    files = {file for file, _ in called}
    assert len(files) < 20
    assert len(called) < 100
    assert max(len(Path(file).read_text(encoding="utf-8").splitlines()) for file in files) < 400

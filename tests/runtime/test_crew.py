"""Crews of processes: they compute what one process does, and nobody notices what happens to one of them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irrun
from irrun.diagnostics import IRError
from irrun.document.writer import Handle
from irrun.kernels import threads as kernel_threads
from irrun.kernels.threads import set_threads, threads
from irrun.model.config import ConfigError
from irrun.runtime import Memory, Step, crews
from irrun.runtime.crew import is_possible
from irrun.runtime.observers import Profiler
from irrun.tensor import Array
from irrun.tensor.element_type import BOOLEAN, I64
from tests.optimize.nets import Net

pytestmark = pytest.mark.skipif(not is_possible(), reason="a crew takes fork, x86-64 and an interpreter with a lock")


@pytest.fixture(autouse=True, params=[2, 3])
def size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """So many processes, for every plan however small, also where they are slower."""
    monkeypatch.setattr(crews, "WORTH_A_CREW", 0)
    monkeypatch.setattr(crews, "TRIAL", 10**9)
    monkeypatch.setattr(crews, "SIZE_BY_PROCESSORS", False)
    monkeypatch.setattr(crews, "_LONG_TRIAL", 10**9)
    before = threads()
    set_threads(request.param)
    yield request.param
    set_threads(before)


SOLID = "1,40,4,38,38"


def images(net: Net) -> None:
    """Every way to convolve: points, tiles by rows and by matrices, shifts, windows; a residual, pooling."""
    x = net.parameter("x", "1,32,60,52")
    wide = _convolution(net, x, 32, 48, 1, "1,48,60,52")
    summed = net.layer("Add", [_convolution(net, wide, 48, 48, 3, "1,48,60,52"), wide], "1,48,60,52")
    strided = _convolution(net, summed, 48, 64, 3, "1,64,30,26", stride=2)
    tiles = _convolution(net, strided, 64, 64, 3, "1,64,30,26")
    small = _convolution(net, tiles, 64, 512, 1, "1,512,15,13", stride=2)
    shifts = _convolution(net, small, 512, 20, 3, "1,20,15,13")
    places: dict[str, Any] = {"kernel": "3,3", "strides": "2,2", "pads_begin": "1,1", "pads_end": "1,1"}
    pooled = net.layer("MaxPool", [shifts], "1,20,8,7", rounding_type="floor", **places)
    net.result(net.layer("Tanh", [pooled], "1,20,8,7"), strided)


def _convolution(net: Net, x: Handle, inputs: int, filters: int, size: int, shape: str, stride: int = 1) -> Handle:
    pad, step = f"{size // 2},{size // 2}", f"{stride},{stride}"
    places: dict[str, Any] = {"strides": step, "dilations": "1,1", "pads_begin": pad, "pads_end": pad}
    made = net.layer("Convolution", [x, net.normal(filters, inputs, size, size)], shape, **places)
    return net.layer("ReLU", [net.layer("Add", [made, net.normal(1, filters, 1, 1)], shape)], shape)


def products(net: Net) -> None:
    """A product, its square, and another product."""
    x = net.parameter("x", "40,300")
    made = net.layer("MatMul", [x, net.normal(300, 500)], "40,500")
    net.result(net.layer("MatMul", [net.layer("Sigmoid", [made], "40,500"), net.normal(500, 30)], "40,30"))


def words(net: Net) -> None:
    """Products whose results lie column by column, attention with two masks, normalization; a copy on the way."""
    x = net.parameter("x", "1,40,192")
    hidden = net.layer("Add", [x, _dense(net, x, 192, 192, "1,40,192")], "1,40,192")
    last = net.constant(np.array([-1]))
    for mask in (net.parameter("mask", "1,1,40,40"), _flags(net, "flags", "1,1,40,40")):
        shifted = net.layer(
            "MVN", [hidden, last], "1,40,192", 6, eps=1e-5, normalize_variance=True, eps_mode="inside_sqrt"
        )
        normal = net.layer("Multiply", [shifted, net.normal(192)], "1,40,192")
        query, key, value = (_heads(net, _dense(net, normal, 192, 192, "1,40,192")) for _ in range(3))
        seen = net.layer("ScaledDotProductAttention", [query, key, value, mask], "1,6,40,32", 13, causal=False)
        order = net.constant(np.array([0, 2, 1, 3]))
        joined = net.layer("Transpose", [seen, order], "1,40,6,32")
        flat = net.layer("Reshape", [joined, net.constant(np.array([1, 40, 192]))], "1,40,192", special_zero=False)
        hidden = net.layer("Add", [hidden, _dense(net, flat, 192, 192, "1,40,192")], "1,40,192")
        wide = net.layer("Gelu", [_dense(net, hidden, 192, 400, "1,40,400")], "1,40,400", 7, approximation_mode="ERF")
        hidden = net.layer("Add", [hidden, _dense(net, wide, 400, 192, "1,40,192")], "1,40,192")
    turned = net.layer("Transpose", [hidden, net.constant(np.array([0, 2, 1]))], "1,192,40")
    mixed = net.layer("Reshape", [turned, net.constant(np.array([1, 40, 192]))], "1,40,192", special_zero=False)
    net.result(_dense(net, mixed, 192, 200, "1,40,200"))


def _dense(net: Net, x: Handle, inputs: int, outputs: int, shape: str) -> Handle:
    weights = net.constant(net.random.standard_normal((inputs, outputs)) / inputs**0.5)
    return net.layer("Add", [net.layer("MatMul", [x, weights], shape), net.normal(outputs)], shape)


def _heads(net: Net, x: Handle) -> Handle:
    apart = net.layer("Reshape", [x, net.constant(np.array([1, 40, 6, 32]))], "1,40,6,32", special_zero=False)
    return net.layer("Transpose", [apart, net.constant(np.array([0, 2, 1, 3]))], "1,6,40,32")


def _flags(net: Net, name: str, shape: str) -> Handle:
    [made] = net.layers("Greater", [net.parameter(name, shape), net.constant(np.float32(0))], [(BOOLEAN, shape)])
    return made


def blocks(net: Net) -> None:
    """Channels that grow, filters of one channel each and of two, means of windows, neighbouring channels."""
    x = _convolution(net, net.parameter("x", "1,16,31,29"), 16, 64, 1, "1,64,31,29")
    for channels in (64, 96, 128):
        new = _convolution(net, x, channels, 32, 3, "1,32,31,29")
        x = net.layer("Concat", [x, new], f"1,{channels + 32},31,29", axis=1)
    places: dict[str, Any] = {"strides": "1,1", "dilations": "1,1", "pads_begin": "1,1", "pads_end": "1,1"}
    single = net.layer("GroupConvolution", [x, net.normal(160, 1, 1, 3, 3)], "1,160,31,29", **places)
    double = net.layer("GroupConvolution", [single, net.normal(160, 2, 1, 3, 3)], "1,320,31,29", **places)
    windows: dict[str, Any] = {"kernel": "3,3", "strides": "2,2", "pads_begin": "0,0", "pads_end": "0,0"}
    windows |= {"exclude-pad": True, "rounding_type": "floor"}
    pooled = net.layer("AvgPool", [double], "1,320,15,14", **windows)
    axes = net.constant(np.array([1]))
    near = net.layer("LRN", [pooled, axes], "1,320,15,14", alpha=1e-4, beta=0.75, bias=1.0, size=5)
    net.result(_convolution(net, near, 320, 24, 1, "1,24,15,14"))


def volumes(net: Net) -> None:
    """What has no faster way: every process computes it for itself."""
    places: dict[str, Any] = {"strides": "1,1,1", "dilations": "1,1,1", "pads_begin": "0,0,0", "pads_end": "0,0,0"}
    made = net.layer("Convolution", [net.parameter("x", "1,3,6,40,40"), net.normal(40, 3, 3, 3, 3)], SOLID, **places)
    net.result(net.layer("ReLU", [made], SOLID))


def picked(net: Net) -> None:
    """Elements of a product, at places that may not exist."""
    x, places = net.parameter("x", "40,300"), net.parameter("places", "1,500", I64)
    made = net.layer("MatMul", [x, net.normal(300, 500)], "40,500")
    net.result(net.layer("GatherElements", [made, places], "1,500", opset=6, axis=0))


def reshaped(net: Net) -> None:
    """A product in a shape that is not known beforehand."""
    x, sizes = net.parameter("x", "40,300"), net.parameter("sizes", "2", I64)
    made = net.layer("MatMul", [x, net.normal(300, 500)], "40,500")
    net.result(net.layer("Reshape", [made, sizes], "?,?", special_zero=False))


def compiled_with(build: Any, folder: Path, **config: Any) -> tuple[Net, irrun.CompiledModel, irrun.CompiledModel]:
    """The net, compiled for a crew and for one process."""
    net = Net()
    build(net)
    return net, net.compile(folder, **config), net.compile(folder, INFERENCE_PROCESSES=False)


def start(request: irrun.InferRequest, inputs: Any, compiled: irrun.CompiledModel, size: int) -> None:
    """Runs until there is a crew: a busy machine may need more than one try."""
    for _ in range(100):
        request.infer(inputs)
        if processes(compiled) == size:
            return
    pytest.fail("there is no crew after 100 runs")


def processes(compiled: irrun.CompiledModel) -> int:
    assert compiled.crews is not None
    return compiled.crews.processes


def close(got: Sequence[Array], expected: Sequence[Array]) -> bool:
    return all(
        np.allclose(a, b, rtol=1e-4, atol=1e-5 * float(np.abs(b).max())) for a, b in zip(got, expected, strict=True)
    )


def others() -> list[int]:
    """The processes that this one has made and that live."""
    return [
        int(process)
        for listing in Path("/proc/self/task").glob("*/children")
        for process in listing.read_text().split()
        if Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    ]


@pytest.mark.parametrize("build", [images, products, words, blocks, volumes])
def test_a_crew_computes_what_one_process_does(build: Any, tmp_path: Path, size: int) -> None:
    net, compiled, alone = compiled_with(build, tmp_path)
    request = compiled.create_infer_request()
    for run in range(crews.RUNS_ALONE):
        inputs = net.inputs()
        assert close(request.infer(inputs).to_tuple(), alone(inputs).to_tuple()), run
        assert processes(compiled) == 1
    start(request, net.inputs(), compiled, size)
    for run in range(6):
        inputs = net.inputs()
        assert close(request.infer(inputs).to_tuple(), alone(inputs).to_tuple()), run
    assert processes(compiled) == size


@pytest.mark.parametrize(
    ("build", "called"),
    [
        (images, ["FusedConvolution", "FusedConvolution", "FusedElementwise"]),
        (words, ["FusedAttention", "FusedMatMul"]),
        (blocks, ["FusedConvolution", "FusedConvolution"]),
    ],
)
def test_kernels_are_remembered(build: Any, called: list[str], tmp_path: Path, size: int) -> None:
    """All but those that make a result, a copy of an input or a mask, before they share their work."""
    net, compiled, _ = compiled_with(build, tmp_path)
    request = compiled.create_infer_request()
    start(request, net.inputs(), compiled, size)
    request.infer(net.inputs())
    assert compiled.crews is not None
    [candidate] = compiled.crews._candidates.values()
    assert candidate._crew is not None
    routines = candidate._crew._partner._routines
    types = [step.node.type for step in compiled.plan.steps if "memory" in step.asks]
    assert [types[number - 1] for number, routine in sorted(routines.items()) if routine is None] == called


@pytest.mark.parametrize("build", [images, words, blocks])
def test_a_crew_takes_no_memory_of_a_thread(
    build: Any, tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another thread may have the crew the next time, while this one uses its own."""
    net, compiled, _ = compiled_with(build, tmp_path)
    request = compiled.create_infer_request()
    start(request, net.inputs(), compiled, size)
    monkeypatch.setattr(kernel_threads._LOCAL, "buffers", {})
    for _ in range(3):
        request.infer(net.inputs())
    assert kernel_threads._LOCAL.buffers == {}
    assert processes(compiled) == size


def test_any_thread_may_have_the_crew(tmp_path: Path, size: int) -> None:
    net, compiled, alone = compiled_with(images, tmp_path)
    start(compiled.create_infer_request(), net.inputs(), compiled, size)
    given = [net.inputs() for _ in range(3)]
    wanted = [alone(inputs).to_tuple() for inputs in given]

    def is_right(number: int) -> bool:
        request = compiled.create_infer_request()
        return close(request.infer(given[number % 3]).to_tuple(), wanted[number % 3])

    with ThreadPoolExecutor(2) as pool:
        others = [pool.submit(is_right, number) for number in range(60)]
        assert all(is_right(number) for number in range(30))
        assert all(other.result() for other in others)


def test_results_are_the_callers_own(tmp_path: Path) -> None:
    net, compiled, alone = compiled_with(images, tmp_path)
    request = compiled.create_infer_request()
    given = [net.inputs() for _ in range(9)]
    kept = [request.infer(inputs).to_tuple() for inputs in given]
    for result in kept[-1]:
        result.fill(7)
    for inputs, results in zip(given[:-1], kept[:-1], strict=True):
        assert close(results, alone(inputs).to_tuple())
    assert all((result == 7).all() for result in kept[-1])


def test_a_process_that_ends_is_not_missed(tmp_path: Path, size: int) -> None:
    net, compiled, alone = compiled_with(products, tmp_path)
    request, inputs = compiled.create_infer_request(), net.inputs()
    before = set(others())
    start(request, inputs, compiled, size)
    os.kill((set(others()) - before).pop(), signal.SIGKILL)
    for _ in range(3):
        assert close(request.infer(inputs).to_tuple(), alone(inputs).to_tuple())
    start(request, inputs, compiled, size)


def test_an_error_is_that_of_one_process(tmp_path: Path, size: int) -> None:
    net, compiled, alone = compiled_with(picked, tmp_path)
    request = compiled.create_infer_request()
    good = {"x": net.inputs()["x"], "places": np.full((1, 500), 39)}
    start(request, good, compiled, size)
    bad = good | {"places": np.full((1, 500), 40)}
    with pytest.raises(IRError) as wanted:
        alone(bad)
    with pytest.raises(IRError) as got:
        request.infer(bad)
    assert str(got.value) == str(wanted.value)
    assert close(request.infer(good).to_tuple(), alone(good).to_tuple())


def test_several_threads_may_run_one_model(tmp_path: Path) -> None:
    net, compiled, alone = compiled_with(products, tmp_path)
    given = [net.inputs() for _ in range(4)]
    wanted = [alone(inputs).to_tuple() for inputs in given]
    wrong: list[int] = []

    def several(number: int) -> None:
        request = compiled.create_infer_request()
        for _ in range(10):
            if not close(request.infer(given[number]).to_tuple(), wanted[number]):
                wrong.append(number)

    workers = [threading.Thread(target=several, args=(number,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


def test_a_copy_of_the_process_runs_by_itself(tmp_path: Path, size: int) -> None:
    net, compiled, alone = compiled_with(products, tmp_path)
    request, inputs = compiled.create_infer_request(), net.inputs()
    start(request, inputs, compiled, size)
    wanted = alone(inputs).to_tuple()
    context = multiprocessing.get_context("fork")
    copy = context.Process(target=lambda: os._exit(0 if close(request.infer(inputs).to_tuple(), wanted) else 1))
    copy.start()
    copy.join(20)
    assert copy.exitcode == 0
    assert close(request.infer(inputs).to_tuple(), wanted)
    assert processes(compiled) == size


def test_the_processes_end_with_the_model(tmp_path: Path, size: int) -> None:
    net, compiled, _ = compiled_with(products, tmp_path)
    before = set(others())
    request = compiled.create_infer_request()
    start(request, net.inputs(), compiled, size)
    assert len(set(others()) - before) == size - 1
    assert compiled.crews is not None
    compiled.crews.end()
    assert set(others()) == before
    assert processes(compiled) == 1


@pytest.mark.parametrize("way", ["os._exit(0)", "os.kill(os.getpid(), 9)", "sys.exit(0)"])
def test_the_processes_end_with_the_one_that_made_them(way: str, tmp_path: Path, size: int) -> None:
    net, *_ = compiled_with(products, tmp_path)
    np.save(tmp_path / "x.npy", net.inputs()["x"])
    script = f"""
        import os, sys, numpy, irrun
        from pathlib import Path
        from irrun.runtime import crews
        crews.WORTH_A_CREW, crews.SIZE_BY_PROCESSORS = 0, False
        compiled = irrun.compile_model({str(tmp_path / "net.xml")!r}, {{"INFERENCE_NUM_THREADS": {size}}})
        for _ in range(4):
            compiled(numpy.load({str(tmp_path / "x.npy")!r}))
        print(*(text for item in Path("/proc/self/task").glob("*/children") for text in item.read_text().split()))
        sys.stdout.flush()
        {way}
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=60, check=False
    )
    made = [int(process) for process in done.stdout.split()]
    assert len(made) == size - 1, done.stderr
    ends = time.monotonic() + 10
    while any(Path(f"/proc/{process}").exists() for process in made) and time.monotonic() < ends:
        time.sleep(0.05)
    assert not [process for process in made if Path(f"/proc/{process}").exists()]


def test_what_is_left_to_chance_is_not_shared(tmp_path: Path) -> None:
    def chance(net: Net) -> None:
        x = net.parameter("x", "40,300")
        made = net.layer("MatMul", [x, net.normal(300, 500)], "40,500")
        bounds = [net.constant(np.array([40, 500])), net.constant(0.0), net.constant(1.0)]
        drawn = net.layer("RandomUniform", bounds, "40,500", opset=8, output_type="f32", global_seed=0, op_seed=0)
        net.result(net.layer("Add", [made, drawn], "40,500"))

    net, compiled, _ = compiled_with(chance, tmp_path)
    inputs = net.inputs()
    for _ in range(5):
        compiled(inputs)
    assert processes(compiled) == 1


def test_sizes_that_depend_on_values_are_not_shared(tmp_path: Path) -> None:
    net, compiled, alone = compiled_with(reshaped, tmp_path)
    request, x = compiled.create_infer_request(), net.inputs()["x"]
    for sizes in ([100, 200], [500, 40], [40, 500], [200, 100], [1, 20000]):
        inputs = {"x": x, "sizes": np.array(sizes)}
        assert close(request.infer(inputs).to_tuple(), alone(inputs).to_tuple())
    assert processes(compiled) == 1


def test_a_process_that_stands_still_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(crews, "_PATIENCE", 0.3)
    net, compiled, alone = compiled_with(products, tmp_path)
    request, inputs = compiled.create_infer_request(), net.inputs()
    before = set(others())
    start(request, inputs, compiled, size)
    os.kill((set(others()) - before).pop(), signal.SIGSTOP)
    assert close(request.infer(inputs).to_tuple(), alone(inputs).to_tuple())
    assert processes(compiled) == 1


def test_a_copy_of_the_process_keeps_the_results_it_has(tmp_path: Path, size: int) -> None:
    net, compiled, _ = compiled_with(products, tmp_path)
    request = compiled.create_infer_request()
    start(request, net.inputs(), compiled, size)
    kept = request.infer(net.inputs()).to_tuple()
    before = [result.copy() for result in kept]
    context = multiprocessing.get_context("fork")
    go = context.Event()

    def look(results: Sequence[Array]) -> None:
        go.wait(20)
        os._exit(0 if all(np.array_equal(a, b) for a, b in zip(results, before, strict=True)) else 1)

    copy = context.Process(target=look, args=(kept,))
    copy.start()
    del kept
    for _ in range(5):
        request.infer(net.inputs())
    go.set()
    copy.join(20)
    assert copy.exitcode == 0


def test_an_observer_may_keep_what_it_sees(tmp_path: Path, size: int) -> None:
    class Keeper:
        def __init__(self) -> None:
            self.seen: list[tuple[Array, Array]] = []

        def before(self, _step: Step, _inputs: Sequence[Array | None]) -> None: ...

        def after(self, _step: Step, outputs: Sequence[Array]) -> None:
            self.seen += [(output, output.copy()) for output in outputs]

    net, compiled, _ = compiled_with(images, tmp_path)
    request, keeper = compiled.create_infer_request(), Keeper()
    start(request, net.inputs(), compiled, size)
    request.observers.append(keeper)
    for _ in range(3):
        request.infer(net.inputs())
    assert len(keeper.seen) == 3 * sum(len(step.outputs) for step in compiled.plan.steps)
    assert all(np.array_equal(kept, copy) for kept, copy in keeper.seen)
    request.observers[:] = [profiler := Profiler()]
    request.infer(net.inputs())
    assert len(profiler.timings) == len(compiled.plan.steps)
    assert processes(compiled) == size


def test_a_crew_makes_room_when_it_has_nothing_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(crews, "_MOST_CREWS", 1)
    net, first, alone = compiled_with(products, tmp_path)
    second, inputs = net.compile(tmp_path), net.inputs()
    start(first.create_infer_request(), inputs, first, size)
    for _ in range(4):
        second(inputs)
    assert (processes(first), processes(second)) == (size, 1)
    monkeypatch.setattr(crews, "_IDLE", 0.0)
    assert close(second(inputs).to_tuple(), alone(inputs).to_tuple())
    assert (processes(first), processes(second)) == (1, size)


def test_what_is_faster_alone_is_not_shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(crews, "TRIAL", 3)
    net, compiled, _ = compiled_with(products, tmp_path)
    request, inputs = compiled.create_infer_request(), net.inputs()
    assert compiled.crews is not None
    for _ in range(crews.RUNS_ALONE):
        compiled.crews.took(compiled.plan, 1e-9, Memory())
    request.infer(inputs)
    assert processes(compiled) == size
    for _ in range(3):
        request.infer(inputs)
    assert processes(compiled) == 1


def test_the_setting_forbids_it(tmp_path: Path) -> None:
    net, _, alone = compiled_with(products, tmp_path)
    assert alone.crews is None
    with pytest.raises(ConfigError, match="INFERENCE_PROCESSES is 3, expected True or False"):
        net.compile(tmp_path, INFERENCE_PROCESSES=3)

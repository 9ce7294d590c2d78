"""Without a thread, without memory, or with kernels that cannot be used, models run on what there is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.jobs.threads import Several
from irrun.runtime.executor import HOT
from irrun.runtime.tiers import has_kernels
from tests.nets import Net
from tests.runtime.test_tiers import layered, needs_kernels, products

DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "model.xml"


def refused(*_: Any, **__: Any) -> Any:
    raise RuntimeError("can't start new thread")


@pytest.fixture
def without_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading.Thread, "start", refused)


@pytest.mark.usefixtures("without_threads")
@pytest.mark.parametrize("tier", ["auto", "compiled"])
def test_the_calling_thread_runs_a_model_alone(tmp_path: Path, tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if has_kernels():
        monkeypatch.setattr("irrun.runtime.workers._POOL", [])
    net = Net()
    layered(net, 200)
    expected, compiled = net.compile(tmp_path, TIER="numpy"), net.compile(tmp_path, TIER=tier)
    inputs = net.inputs()
    for _ in range(HOT + 3):
        np.testing.assert_allclose(compiled(inputs)[0], expected(inputs)[0], rtol=1e-4, atol=1e-6)
    assert compiled.executor.last == ("compiled" if has_kernels() else "numpy")


@needs_kernels
def test_fewer_workers_than_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    from irrun.runtime import workers

    class Worker:
        def __init__(self, _mailbox: int, number: int, _rest: object) -> None:
            if number > 2:
                refused()

    monkeypatch.setattr(workers, "Worker", Worker)
    pool = workers.Workers()
    assert [pool._begin(count) for count in (1, 2, 3, 4, 8)] == [1, 2, 3, 3, 3]


@pytest.mark.usefixtures("without_threads")
def test_items_are_done_by_the_calling_thread() -> None:
    assert list(Several(lambda item: item * 2, 3)(range(20))) == list(range(0, 40, 2))


def test_items_are_done_by_the_threads_that_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    start, started = threading.Thread.start, []

    def scarce(self: threading.Thread) -> None:
        if len(started) == 2:
            refused()
        start(self)
        started.append(self)

    monkeypatch.setattr(threading.Thread, "start", scarce)
    found = list(Several(lambda item: (item, threading.current_thread().name), 5)(range(50)))
    assert [item for item, _ in found] == list(range(50))
    assert {name for _, name in found} <= {"irrun-request_0", "irrun-request_1"}


def test_an_item_that_fails_ends_the_others() -> None:
    done: list[int] = []

    def work(item: int) -> int:
        if item == 3:
            raise ValueError("three")
        time.sleep(0.001)
        done.append(item)
        return item

    before = set(threading.enumerate())
    with pytest.raises(ValueError, match="three"):
        list(Several(work, 2)(range(100)))
    assert len(done) < 20
    begun = set(threading.enumerate()) - before
    assert not [thread for thread in begun if thread.name.startswith("irrun-request")]


@needs_kernels
@pytest.mark.parametrize("tier", ["auto", "compiled"])
def test_a_plan_that_there_is_no_memory_to_lower(tmp_path: Path, tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def lower(*_: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr("irrun.runtime.programs.lower", lower)
    net = Net()
    layered(net)
    inputs = net.inputs()
    expected = net.compile(tmp_path, TIER="numpy")(inputs)[0]
    compiled = net.compile(tmp_path, TIER=tier)
    for _ in range(HOT + 2):
        np.testing.assert_array_equal(compiled(inputs)[0], expected)
    assert compiled.executor.last == "numpy"


@needs_kernels
@pytest.mark.bails_out("there is no memory for the arrays of the program")
def test_a_run_for_which_there_is_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    net = Net()
    net.result(products(net, net.parameter("x", "?,24"), 4, "?,24"))
    expected, compiled = net.compile(tmp_path, TIER="numpy"), net.compile(tmp_path, TIER="compiled")

    def compare(rows: int) -> str:
        inputs = net.inputs({"x": (rows, 24)})
        np.testing.assert_allclose(compiled(inputs)[0], expected(inputs)[0], rtol=1e-4, atol=1e-5)
        return compiled.executor.last

    def refuse(*_: Any) -> Any:
        raise MemoryError

    assert [compare(rows) for rows in (3, 7)] == ["compiled", "compiled"]
    with monkeypatch.context() as patch:
        patch.setattr("irrun.runtime.instance.place", refuse)
        assert [compare(rows) for rows in (700, 5, 800)] == ["numpy", "compiled", "numpy"]
    assert [compare(rows) for rows in (700, 5, 800)] == ["compiled"] * 3


CUT: dict[str, Callable[[bytes], bytes]] = {
    "library": lambda _: b"no library",
    "half": lambda data: data[: len(data) // 2],
    "empty": lambda _: b"",
    "bytes": lambda data: data[:-1] + bytes([data[-1] ^ 1]),
}


@needs_kernels
@pytest.mark.parametrize("fault", ["level", "version", "sources", "package", "processor", *CUT])
def test_bench_with_kernels_that_cannot_be_used(tmp_path: Path, fault: str) -> None:
    import irrun_kernels
    from irrun_kernels.host import LEVEL
    from irrun_kernels.library import SUFFIX

    package = tmp_path / "irrun_kernels"
    shutil.copytree(Path(irrun_kernels.__file__).parent, package)
    library = package / "libraries" / f"{LEVEL.name}{SUFFIX}"
    if fault == "version":
        (package / "__init__.py").write_text('__version__ = "0.0.1"')
    elif fault == "sources":
        (package / "rows.py").write_text("")
    elif fault == "package":
        (package / "processor.py").write_bytes((package / "processor.py").read_bytes()[:1500])
    elif fault == "processor":
        broken = package / "libraries" / f"processor{SUFFIX}"
        broken.write_bytes(broken.read_bytes()[:5000])
    elif fault in CUT:
        library.write_bytes(CUT[fault](library.read_bytes()))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])}
    environment["IRRUN_LEVEL"] = "x86-65" if fault == "level" else LEVEL.name
    run = [sys.executable, "-m", "irrun", "bench", str(DIGITS), "--niter", "3"]
    result = subprocess.run(run, capture_output=True, text=True, env=environment, check=False)
    assert result.returncode == 0, result.stderr
    said = [line for line in result.stderr.splitlines() if "OPENBLAS" not in line]
    assert len(said) == 1
    assert said[0].startswith("warning: compiled kernels cannot be used, and models run on NumPy: ")
    reason = {
        "level": "IRRUN_LEVEL is x86-65, expected ",
        "version": "irrun-kernels has version 0.0.1, expected ",
        "library": f"the library {LEVEL.name} of kernels cannot be loaded: it has 10 bytes, expected ",
        "half": f"the library {LEVEL.name} of kernels cannot be loaded: it has ",
        "empty": f"the library {LEVEL.name} of kernels cannot be loaded: it has 0 bytes, expected ",
        "bytes": f"the library {LEVEL.name} of kernels cannot be loaded: its bytes were changed; install irrun-kernels",
        "sources": "the Python files of irrun_kernels are not those that it was built from; install irrun-kernels",
        "package": "irrun-kernels is damaged (",
        "processor": "the library processor of kernels cannot be loaded: it has 5000 bytes, expected ",
    }[fault]
    assert reason in said[0]
    assert reason.split()[0] in result.stdout

"""Without a thread, without memory, or with a Numba that cannot be used, models run on what there is."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.jobs.threads import Several
from irrun.runtime import tiers
from irrun.runtime.tiers import HOT, can_compile
from tests.optimize.nets import Net
from tests.runtime.test_tiers import layered, needs_numba

DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "model.xml"


def refused(*_: Any, **__: Any) -> Any:
    raise RuntimeError("can't start new thread")


@pytest.fixture
def without_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading.Thread, "start", refused)


@pytest.fixture
def unspoilt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget afterwards that kernels could not be compiled."""
    monkeypatch.setattr(tiers, "_FAILURES", [])


@pytest.mark.usefixtures("without_threads")
@pytest.mark.parametrize("tier", ["auto", "compiled"])
def test_the_calling_thread_runs_a_model_alone(tmp_path: Path, tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if can_compile():
        monkeypatch.setattr("irrun.runtime.workers._POOL", [])
    net = Net()
    layered(net, 200)
    expected, compiled = net.compile(tmp_path, TIER="numpy"), net.compile(tmp_path, TIER=tier)
    inputs = net.inputs()
    for _ in range(HOT + 3):
        np.testing.assert_allclose(compiled(inputs)[0], expected(inputs)[0], rtol=1e-4, atol=1e-6)
    assert compiled.tiers.last == ("compiled" if tier == "compiled" and can_compile() else "numpy")


@needs_numba
def test_fewer_workers_than_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    from irrun.runtime import workers

    class Worker:
        def __init__(self, _mailbox: int, number: int) -> None:
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

    with pytest.raises(ValueError, match="three"):
        list(Several(work, 2)(range(100)))
    assert len(done) < 20
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("irrun-request")]


@needs_numba
@pytest.mark.usefixtures("unspoilt")
@pytest.mark.parametrize("tier", ["auto", "compiled"])
@pytest.mark.parametrize("error", [ImportError("no llvmlite"), RuntimeError("disabled\nwith details"), MemoryError()])
def test_kernels_that_cannot_be_compiled(
    tmp_path: Path, tier: str, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lower(*_: Any) -> Any:
        raise error

    monkeypatch.setattr("irrun.runtime.program.lower", lower)
    net = Net()
    layered(net)
    inputs = net.inputs()
    expected = net.compile(tmp_path, TIER="numpy")(inputs)[0]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for _ in range(3):
            compiled = net.compile(tmp_path, TIER=tier)
            for _ in range(HOT + 2):
                np.testing.assert_array_equal(compiled(inputs)[0], expected)
            compiled.prepare()
            assert compiled.tiers.last == "numpy"
    if isinstance(error, MemoryError):
        assert (said, tiers.failure(), can_compile()) == ([], None, True)
        return
    reason = f"{type(error).__name__}: {str(error).splitlines()[0]}"
    assert [str(item.message) for item in said] == [
        f"compiled kernels cannot be used, and models run on NumPy: {reason}; "
        "pip install '.[jit]' installs what they need"
    ]
    assert (tiers.failure(), can_compile()) == (reason, False)


def command(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run irrun with the modules of a folder before others, and an empty cache of kernels."""
    path = os.pathsep.join([str(folder), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONPATH": path, "IRRUN_CACHE_DIR": str(folder / "cache"), **more}
    run = [sys.executable, "-m", "irrun", *arguments]
    return subprocess.run(run, capture_output=True, text=True, env=environment, check=False)


@needs_numba
@pytest.mark.parametrize("module", ["numba", "llvmlite", "platformdirs", ""])
def test_bench_with_a_numba_that_cannot_be_used(tmp_path: Path, module: str) -> None:
    if module:
        (tmp_path / f"{module}.py").write_text("raise ImportError('this one is broken')\n")
    disabled = {} if module else {"NUMBA_DISABLE_JIT": "1"}
    result = command(tmp_path, "bench", str(DIGITS), "--niter", "3", **disabled)
    assert result.returncode == 0, result.stderr
    said = [line for line in result.stderr.splitlines() if "OPENBLAS" not in line]
    assert len(said) == 1
    assert said[0].startswith("warning: compiled kernels cannot be used, and models run on NumPy: ")
    assert "tier   NumPy; compiled kernels cannot be used" in result.stdout

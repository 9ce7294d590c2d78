"""Interrupts at random points while a model is read, packed, compiled and first run: nothing is wrong afterwards."""

from __future__ import annotations

import gc
import random
import signal
from pathlib import Path

import numpy as np
import pytest

import irrun.document.weights
import irrun.model
import irrun.runtime.workers
from irrun.runtime.tiers import has_kernels
from irrun.tensor import Array
from tests.nets import Net
from tests.processes import WITH_ENTERS_AND_LEAVES, handle_on_the_usual_stack, interrupted

SIZE = 192
TIMES = 25
X = np.random.default_rng(3).standard_normal((3, SIZE), dtype=np.float32)


def model(folder: Path, rows: str) -> Path:
    net = Net()
    x = net.layer("MatMul", [net.parameter("x", f"{rows},{SIZE}"), net.normal(SIZE, SIZE)])
    net.result(net.layer("MatMul", [net.layer("ReLU", [x]), net.normal(SIZE, SIZE)], transpose_b=True))
    return net.save(folder / "net.xml")


@pytest.mark.skipif(not has_kernels(), reason="compiled kernels are those of irrun-kernels")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("rows", ["3", "?"])
def test_interrupts(tmp_path: Path, rows: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupted act is done again by the same objects, as far as there are any, and with the same cache."""
    monkeypatch.setattr(irrun.document.weights, "COPIED", 16)
    path = model(tmp_path, rows)
    config = {"TIER": "compiled", "CACHE_DIR": tmp_path / "cache"}
    expected = irrun.model.build(path, {"TIER": "compiled"})(X)[0]
    chosen = random.Random(46)

    def run(compiled: irrun.model.Compiled) -> Array:
        return compiled(X)[0]

    made: list[irrun.model.Compiled] = []

    def whole() -> None:
        made.append(irrun.model.build(irrun.model.load(path), config))
        run(made[-1])

    events = interrupted(whole, -1)
    for _ in range(TIMES):
        for file in (tmp_path / "cache").glob("*" if chosen.random() < 0.5 else "none"):
            file.unlink()
        made.clear()
        event = chosen.randint(1, events)
        interrupted(whole, event)
        assert gc.isenabled(), event
        for compiled in (*made, irrun.model.build(path, config)):
            np.testing.assert_array_equal(run(compiled), expected, str(event))
            assert compiled.executor.last == "compiled", event
        assert {file.suffix for file in (tmp_path / "cache").iterdir()} == {".packed"}, event


@WITH_ENTERS_AND_LEAVES
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timer of signals")
@pytest.mark.skipif(not has_kernels(), reason="compiled kernels are those of irrun-kernels")
def test_an_interrupt_leaves_the_workers_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise later runs would be on one thread."""
    for name in ("lead", "settle", "walk_alone"):
        monkeypatch.setattr(irrun.runtime.workers, name, lambda *_: None)
    workers = irrun.runtime.workers.Workers()
    monkeypatch.setattr(workers, "_begin", lambda count: count)
    chosen = random.Random(5)

    def interrupt(*_: object) -> None:
        raise InterruptedError

    handle_on_the_usual_stack()
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for _ in range(300):
            with pytest.raises(InterruptedError):  # noqa: PT012
                signal.setitimer(signal.ITIMER_REAL, chosen.uniform(5e-6, 60e-6))
                while True:
                    workers.walk(0, 0, 0, 0, 0, 2, None)
            assert not workers._lock.locked()
    finally:
        signal.signal(signal.SIGALRM, before)

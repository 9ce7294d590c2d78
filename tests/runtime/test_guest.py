"""Inference is a good guest of the program that it runs in: threads, forks, warnings, processors."""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from irrun.kernels import threads
from irrun.kernels.locks import Lock
from tests.nets import Net
from tests.runtime.test_tiers import both, layered

pytest.importorskip("irrun_kernels", reason="compiled kernels are those of irrun-kernels")

from irrun.runtime.workers import Worker, Workers, workers

ROOT = Path(__file__).resolve().parents[2]

MANY: Final = 300
"""Channels whose convolution is worth several threads."""


@pytest.fixture(params=[2, 3])
def team(request: pytest.FixtureRequest) -> Iterator[int]:
    """A number of threads, for this test only."""
    before = threads.threads()
    threads.set_threads(request.param)
    yield request.param
    threads.set_threads(before)


def close(left: np.ndarray, right: np.ndarray) -> bool:
    return np.allclose(left, right, rtol=1e-4, atol=1e-6)


def names() -> set[str]:
    return {thread.name for thread in threading.enumerate()}


def all_asleep(pool: Workers) -> bool:
    ends = time.monotonic() + 30
    while not all(worker.is_asleep for worker in pool.threads) and time.monotonic() < ends:
        time.sleep(0.001)
    return all(worker.is_asleep for worker in pool.threads)


@pytest.mark.usefixtures("team")
def test_sixteen_threads_on_one_model(tmp_path: Path) -> None:
    net = Net()
    layered(net, MANY)
    plain, compiled = both(net, tmp_path)
    given = [net.inputs() for _ in range(16)]
    expected = [plain(inputs)[0] for inputs in given]
    wrong: list[int] = []

    def work(number: int) -> None:
        request = compiled.session()
        wrong.extend(number for _ in range(20) if not close(request.run(given[number])[0], expected[number]))

    team = [threading.Thread(target=work, args=(number,)) for number in range(len(given))]
    for thread in team:
        thread.start()
    for thread in team:
        thread.join()
    assert not wrong


def test_many_models_share_one_pool(tmp_path: Path, team: int) -> None:
    for number in range(4):
        net = Net()
        layered(net, MANY)
        folder = tmp_path / str(number)
        folder.mkdir()
        _, compiled = both(net, folder)
        for _ in range(3):
            compiled(net.inputs())
    found = [name for name in names() if re.fullmatch(r"irrun-\d+", name)]
    assert set(found) >= {f"irrun-{number}" for number in range(1, team)}
    assert len(found) == len(workers().threads)


@pytest.mark.usefixtures("team")
def test_idle_workers_sleep_until_a_run_wakes_them(tmp_path: Path) -> None:
    net = Net()
    layered(net, MANY)
    _, compiled = both(net, tmp_path)
    compiled(net.inputs())
    assert workers().threads
    assert all_asleep(workers())
    before = [worker.turns for worker in workers().threads]
    time.sleep(0.05)
    assert [worker.turns for worker in workers().threads] == before
    compiled(net.inputs())
    assert all_asleep(workers())
    assert [worker.turns for worker in workers().threads] > before


def test_a_worker_misses_no_tape_that_comes_while_it_falls_asleep(monkeypatch: pytest.MonkeyPatch) -> None:
    entered, leave = threading.Event(), threading.Event()

    def serve(*_: int) -> int:
        entered.set()
        leave.wait(30)
        return 0

    monkeypatch.setattr("irrun.runtime.workers.serve", serve)
    worker = Worker(0, 1, lambda: None)
    assert entered.wait(30)
    entered.clear()
    worker.wake()
    leave.set()
    assert entered.wait(30)


@pytest.mark.usefixtures("team")
def test_the_memory_of_a_model_returns_when_it_is_dropped(tmp_path: Path) -> None:
    """Workers hold the memory of their last tape until they sleep."""
    net = Net()
    layered(net, MANY)
    _, compiled = both(net, tmp_path)
    compiled(net.inputs())
    instance = weakref.ref(compiled.executor.programs[0]._pools[0].idle[0])
    assert instance() is not None
    del compiled
    assert all_asleep(workers())
    ends = time.monotonic() + 10
    while instance() is not None and time.monotonic() < ends:
        gc.collect()
    assert instance() is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.usefixtures("team")
def test_fork_after_use(tmp_path: Path) -> None:
    net = Net()
    layered(net, MANY)
    _, compiled = both(net, tmp_path)
    inputs = net.inputs()
    expected = compiled(inputs)[0]
    for _ in range(3):
        child = os.fork()
        if child == 0:
            same = all(close(compiled(inputs)[0], expected) for _ in range(5))
            os._exit(0 if same else 1)
        assert close(compiled(inputs)[0], expected)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert close(compiled(inputs)[0], expected)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.usefixtures("team")
def test_fork_while_another_thread_runs_the_model(tmp_path: Path) -> None:
    net = Net()
    layered(net, MANY)
    _, compiled = both(net, tmp_path)
    inputs = net.inputs()
    expected = compiled(inputs)[0]
    over = threading.Event()
    wrong: list[int] = []

    def work() -> None:
        while not over.is_set():
            if not close(compiled(inputs)[0], expected):
                wrong.append(1)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(5):
            child = os.fork()
            if child == 0:
                own = compiled.session()
                os._exit(0 if close(own.run(inputs)[0], expected) else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        over.set()
        thread.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_lock_that_another_thread_holds_is_free_in_a_child() -> None:
    lock, held, over = Lock(), threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            held.set()
            over.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        with lock:
            os._exit(0)
    over.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def script(code: str, **environment: str) -> str:
    """Return the output of a program with `irrun`, the folder ``digits`` and the input ``x``, a batch."""
    begin = (
        "import irrun.model, numpy as np, os, sys, threading\n"
        "from pathlib import Path\n"
        "digits = Path('examples/digits')\nx = np.load(digits / 'seven.npy').repeat(16, 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", begin + code],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


RUN = "model = irrun.model.build(digits / 'model.xml', {'TIER': 'compiled'})\nfor _ in range(12): model([x])\n"
WORKERS = "print(sum(thread.name.startswith('irrun-') for thread in threading.enumerate()))"


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system has no affinity")
def test_one_processor_makes_no_thread() -> None:
    assert script("os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n" + RUN + WORKERS) == "0"


@pytest.mark.sample(2)
@pytest.mark.parametrize("count", [1, 3])
def test_the_setting_bounds_the_number_of_threads(count: int) -> None:
    setting = f"{{'TIER': 'compiled', 'INFERENCE_NUM_THREADS': {count}}}"
    assert script(RUN.replace("{'TIER': 'compiled'}", setting) + WORKERS) == str(count - 1)


@pytest.mark.rest
def test_blas_is_told_its_threads_once() -> None:
    code = (
        "from threadpoolctl import ThreadpoolController\nbegin, calls = ThreadpoolController.__init__, []\n"
        "ThreadpoolController.__init__ = lambda self: calls.append(1) or begin(self)\n"
        f"setting = {{'INFERENCE_NUM_THREADS': {(os.cpu_count() or 1) + 1}}}\n"
        "for tier in ('numpy', 'compiled'):\n"
        "    model = irrun.model.build(digits / 'model.xml', {**setting, 'TIER': tier})\n"
        "    for _ in range(3): model([x])\n"
        "print(len(calls))"
    )
    assert script(code) == "1"


def test_no_process_is_made() -> None:
    code = (
        "made = []\n"
        "sys.addaudithook(lambda event, _: made.append(event) if event in "
        "{'os.fork', 'os.forkpty', 'os.posix_spawn', 'os.system', 'subprocess.Popen'} else None)\n"
    )
    assert script(code + RUN + "print(made)") == "[]"


def test_nothing_is_compiled_or_written(tmp_path: Path) -> None:
    code = (
        "written = []\n"
        "def seen(event, given):\n"
        "    if event == 'open' and isinstance(given[1], str) and set(given[1]) & set('wax+'):\n"
        "        written.append(given[0])\n"
        "sys.addaudithook(seen)\n"
    )
    after = "print(model.executor.last, written, sorted({'numba', 'llvmlite'} & set(sys.modules)))"
    assert script(code + RUN + after, HOME=str(tmp_path)) == "compiled [] []"
    assert list(tmp_path.iterdir()) == []

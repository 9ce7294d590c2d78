"""Many inputs through processes and a Dask cluster, with workers killed on the way: ``python -m tests.cli.thousand``.

``--count`` is the number of inputs, 1,000 by default. The outputs are compared bit by bit, which one
thread of one tier allows, and the throughput is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

from irrun.evaluation.batch.records import RECORDS
from tests import processes

MODEL = processes.ROOT / "examples" / "digits" / "model.xml"


def write_inputs(folder: Path, count: int) -> None:
    folder.mkdir()
    images = np.load(MODEL.parent / "heldout_images.npy")
    for index in range(count):
        np.save(folder / f"{index}.npy", images[index % len(images)][np.newaxis] * np.float32(1 + index // len(images)))


def start(folder: Path, outputs: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "irrun", "run", MODEL, "--batch", folder, "-o", outputs]
    command += ["--json", "--threads", "1", *options]
    return processes.start(*command, env=processes.environment(IRRUN_TIER="numpy"))


def finished(process: subprocess.Popen[str], left: int) -> float:
    """Return the inputs per second of a command that has nothing to do afterwards."""
    ended = processes.ended(process, 600)
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert (found["done"], found["failed"]) == (left, 0), found
    return float(found["done"] / found["seconds"])


def recorded(outputs: Path) -> int:
    path = outputs / RECORDS
    return path.read_bytes().count(b"\n") if path.exists() else 0


def begun(process: subprocess.Popen[str], outputs: Path, count: int) -> int:
    """Wait until an eighth of the inputs is done, so that most are left to do; return that number."""
    while recorded(outputs) < count // 8:
        assert process.poll() is None, process.communicate()
        time.sleep(0.002)
    return count // 8


def workers(process: subprocess.Popen[str]) -> list[int]:
    """Return the worker processes of a command, without the tracker of their resources."""
    text = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    return [pid for pid in map(int, text.split()) if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def equal(one: Path, other: Path, count: int) -> None:
    for index in range(count):
        np.testing.assert_array_equal(np.load(one / f"{index}.npy"), np.load(other / f"{index}.npy"))


def alone(folder: Path, count: int) -> float:
    """Write the inputs, and the outputs of one process that infers them one after another."""
    write_inputs(folder / "in", count)
    return finished(start(folder / "in", folder / "alone", "--requests", "1"), count)


def several_requests(folder: Path, count: int) -> float:
    return finished(start(folder / "in", folder / "out", "--requests", "2"), count)


def two_processes(folder: Path, count: int) -> float:
    return finished(start(folder / "in", folder / "out", "--jobs", "2"), count)


def a_process_killed(folder: Path, count: int) -> float:
    process = start(folder / "in", folder / "out", "--jobs", "2")
    begun(process, folder / "out", count)
    os.kill(workers(process)[0], signal.SIGKILL)
    return finished(process, count)


def a_second_start(folder: Path, count: int) -> float:
    process = start(folder / "in", folder / "out", "--jobs", "2")
    least = begun(process, folder / "out", count)
    process.send_signal(signal.SIGINT)
    ended = processes.ended(process)
    assert ended.returncode == 130, ended
    before = recorded(folder / "out")
    assert least <= before < count
    return finished(start(folder / "in", folder / "out", "--jobs", "2"), count - before)


def workers_of_dask(folder: Path, count: int) -> float:
    with cluster() as started:
        return finished(start(folder / "in", folder / "out", "--scheduler", started.scheduler_address), count)


def a_worker_of_dask_killed(folder: Path, count: int) -> float:
    with cluster() as started:
        process = start(folder / "in", folder / "out", "--scheduler", started.scheduler_address)
        begun(process, folder / "out", count)
        os.kill(started.workers[0].pid, signal.SIGKILL)
        return finished(process, count)


def cluster() -> Any:
    import distributed

    return distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")


WAYS: Final[tuple[Callable[[Path, int], float], ...]] = (
    *(several_requests, two_processes, a_process_killed, a_second_start),
    *(workers_of_dask, a_worker_of_dask_killed),
)
"""Ways to infer what is in the folder ``in``, each of which returns its inputs per second."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    count = parser.parse_args().count
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rate = alone(folder, count)
        for way in (alone, *WAYS):
            found = rate if way is alone else way(folder, count)
            print(f"{way.__name__:24} {found:8.1f} inputs/s, {found / rate:.2f} times one process")
            if way is not alone:
                equal(folder / "alone", folder / "out", count)
                shutil.rmtree(folder / "out")


if __name__ == "__main__":
    main()

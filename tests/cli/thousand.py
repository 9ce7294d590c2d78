"""Many inputs through processes and a Dask cluster, with workers killed on the way: ``python -m tests.cli.thousand``.

``--count`` is the number of inputs, 1,000 by default. The outputs are compared bit by bit, which one
thread of one tier allows, and the throughput is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from irrun.cli.batch.records import RECORDS

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "examples" / "digits" / "model.xml"


def write_inputs(folder: Path, count: int) -> None:
    folder.mkdir()
    images = np.load(MODEL.parent / "heldout_images.npy")
    for index in range(count):
        np.save(folder / f"{index}.npy", images[index % len(images)][np.newaxis] * np.float32(1 + index // len(images)))


def start(folder: Path, outputs: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "irrun", "run", str(MODEL), "--batch", str(folder), "-o", str(outputs)]
    command += ["--json", "--threads", "1"]
    return subprocess.Popen(
        [*command, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_interruptible,
        env={
            **os.environ,
            "IRRUN_TIER": "numpy",
            "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
        },
    )


def _interruptible() -> None:
    """Begin with the default action of SIGINT, which shells take from programs in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def finished(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


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


def check(folder: Path, count: int, *, cluster: bool = True) -> dict[str, float]:
    """Fail unless all ways give equal outputs and nothing is lost; return inputs per second by way."""
    write_inputs(folder / "in", count)
    rates: dict[str, float] = {}

    def rated(name: str, found: dict[str, Any], done: int = count) -> None:
        assert (found["done"], found["failed"]) == (done, 0), found
        rates[name] = found["done"] / found["seconds"]

    alone = folder / "alone"
    rated("one process", finished(start(folder / "in", alone, "--requests", "1")))
    rated("--requests 2", finished(start(folder / "in", folder / "at once", "--requests", "2")))
    equal(alone, folder / "at once", count)
    rated("--jobs 2", finished(start(folder / "in", folder / "two", "--jobs", "2")))
    equal(alone, folder / "two", count)

    killed = start(folder / "in", folder / "killed", "--jobs", "2")
    begun(killed, folder / "killed", count)
    os.kill(workers(killed)[0], signal.SIGKILL)
    rated("--jobs 2, one killed", finished(killed))
    equal(alone, folder / "killed", count)

    stopped = start(folder / "in", folder / "stopped", "--jobs", "2")
    least = begun(stopped, folder / "stopped", count)
    stopped.send_signal(signal.SIGINT)
    printed = stopped.communicate(timeout=60)
    assert stopped.returncode == 130, printed
    before = recorded(folder / "stopped")
    assert least <= before < count
    again = finished(start(folder / "in", folder / "stopped", "--jobs", "2"))
    assert again["before"] == before
    rated("--jobs 2, second start", again, count - before)
    equal(alone, folder / "stopped", count)
    if cluster:
        _over_dask(folder, count, rated)
    return rates


def _over_dask(folder: Path, count: int, rated: Any) -> None:
    import distributed

    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as started:
        address = started.scheduler_address
        rated("Dask, two workers", finished(start(folder / "in", folder / "dask", "--scheduler", address)))
        equal(folder / "alone", folder / "dask", count)
        killed = start(folder / "in", folder / "lost", "--scheduler", address)
        begun(killed, folder / "lost", count)
        os.kill(started.workers[0].pid, signal.SIGKILL)
        rated("Dask, one killed", finished(killed))
        equal(folder / "alone", folder / "lost", count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    count = parser.parse_args().count
    with tempfile.TemporaryDirectory() as folder:
        rates = check(Path(folder), count)
    for name, rate in rates.items():
        print(f"{name:24} {rate:8.1f} inputs/s, {rate / rates['one process']:.2f} times one process")


if __name__ == "__main__":
    main()

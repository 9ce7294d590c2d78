"""What the benchmarks say of memory and of processes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
MIB = 40
CHILD = f"values = bytearray(b'x') * ({MIB} << 20); print(flush=True); input()"


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(BENCHMARKS)
    return __import__("worker")


@pytest.fixture
def child() -> Iterator[int]:
    """A process with so much memory of its own."""
    with subprocess.Popen([sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process.pid


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of processes is read from /proc, which Linux has")
def test_peak_memory_has_that_of_children(worker: Any, child: int) -> None:
    assert child in worker.children()
    assert MIB <= worker.private_mib(child) < MIB + 40
    assert worker.peak_mib() >= worker.own_peak_mib() + MIB


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of processes is read from /proc, which Linux has")
def test_a_process_that_has_ended_has_no_memory(worker: Any) -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    assert process.pid not in worker.children()
    assert worker.private_mib(process.pid) == 0


@pytest.mark.parametrize(
    ("processes", "text"),
    [
        ({"a": 1, "b": 1}, "threads"),
        ({"a": 2, "b": 2}, "2 processes"),
        ({"a": 2, "b": 1, "c": 2}, "2 processes in a, c; threads in b"),
        ({"a": None}, "?"),
    ],
)
def test_what_work_is_shared_between(
    monkeypatch: pytest.MonkeyPatch, processes: dict[str, int | None], text: str
) -> None:
    pytest.importorskip("onnx", reason="the models of the benchmarks are made with onnx")
    pytest.importorskip("openvino", reason="the models of the benchmarks are made with OpenVINO")
    monkeypatch.syspath_prepend(BENCHMARKS)
    results = {name: {"irrun": {} if count is None else {"processes": count}} for name, count in processes.items()}
    assert __import__("report")._sharing(results) == text

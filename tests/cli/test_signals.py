"""Signals, closed pipes and scarce resources: a command ends at once, says so, and leaves nothing half-written."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests import processes
from tests.cli.test_limits import saved
from tests.linter.models import NET
from tests.processes import ROOT, irrun
from tests.runtime.budget_nets import doubling_loop

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals, limits and /proc of Linux")

FAULTY = NET.replace("<dim>3</dim></port></output>", "<dim>4</dim></port></output>", 1)

_STARTED: list[subprocess.Popen[str]] = []


def with_ports(count: int) -> str:
    """Return a layer that has a port so often: a finding for each but the first."""
    port = '<port id="0" precision="FP32"/>'
    return (
        '<net name="n" version="11"><layers><layer id="0" name="x" type="Parameter" version="opset1">'
        f'<data shape="1" element_type="f32"/><output>{port * count}</output></layer></layers><edges/></net>'
    )


@pytest.fixture(autouse=True)
def nothing_outlives_its_test() -> Iterator[None]:
    yield
    while _STARTED:
        command = _STARTED.pop()
        for process in running(command.pid):
            os.kill(process, signal.SIGKILL)
        command.communicate()


def start(*words: object, ignored: Sequence[int] = ()) -> subprocess.Popen[str]:
    """Start a command in a session of its own."""
    command = processes.start(sys.executable, "-m", "irrun", *words, ignored=ignored, start_new_session=True)
    _STARTED.append(command)
    return command


def running(session: int) -> list[int]:
    """Return the running processes of a session."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] != "Z" and int(fields[3]) == session:
                found.append(int(folder.name))
    return found


def wait_for(condition: Any, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    """A folder of files that take minutes to check."""
    text = with_ports(16_000)
    for index in range(200):
        (tmp_path / f"{index}.xml").write_text(text)
    return tmp_path


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """A model whose loop practically never ends."""
    return saved(tmp_path, doubling_loop(trip_count=10**15, growing=False))


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_ends(endless: Path, tmp_path: Path, number: int, status: int) -> None:
    (tmp_path / "out.npy").write_bytes(b"before")
    command = start("run", "-v", endless, "--max-iterations", 10**15, "-o", tmp_path / "out.npy")
    assert command.stderr is not None
    assert "read and planned" in command.stderr.readline()
    command.send_signal(number)
    said, complaints = command.communicate(timeout=60)
    assert (command.returncode, said, complaints) == (status, "", "interrupted\n" if status == 130 else "")
    assert (tmp_path / "out.npy").read_bytes() == b"before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.bin", "model.xml", "out.npy"]


@pytest.mark.sample(3)
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_workers_end_with_their_parent(slow: Path, number: int, status: int) -> None:
    command = start("lint", slow, "--jobs", 2, "-q")
    wait_for(lambda: len(running(command.pid)) >= 3)
    time.sleep(0.5)
    command.send_signal(number)
    _, complaints = command.communicate(timeout=20)
    assert command.returncode == status
    assert complaints == ("interrupted\n" if status == 130 else "") or status < 0
    wait_for(lambda: not running(command.pid), 10)


def test_an_interrupt_of_the_whole_group_ends_workers_quietly(slow: Path) -> None:
    command = start("lint", slow, "--jobs", 2, "-q")
    wait_for(lambda: len(running(command.pid)) >= 3)
    time.sleep(0.5)
    os.killpg(command.pid, signal.SIGINT)
    said, complaints = command.communicate(timeout=20)
    assert (command.returncode, said, complaints) == (130, "", "interrupted\n")


@pytest.mark.rest
def test_an_ignored_interrupt_stays_ignored(tmp_path: Path) -> None:
    for index in range(2):
        (tmp_path / f"{index}.xml").write_text(with_ports(8_000))
    command = start("lint", tmp_path, "--jobs", 2, "--statistics", "-q", ignored=[signal.SIGINT])
    wait_for(lambda: len(running(command.pid)) >= 3)
    os.killpg(command.pid, signal.SIGINT)
    said, complaints = command.communicate(timeout=120)
    assert (command.returncode, complaints) == (1, "")
    assert said.split()[0] == str(2 * 8_000 - 2)


@pytest.mark.sample(3)
@pytest.mark.parametrize("arguments", [["ops"], ["lint", "{wrong}", "--output-format", "concise"], ["rule", "IR401"]])
def test_a_closed_pipe_is_quiet(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "wrong.xml").write_text(with_ports(3000))
    command = start(*[word.replace("{wrong}", str(tmp_path / "wrong.xml")) for word in arguments])
    assert command.stdout is not None
    assert command.stderr is not None
    with command.stderr:
        command.stdout.close()
        complaints = command.stderr.read()
    assert (command.wait(60), "Traceback" in complaints, "BrokenPipe" in complaints) == (141, False, False)


@pytest.mark.sample(5)
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-", ">/dev/full"])
def test_streams_that_are_closed_or_full(endless: Path, closed: str) -> None:
    done = processes.done("sh", "-c", f"{sys.executable} -m irrun info {endless} {closed}")
    assert done.returncode == (2 if closed == ">/dev/full" else 0)
    assert "Traceback" not in done.stderr
    if closed == ">/dev/full":
        assert done.stderr == "error: the standard output: No space left on device\n"


def limited(kind: int, value: int) -> Any:
    return lambda: resource.setrlimit(kind, (value, value))


def test_few_file_handles(tmp_path: Path) -> None:
    for index in range(4):
        (tmp_path / f"{index}.xml").write_text('<net name="n" version="11"><layers/><edges/></net>')
    done = irrun("lint", tmp_path, "--jobs", 4, preexec_fn=limited(resource.RLIMIT_NOFILE, 12))
    assert (done.returncode, done.stdout.count("[IR213]"), done.stderr[:15]) == (1, 4, "4 files checked")


@pytest.mark.sample(5)
@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("run {path} -o out.npy", "out.npy"),
        ("run {path} -o out.npz", "out.npz"),
        ("run {path} -o out", "out/loop.npy"),
        ("run {path} --batch in -o out", "out/records.jsonl"),
        ("lint faulty.xml --fix", "faulty.xml"),
    ],
)
def test_a_file_that_cannot_grow_is_named(tmp_path: Path, command: str, name: str) -> None:
    path = saved(tmp_path, doubling_loop(trip_count=3))
    (tmp_path / "in").mkdir()
    np.savez(tmp_path / "in" / "a.npz")
    (tmp_path / "faulty.xml").write_text(FAULTY)
    before = {item.name for item in tmp_path.iterdir()}
    full = limited(resource.RLIMIT_FSIZE, 0)
    done = irrun(*command.format(path=path).split(), cwd=tmp_path, preexec_fn=full)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert done.stderr.splitlines()[-1] == f"error: {name}: File too large"
    assert [item.name for item in tmp_path.rglob("*") if item.name.endswith(".irrun")] == []
    assert {item.name for item in tmp_path.iterdir()} - before <= {"out"}
    assert (tmp_path / "faulty.xml").read_text() == FAULTY


@pytest.mark.rest
def test_a_small_address_space(tmp_path: Path) -> None:
    path = saved(tmp_path, doubling_loop(trip_count=60))
    done = irrun("run", path, preexec_fn=limited(resource.RLIMIT_AS, 3 << 30))
    assert done.returncode == 2
    assert "[IR804]" in done.stderr
    assert "Traceback" not in done.stderr


def test_without_a_home(tmp_path: Path) -> None:
    path = saved(tmp_path, doubling_loop(trip_count=3))
    done = irrun("run", path, env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)})
    assert (done.returncode, done.stderr) == (0, "")
    assert "f32[8]" in done.stdout


@pytest.mark.skipif(not os.access("/proc/sys", os.R_OK), reason="a file system that cannot be written to")
@pytest.mark.sample(3)
@pytest.mark.parametrize("name", ["out.npy", "out.npz", "out"])
def test_a_read_only_file_system(tmp_path: Path, name: str) -> None:
    path = saved(tmp_path, doubling_loop(trip_count=3))
    done = irrun("run", path, "-o", f"/proc/{name}")
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: /proc/{name}: ")
    assert done.stderr.count("\n") == 1

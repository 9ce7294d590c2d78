"""irrun.distributed, and lint and evaluate over a Dask cluster that the test starts."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import click.testing
import numpy as np
import pytest

import irrun
from irrun.cli.app import app
from tests import processes
from tests.ops.faulty_extensions import INFERS, RUNS

dask = pytest.importorskip("distributed", reason="distributed is not installed, the extra distributed")
pytestmark = pytest.mark.filterwarnings("ignore")
DIGITS = Path(__file__).parents[1] / "examples" / "digits"


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    with dask.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        yield cluster.scheduler_address


def irrun_command(*arguments: object) -> click.testing.Result:
    return click.testing.CliRunner().invoke(app, [str(item) for item in arguments], prog_name="irrun")


def test_infer(scheduler: str) -> None:
    from irrun import distributed

    images = np.load(DIGITS / "heldout_images.npy")[:20, np.newaxis]
    config = {"TIER": "numpy", "INFERENCE_NUM_THREADS": 1}
    found = list(distributed.infer(DIGITS / "model.xml", images, scheduler, config=config))
    compiled = irrun.compile_model(DIGITS / "model.xml", config)
    for outputs, image in zip(found, images, strict=True):
        np.testing.assert_array_equal(outputs[0], compiled(image)[0])


def test_an_input_that_does_not_fit(scheduler: str) -> None:
    from irrun import distributed

    with pytest.raises(irrun.InputError, match='input "image" has shape'):
        list(distributed.infer(DIGITS / "model.xml", [np.zeros((1, 2), np.float32)], scheduler))


def test_extensions_travel(scheduler: str, tmp_path: Path) -> None:
    from irrun import distributed

    example = DIGITS.parent / "extension"
    own = tmp_path / "own.py"
    own.write_text((example / "my_ops.py").read_text())
    x = np.array([[1, -1, 2], [0, 0, 0]], np.float32)
    given = list(distributed.infer(example / "model.xml", [x], scheduler, extensions=[own]))
    irrun.extend(own)
    try:
        registered = list(distributed.infer(example / "model.xml", [x], scheduler))
    finally:
        irrun.unextend()
    assert given[0][0].tolist() == registered[0][0].tolist() == [[0.75, 0, 1.75], [0, 0, 0]]


def test_a_fault_of_an_extension(scheduler: str, tmp_path: Path) -> None:
    from irrun import distributed

    for fault in (RUNS[0], RUNS[5], INFERS[0]):
        (tmp_path / "ext.py").write_text(fault.text)
        work = distributed.infer(
            DIGITS.parent / "extension" / "model.xml", [np.ones((2, 3))], scheduler, extensions=[tmp_path / "ext.py"]
        )
        with pytest.raises(irrun.IRError, match=f"{fault.message.split('fails at')[0]}fails at .*ext.py:1"):
            list(work)


def test_lint(scheduler: str) -> None:
    pages = DIGITS.parent
    here = irrun_command("lint", pages, "--output-format", "concise")
    there = irrun_command("lint", pages, "--output-format", "concise", "--scheduler", scheduler)
    assert here.exit_code == there.exit_code == 1
    assert there.stdout == here.stdout


def test_evaluate(scheduler: str, tmp_path: Path) -> None:
    for index, image in enumerate(np.load(DIGITS / "heldout_images.npy")[:30]):
        np.save(tmp_path / f"{index}.npy", image[np.newaxis])
    np.save(tmp_path / "labels.npy", np.load(DIGITS / "heldout_labels.npy")[:30])
    given = ("--batch", f"{tmp_path}/[0-9]*.npy", "--labels", tmp_path / "labels.npy", "-m", "top1")
    here = irrun_command("evaluate", DIGITS / "model.xml", *given)
    there = irrun_command("evaluate", DIGITS / "model.xml", *given, "--scheduler", scheduler)
    assert (there.exit_code, there.stdout) == (0, "top1: 96.67 % (29 of 30)\n"), there.stderr
    assert here.stdout == there.stdout


def test_compare(scheduler: str, tmp_path: Path) -> None:
    for side in ("a", "b"):
        (tmp_path / side).mkdir()
        for index in range(3):
            shutil.copy(DIGITS / "model.xml", tmp_path / side / f"{index}.xml")
            shutil.copy(DIGITS / "model.bin", tmp_path / side / f"{index}.bin")
    weights = np.fromfile(tmp_path / "b" / "1.bin", np.uint8)
    weights[4:580] = 0
    weights.tofile(tmp_path / "b" / "1.bin")
    there = irrun_command("compare", tmp_path / "a", tmp_path / "b", "--scheduler", scheduler)
    here = irrun_command("compare", tmp_path / "a", tmp_path / "b")
    assert (there.exit_code, there.stdout) == (1, here.stdout), there.stderr
    assert [line.split()[:3] for line in here.stdout.splitlines()[1:]] == [
        ["0.xml", "equal", "0"],
        ["1.xml", "conv1", "different"],
        ["2.xml", "equal", "0"],
    ]


@pytest.fixture
def elsewhere(scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder to work in; the working directory of the workers is another one."""
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path)
    with dask.Client(scheduler) as client:
        before = client.run(os.getcwd)
        client.run(os.chdir, str(tmp_path / "there"))
        yield tmp_path
        client.run(os.chdir, next(iter(before.values())))


@pytest.mark.rest
def test_relative_paths(scheduler: str, elsewhere: Path) -> None:
    for folder in ("models", "copies"):
        shutil.copytree(DIGITS.parent / "digits", elsewhere / folder)
        shutil.copy(DIGITS.parent / "wrong_dims.xml", elsewhere / folder)
        shutil.copy(DIGITS.parent / "wrong_dims.bin", elsewhere / folder)
    (elsewhere / "models" / "broken.xml").write_text("<net version='11'><layers>")
    np.save(elsewhere / "x.npy", np.load(DIGITS / "heldout_images.npy")[:1])
    np.save(elsewhere / "y.npy", np.load(DIGITS / "heldout_labels.npy")[:1])
    model = Path("models", "model.xml")
    for command in (
        ("lint", "models", "--output-format", "concise"),
        ("lint", "models", "--diff"),
        ("compare", "models", "copies"),
        ("compare", model, Path("copies", "model.xml"), "-i", "image=x.npy"),
        ("evaluate", model, "--batch", "x.npy", "--labels", "y.npy", "-m", "top1"),
    ):
        here, there = irrun_command(*command), irrun_command(*command, "--scheduler", scheduler)
        assert (there.exit_code, there.stdout, there.stderr) == (here.exit_code, here.stdout, here.stderr)
        assert here.stdout
    assert irrun_command("run", model, "--batch", "x.npy", "-o", "out", "--scheduler", scheduler).exit_code == 0
    assert (elsewhere / "out" / "x.npy").exists()


@pytest.mark.rest
@pytest.mark.skipif(sys.platform == "win32", reason="a process is killed by a signal")
def test_a_scheduler_that_ends(tmp_path: Path) -> None:
    """The command says so in one line, and keeps what was done."""
    inputs = tmp_path / "in"
    inputs.mkdir()
    for index, image in enumerate(np.tile(np.load(DIGITS / "heldout_images.npy"), (3, 1, 1, 1))[:800]):
        np.save(inputs / f"{index}.npy", image[np.newaxis])
    quick = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "1s", "DASK_DISTRIBUTED__ADMIN__TICK__LIMIT": "60s"}
    start = partial(processes.start, sys.executable, "-m", env=processes.environment(**quick))
    file = tmp_path / "scheduler.json"
    options = ["--scheduler-file", file, "--no-dashboard"]
    scheduler = start("distributed.cli.dask_scheduler", "--port", "0", *options)
    worker = start("distributed.cli.dask_worker", "--nthreads", "1", "--death-timeout", "60", *options)
    records = tmp_path / "out" / "records.jsonl"
    try:
        wait_for(file.exists)
        address = json.loads(file.read_text())["address"]
        with dask.Client(address, timeout=60) as client:
            client.wait_for_workers(1)
        batch = ["--batch", inputs, "-o", records.parent, "--scheduler", address]
        command = start("irrun", "run", DIGITS / "model.xml", *batch)
        wait_for(lambda: records.exists() and records.read_text().count("\n") > 20)
        scheduler.kill()
        ended = processes.ended(command)
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.communicate()
    assert ended.returncode == 2
    assert [line for line in ended.stderr.splitlines() if not line.startswith(("note:", "\r"))] == [
        f"error: the scheduler {address} no longer answers; its unfinished work is lost"
    ]
    done = [json.loads(line) for line in records.read_text().splitlines()]
    assert {item["status"] for item in done} == {"done"}


def wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("it did not happen within a minute")

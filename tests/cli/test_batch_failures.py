"""An input that cannot be run is its own failure: the others of the batch go on."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.evaluation.batch import work
from tests.cases import f32
from tests.cli.conftest import Run
from tests.nets import Net

GOOD = f32([[0.5, -1, 2]])
DONE = [[0.5, 0, 1]]


def outcome(run: Run, model: Path, inputs: Path, *options: str) -> tuple[list[str], str]:
    """Run a batch; return the names of the inputs that failed, and what was printed on stderr."""
    out = inputs.with_name("out")
    result = run("run", model, "--batch", inputs, "-o", out, *options)
    assert "Traceback" not in result.stderr
    records = [json.loads(line) for line in (out / "records.jsonl").read_text().splitlines()]
    assert {Path(item["input"]) for item in records} == set(inputs.iterdir())
    failed = sorted(Path(item["input"]).name for item in records if item["status"] == "failed")
    assert result.exit_code == (2 if failed else 0)
    return failed, result.stderr


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    """Four inputs of the clamp model."""
    folder = tmp_path / "in"
    folder.mkdir()
    for index in range(4):
        np.save(folder / f"{index}.npy", GOOD)
    return folder


@pytest.fixture
def anything(tmp_path: Path) -> Path:
    """x f32[?,?] -> Relu -> y."""
    net = Net()
    net.result(net.layer("ReLU", [net.parameter("x", "?,?")], tensor="y"))
    return net.save(tmp_path / "anything.xml")


def test_inputs_of_unequal_shapes_are_run_alone(run: Run, anything: str, inputs: Path) -> None:
    for index in range(4):
        np.save(inputs / f"{index}.npy", np.full((1 + index % 2, 1 + index // 2), -index, np.float32))
    assert outcome(run, anything, inputs, "--batch-size", "2")[0] == []
    shapes = [np.load(inputs.with_name("out") / f"{index}.npy").shape for index in range(4)]
    assert shapes == [(1, 1), (2, 1), (1, 2), (2, 2)]


def test_inputs_of_unequal_shapes_in_one_batch(run: Run, anything: str, inputs: Path) -> None:
    for index, width in enumerate((1, 2, 2, 3)):
        np.save(inputs / f"{index}.npy", np.full((1, width), index, np.float32))
    assert outcome(run, anything, inputs, "--batch-size", "2")[0] == []
    outputs = [np.load(inputs.with_name("out") / f"{index}.npy").tolist() for index in range(4)]
    assert outputs == [[[0]], [[1, 1]], [[2, 2]], [[3, 3, 3]]]


def archive(path: Path, kind: int, damage: slice) -> None:
    """Write an .npz file with a compressed member, and overwrite some of its bytes."""
    with zipfile.ZipFile(path, "w", kind) as file, file.open("image:0.npy", "w") as member:
        np.lib.format.write_array(member, GOOD)
    data = bytearray(path.read_bytes())
    data[damage] = b"\xff" * len(data[damage])
    path.write_bytes(data)


@pytest.mark.parametrize("kind", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("at", range(41, 90, 4))
def test_a_damaged_member(run: Run, clamp: Path, inputs: Path, kind: int, at: int) -> None:
    archive(inputs / "4.npz", kind, slice(at, at + 4))
    failed, said = outcome(run, clamp, inputs)
    assert failed == ["4.npz"]
    assert "irrun itself failed" not in said


@pytest.mark.parametrize("code", [0x110000, 0xFFFFFFFF])
@pytest.mark.parametrize("order", "<>")
def test_text_that_no_code_point_stands_for(run: Run, tmp_path: Path, code: int, order: str) -> None:
    net = Net()
    net.result(net.layer("Identity", [net.parameter("x", "?", "string")], opset=16))
    folder = tmp_path / "in"
    folder.mkdir()
    np.save(folder / "good.npy", np.array(["a", "b"]))
    np.save(folder / "bad.npy", np.array([65, code, 66, 67], f"{order}u4").view(f"{order}U2"))
    failed, said = outcome(run, net.save(tmp_path / "n.xml"), folder)
    assert failed == ["bad.npy"]
    assert f"bad.npy cannot be read: its text holds {code}, expected code points up to U+10FFFF" in said


def test_a_very_long_name_of_an_output(run: Run, tmp_path: Path) -> None:
    long = "y" * 70_000
    net = Net()
    x = net.parameter("x", "1,3")
    net.result(net.layer("Clamp", [x], tensor=long, min=0, max=1))
    net.result(net.layer("Abs", [x], tensor="z"))
    folder = tmp_path / "in"
    folder.mkdir()
    np.save(folder / "0.npy", GOOD)
    assert outcome(run, net.save(tmp_path / "n.xml"), folder)[0] == []
    with np.load(tmp_path / "out" / "0.npz") as written:
        assert {name: written[name].tolist() for name in written} == {"y" * 100: DONE, "z": [[0.5, 1, 2]]}


@pytest.mark.parametrize("options", [(), ("--batch-size", "2"), ("--requests", "3")], ids=" ".join)
@pytest.mark.parametrize("kind", [SystemError, ValueError, MemoryError, RecursionError, ZeroDivisionError])
def test_any_exception_is_the_failure_of_its_input(
    run: Run,
    clamp: Path,
    inputs: Path,
    options: tuple[str, ...],
    kind: type[Exception],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = work.BatchWork._read

    def failing(self: work.BatchWork, item: Any) -> Any:
        if item.name == "2":
            raise kind("planted")
        return read(self, item)

    monkeypatch.setattr(work.BatchWork, "_read", failing)
    failed, said = outcome(run, clamp, inputs, *options)
    assert failed == ["2.npy"]
    assert "planted" in said
    for index in (0, 1, 3):
        assert np.load(inputs.with_name("out") / f"{index}.npy").tolist() == DONE


@pytest.mark.parametrize("damage", [lambda path: path.write_bytes(path.read_bytes()[:-1]), Path.touch, Path.unlink])
def test_an_output_that_was_changed_is_written_again(run: Run, clamp: Path, inputs: Path, damage: Any) -> None:
    out = inputs.with_name("out")

    def done() -> int:
        return int(json.loads(run("run", clamp, "--batch", inputs, "-o", out, "--json").stdout)["done"])

    assert done() == 4
    damage(out / "2.npy")
    assert done() == 1
    assert np.load(out / "2.npy").tolist() == DONE
    assert done() == 0

"""Models measured from Python: time, accuracy, and many files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.diagnostics.requests import RequestError
from irrun.evaluation import benchmark, evaluate, evaluate_files, profile, run_batch
from irrun.evaluation.batch import running
from irrun.evaluation.files.reading import from_files
from irrun.model import InputError, load
from irrun.runtime.observers import Tracer
from irrun.tensor import Shape
from tests.cases import f32, i64
from tests.nets import Net


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """rows f32[?,3] -> Clamp to [0, 1] -> scores."""
    net = Net()
    net.result(net.layer("Clamp", [net.parameter("rows", "?,3")], name="clamped", tensor="scores", min=0, max=1))
    return net.save(tmp_path / "model.xml")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Three rows, whose greatest scores are those of the classes 0, 1, 2."""
    folder = tmp_path / "rows"
    folder.mkdir()
    for number, row in enumerate(np.eye(3, dtype=np.float32)):
        np.save(folder / f"{number}.npy", row[np.newaxis])
    return folder


def test_engines_of_a_benchmark(path: Path) -> None:
    found = benchmark(load(path), {0: f32([[1, 2, 3]])}, niter=3, precisions=["f32"])
    assert list(found["engines"]) == ["irrun", "irrun f32"]
    assert [engine["iterations"] for engine in found["engines"].values()] == [3, 3]
    assert all(0 < engine["min"] <= engine["median"] <= engine["max"] for engine in found["engines"].values())
    with pytest.raises(InputError, match="has shape"):
        benchmark(load(path), {0: f32([[1, 2]])}, niter=1)


def test_layers_of_a_profile(path: Path) -> None:
    tracer = Tracer()
    found = profile(load(path), {0: f32([[1, 2, 3]])}, niter=4, tracer=tracer)
    (layer,) = found["layers"]
    assert (layer["name"], layer["calls"], layer["bytes"], layer["share"]) == ("clamped", 1, 24, 1)
    assert [event["name"] for event in tracer.events] == ["clamped"]
    assert found["total_ms"] > 0


def test_accuracy_of_rows_and_files(path: Path, files: Path) -> None:
    rows = np.eye(3, dtype=np.float32)
    found = evaluate(load(path), {0: rows}, i64([0, 1, 0]), ["top1", "mse"][:1], batch_size=2)
    assert (found["top1"].value, found["top1"].count) == (pytest.approx(2 / 3), 3)
    batch = run_batch(path, str(files))
    assert evaluate_files(batch, i64([0, 1, 0]), ["top1"]).scores == found
    assert evaluate_files(batch, {"0": i64(0), "1": i64(1), "2": i64(0)}, ["top1"]).scores == found
    with pytest.raises(RequestError, match="there is 1 label, expected 3, one for each row of data"):
        evaluate(load(path), {0: rows}, i64([0]), ["top1"])
    with pytest.raises(RequestError, match=r"2\.npy has no label"):
        evaluate_files(batch, {"0": i64(0), "1": i64(1)}, ["top1"])


def test_a_batch_and_the_rest_of_it(path: Path, files: Path, tmp_path: Path) -> None:
    np.save(files / "3.npy", f32([[1, 2]]))
    first = run_batch(path, [str(files)], tmp_path / "out")
    assert (first.before, first.left) == (0, 4)
    assert [record["status"] for record in first] == ["done", "done", "done", "failed"]
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "1.npy"), f32([[0, 1, 0]]))
    np.save(files / "3.npy", f32([[1, 2, 3]]))
    second = run_batch(path, [str(files)], tmp_path / "out")
    assert (second.before, second.left) == (3, 1)
    assert [Path(record["input"]).name for record in second] == ["3.npy"]
    with pytest.raises(RequestError, match="there is no such file"):
        run_batch(path, ["none/*.npy"], tmp_path / "out")


@pytest.mark.parametrize("shapes", [{"rows": Shape.parse("1,3")}, ["rows[1,3]"], ["1,3"]])
def test_shapes_of_a_batch(
    path: Path, files: Path, tmp_path: Path, shapes: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[object] = []
    monkeypatch.setattr(running, "load", lambda *given, **named: read.append(given) or load(*given, **named))
    found = run_batch(path, [str(files)], tmp_path / "out", shapes=shapes)
    assert str(found.model.inputs[0].partial_shape) == "[1,3]"
    assert [record["status"] for record in found] == ["done"] * 3
    assert len(read) == 1
    with pytest.raises(RequestError, match="is not a shape, expected sizes"):
        run_batch(path, [str(files)], tmp_path / "out", shapes=["rows[one]"])


def test_inputs_from_files(path: Path, files: Path) -> None:
    model = load(path)
    (value,) = from_files([f"rows={files / '1.npy'}"], model.inputs)
    assert (value.port.any_name, value.array.tolist()) == ("rows", [[0, 1, 0]])
    with pytest.raises(RequestError, match='no input "row"; did you mean rows'):
        from_files([f"row={files / '1.npy'}"], model.inputs)

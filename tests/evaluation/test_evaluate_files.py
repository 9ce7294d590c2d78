"""Evaluation over files: broken inputs, a second run, predictions, batches, and all outputs in one file."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from socket import gethostname
from typing import Any

import click.testing
import numpy as np
import pytest

from irrun.cli.app import app
from irrun.diagnostics.requests import RequestError
from irrun.evaluation import evaluate_files, run_batch
from irrun.evaluation.batch import running
from irrun.evaluation.batch.items import BatchItem
from irrun.evaluation.batch.work import BatchWork
from irrun.evaluation.matching import Matching
from irrun.jobs.items import way
from irrun.model.inference import Inference
from tests.cases import f32, i64
from tests.cli.conftest import Run
from tests.nets import Net

Npy = Callable[[str, Any], str]
EYE = np.eye(3, dtype=np.float32)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Six inputs of the clamp model, of the classes 0, 1, 2, 0, 1, 2; the fourth is broken."""
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(6):
        np.save(folder / f"{number}.npy", EYE[[number % 3]])
    (folder / "3.npy").write_bytes(b"broken")
    return folder


def labels(npy: Npy) -> str:
    return npy("labels.npy", i64([0, 1, 2, 0, 1, 0]))


def test_a_broken_input_is_left_out(run: Run, clamp: Path, rows: Path, npy: Npy) -> None:
    result = run("evaluate", clamp, "--batch", rows, "--labels", labels(npy), "-m", "top1", "-m", "confusion")
    assert (result.exit_code, result.stdout.splitlines()[:2]) == (
        1,
        ["top1: 80.00 % (4 of 5)", "confusion: 80.00 % (4 of 5)"],
    )
    assert [line.split() for line in result.stdout.splitlines()[2:]] == [
        ["label", "0", "1", "2"],
        ["0", "1", "0", "1"],
        ["1", "0", "2", "0"],
        ["2", "0", "0", "1"],
    ]
    errors = [line for line in result.stderr.splitlines() if not line.startswith("note")]
    assert errors[0].startswith(f"error: {rows / '3.npy'} is not a NumPy file")
    assert errors[1] == "warning: 1 input of 6 failed; the figures are those of the others"
    record = json.loads(run("evaluate", clamp, "--batch", rows, "--labels", labels(npy), "-m", "top1", "--json").stdout)
    assert record == {"top1": {"value": 0.8, "count": 5}, "failed": [str(rows / "3.npy")]}


def test_only_what_is_left_is_run(
    run: Run, clamp: Path, rows: Path, npy: Npy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second evaluation names the inputs by another path, and has another metric."""
    ran: list[str] = []
    read = BatchWork._read
    monkeypatch.setattr(BatchWork, "_read", lambda self, item: ran.append(Path(item.path).name) or read(self, item))
    given = ("--labels", labels(npy), "--save", tmp_path / "out")
    assert run("evaluate", clamp, "--batch", rows, *given, "-m", "top1").exit_code == 1
    assert sorted(ran) == [f"{number}.npy" for number in range(6)]
    ran.clear()
    np.save(rows / "3.npy", EYE[[0]])
    monkeypatch.chdir(tmp_path)
    second = run("evaluate", clamp, "--batch", "in", "--labels", labels(npy), "--save", "out", "-m", "f1", "-m", "top1")
    assert (second.exit_code, second.stdout) == (0, "f1: 0.822222 (6 elements)\ntop1: 83.33 % (5 of 6)\n")
    assert "note: 5 inputs done before, as out/records.jsonl says\n" in second.stderr
    assert ran == ["3.npy"]


def test_predictions(run: Run, clamp: Path, rows: Path, npy: Npy, tmp_path: Path) -> None:
    def written(name: str) -> str:
        given = ("--batch", rows, "--labels", labels(npy), "-m", "top1", "--predictions", tmp_path / name)
        assert f"note: wrote {tmp_path / name}\n" in run("evaluate", clamp, *given).stderr
        return (tmp_path / name).read_text()

    lines = written("p.csv").splitlines()
    assert lines[0] == "input,status,label,class,score,top1,error"
    assert lines[1] == f"{rows / '0.npy'},done,0,0,1.0,1.0,"
    assert lines[4].startswith(f'{rows / "3.npy"},failed,,,,,"{rows / "3.npy"} is not a NumPy file')
    assert lines[6] == f"{rows / '5.npy'},done,0,2,1.0,0.0,"
    last = json.loads(written("p.jsonl").splitlines()[5])
    assert last == {"input": str(rows / "5.npy"), "status": "done", "label": 0, "class": 2, "score": 1.0, "top1": 0.0}
    result = run("evaluate", clamp, "--batch", rows, "--labels", labels(npy), "-m", "top1", "--predictions", "p.txt")
    assert result.stderr == "error: p.txt: predictions are not written to .txt files, expected .csv or .jsonl\n"


def test_no_input_can_be_run(run: Run, clamp: Path, rows: Path, npy: Npy) -> None:
    result = run("evaluate", clamp, "--batch", rows / "3.npy", "--labels", npy("y.npy", i64([1])), "-m", "top1")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith("error: no input could be run, of 1\n")


@pytest.mark.parametrize("size", [1, 2, 5])
def test_batches_and_labels_with_and_without_an_axis(
    tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores [1,C,H,W] beside labels [H,W], [1,H,W] and those of --data."""
    net = Net()
    net.result(net.layer("ReLU", [net.parameter("x", "?,3,2,2")], tensor="y"))
    model = net.save(tmp_path / "net.xml")
    random = np.random.default_rng(3)
    (tmp_path / "in").mkdir()
    scores, truth = random.random((5, 3, 2, 2), np.float32), random.integers(0, 3, (5, 2, 2))
    for number in range(5):
        np.save(tmp_path / "in" / f"{number}.npy", scores[[number]])
    together: list[int] = []
    whole = BatchWork._together
    monkeypatch.setattr(BatchWork, "_together", lambda self, group: together.append(len(group)) or whole(self, group))
    expected = float(np.mean(scores.argmax(1) == truth))
    for given in (truth, truth[:, np.newaxis], {str(number): truth[number] for number in range(5)}):
        batch = run_batch(model, str(tmp_path / "in"), batch_size=size, workers=way(1, None, 1))
        found = evaluate_files(batch, given, ["confusion"]).scores["confusion"]
        assert (found.value, found.count) == (pytest.approx(expected), 20)
    assert set(together) == ({5} if size == 5 else {2} if size == 2 else set())


def test_a_label_that_does_not_fit_names_its_input(clamp: Path, rows: Path) -> None:
    with pytest.raises(RequestError, match=r"1\.npy: label 7 is outside of the output, expected the classes 0 to 2"):
        evaluate_files(run_batch(clamp, str(rows)), i64([0, 7, 0, 0, 0, 0]), ["top1"])
    found = evaluate_files(run_batch(clamp, str(rows)), i64([0, 7, 0, 0, 0, 0]), ["top1"], matching=Matching(7))
    assert (found.scores["top1"].value, found.scores["top1"].ignored) == (0.25, 1)


def test_sums_do_not_depend_on_the_order(clamp: Path, rows: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Floating-point sums are those of the inputs in order, whatever order workers return them in."""
    random = np.random.default_rng(5)
    for number in range(6):
        np.save(rows / f"{number}.npy", random.random((1, 3), np.float32))
    truth = random.random((6, 3)) * 10.0 ** np.arange(6)[:, np.newaxis]
    batch = run_batch(clamp, str(rows))
    expected = evaluate_files(batch, truth, ["mae", "r2", "mse"]).scores
    returned = list(batch.all(0))
    for order in ((5, 4, 3, 2, 1, 0), (1, 5, 0, 4, 2, 3)):
        shuffled = [returned[place] for place in order]
        monkeypatch.setattr(batch, "all", lambda _, shuffled=shuffled: (item for item in shuffled))
        assert evaluate_files(batch, truth, ["mae", "r2", "mse"]).scores == expected


def test_a_shape_and_threads(run: Run, clamp: Path, rows: Path, npy: Npy) -> None:
    given = ("--batch", rows / "1.npy", "--labels", npy("y.npy", i64([1])), "-m", "top1")
    assert run("evaluate", clamp, *given, "--shape", "1,3", "--threads", "1", "--precision", "bf16").exit_code == 0
    refused = run("evaluate", clamp, *given, "--shape", "2,3")
    assert "has shape [1,3], expected [2,3]; --shape 'image:0[1,3]' reshapes the model" in refused.stderr


def test_all_outputs_in_one_file(run: Run, clamp: Path, rows: Path, tmp_path: Path) -> None:
    def into(name: str) -> Any:
        return run("run", clamp, "--batch", rows, "-o", tmp_path / "out", "--into", tmp_path / name)

    result = into("all.npz")
    assert result.stderr.endswith(f"note: wrote the outputs of 5 inputs into {tmp_path / 'all.npz'}\n")
    with np.load(tmp_path / "all.npz") as found:
        assert [Path(name).stem for name in found["inputs"]] == ["0", "1", "2", "4", "5"]
        np.testing.assert_array_equal(found["scores"], EYE[[0, 1, 2, 1, 2]])
    assert into("all.csv").stderr == (
        f"error: --into {tmp_path / 'all.csv'}: outputs are not joined in .csv files, expected .npz or .parquet\n"
    )
    np.save(rows / "3.npy", f32([[1, 2, 3], [4, 5, 6]]))
    assert into("all.npz").stderr.endswith(
        f'output "scores" of {rows / "3.npy"} is f32[2, 3], and f32[1, 3] of {rows / "0.npy"}; '
        "a .parquet file holds outputs of different shapes\n"
    )
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed, the extra parquet")
    assert into("all.parquet").exit_code == 0
    table = parquet.read_table(tmp_path / "all.parquet").to_pylist()
    assert [Path(row["inputs"]).stem for row in table] == list("012345")
    assert (table[3]["scores"], table[3]["scores shape"]) == ([1, 1, 1, 1, 1, 1], [2, 3])


def test_several_outputs_and_text_in_one_file(run: Run, tmp_path: Path) -> None:
    net = Net()
    x = net.parameter("x", "2", "string")
    net.result(x)
    net.result(net.layer("Identity", [x], opset=16, tensor="inputs"))
    (tmp_path / "in").mkdir()
    for number, texts in enumerate((["a", "b"], ["long", "é"])):
        np.save(tmp_path / "in" / f"{number}.npy", np.array(texts))
    model = net.save(tmp_path / "net.xml")
    given = ("--batch", tmp_path / "in", "-o", tmp_path / "out", "--into", tmp_path / "all.npz")
    assert run("run", model, *given).exit_code == 0
    with np.load(tmp_path / "all.npz") as found:
        assert found["x"].tolist() == found["inputs"].tolist() == [["a", "b"], ["long", "é"]]
        assert [Path(name).name for name in found["inputs_"]] == ["0.npy", "1.npy"]


def test_numbers_that_are_none_are_json(run: Run, clamp: Path, tmp_path: Path, npy: Npy) -> None:
    row = npy("x.npy", f32([[np.nan, np.inf, 0.25]]))
    assert run("run", clamp, "--batch", row, "-o", tmp_path / "out", "--top", "3").exit_code == 0
    (line,) = (tmp_path / "out" / "records.jsonl").read_text().splitlines()

    def refuse(text: str) -> None:
        raise AssertionError(text)

    record = json.loads(line, parse_constant=refuse)
    assert [item["score"] for item in record["top"][0]] == [1.0, 0.25, "NaN"]


def test_names_of_the_likeliest_classes(run: Run, clamp: Path, rows: Path, tmp_path: Path) -> None:
    names = tmp_path / "names.txt"
    names.write_text("cat\ndog\nbird\n")
    result = run("run", clamp, "-i", rows / "1.npy", "--top", "2", "--classes", names)
    assert result.stdout.splitlines()[-1] == "top: dog (1), cat (0)"
    out = tmp_path / "out"
    assert run("run", clamp, "--batch", rows / "2.npy", "-o", out, "--top", "1", "--classes", names).exit_code == 0
    record = json.loads((out / "records.jsonl").read_text())
    assert record["top"] == [[{"class": 2, "name": "bird", "score": 1.0}]]
    names.write_text("cat\ndog\n")
    result = run("run", clamp, "--batch", rows, "-o", out, "--top", "1", "--classes", names)
    assert result.stderr == "error: --classes has 2 names, expected 3, one for each score of the output\n"
    assert run("run", clamp, "-i", rows / "1.npy", "--classes", names).exit_code == 2


def test_an_input_from_the_standard_input(clamp: Path) -> None:
    def given(data: bytes, *arguments: str) -> Any:
        command = ["run", os.fspath(clamp), *arguments, "--json"]
        return click.testing.CliRunner().invoke(app, command, input=data, prog_name="irrun")

    plain, archive = io.BytesIO(), io.BytesIO()
    np.save(plain, f32([[0.5, -1, 2]]))
    np.savez(archive, **{"image:0": f32([[0.5, -1, 2]])})
    for data, text in ((plain, "-"), (plain, "image=-"), (archive, "-")):
        result = given(data.getvalue(), "-i", text)
        assert json.loads(result.stdout)["outputs"][0]["values"] == [[0.5, 0, 1]], result.stderr
    assert given(b"", "-i", "-").stderr == (
        "error: -: the standard input is empty, or was read before, expected one array or image\n"
    )


def test_inputs_of_a_benchmark_in_turns(run: Run, clamp: Path, rows: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from irrun.model import Session

    seen: list[int] = []
    original = Session.run
    monkeypatch.setattr(
        Session, "run", lambda self, inputs: seen.append(int(inputs[0].argmax())) or original(self, inputs)
    )
    files = [item for number in (0, 1, 2) for item in ("--batch", rows / f"{number}.npy")]
    result = run("bench", clamp, *files, "--niter", "5", "--json")
    record = json.loads(result.stdout)
    assert (record["files"], record["engines"]["irrun"]["iterations"]) == (3, 5)
    assert seen == [0, 1, 2, 0, 1, 2]
    assert "-i and --batch are given" in run("bench", clamp, *files, "-i", rows / "0.npy").stderr


def test_a_worker_that_does_not_see_the_inputs(clamp: Path, rows: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A single line names the worker; a file that is gone here too is a failure of its own."""
    work = BatchWork(Inference(clamp, travels=True))
    seen, gone = BatchItem(str(rows / "0.npy"), "0"), BatchItem(str(rows / "gone.npy"), "gone")
    (rows / "0.npy").rename(rows / "elsewhere.npy")
    found = [work((item,)) for item in (gone, seen)]
    (rows / "elsewhere.npy").rename(rows / "0.npy")
    monkeypatch.setattr(running, "spread", lambda *_: enumerate(found))
    records = running.results(work, [(gone,), (seen,)], way(1, "tcp://host:1", None))
    assert next(records) == (
        0,
        {"input": gone.path, "status": "failed", "error": f"{gone.path}: No such file or directory"},
    )
    with pytest.raises(RequestError) as error:
        next(records)
    assert str(error.value) == (
        f"{seen.path}: No such file or directory; "
        f"the worker on {gethostname()} needs the files of this machine under the same path"
    )


def test_a_worker_that_does_not_see_an_extension(clamp: Path, rows: Path) -> None:
    work = BatchWork(Inference(clamp, extensions=["operations_of_nobody"], travels=True))
    with pytest.raises(
        RequestError, match=r"no module operations_of_nobody, .*; the worker on .* needs the files of this"
    ):
        work((BatchItem(str(rows / "0.npy"), "0"),))


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    """a f32[?,3] and b f32[?,3] -> "sum" and "a/largest", f32[?,3]."""
    net = Net()
    a, b = (net.parameter(name, "?,3") for name in "ab")
    net.result(net.layer("Add", [a, b], tensor="sum"), net.layer("Maximum", [a, b], tensor="a/largest"))
    return net.save(tmp_path / "pair.xml")


def test_one_of_several_outputs_of_two_inputs(run: Run, pair: Path, npy: Npy, tmp_path: Path) -> None:
    """The second evaluation reads the output from the archive of each sample."""
    (tmp_path / "in").mkdir()
    for number in range(3):
        np.savez(tmp_path / "in" / f"{number}.npz", a=EYE[[number]], b=f32([[0, 3, 0]]))
    given = ("--batch", tmp_path / "in", "--labels", npy("y.npy", i64([0, 1, 2])), "-m", "top1")
    for output, right in (("sum", 1), ("a/largest", 1)):
        for save in ((), ("--save", tmp_path / "out"), ("--save", tmp_path / "out")):
            result = run("evaluate", pair, *given, "--output", output, *save)
            assert (result.exit_code, result.stdout) == (0, f"top1: 33.33 % ({right} of 3)\n"), result.stderr
    many = run("run", pair, "--batch", tmp_path / "in", "-o", tmp_path / "out", "--into", tmp_path / "all.npz")
    assert many.stdout == "0 inputs done, 3 before, 0 failed\n"
    with np.load(tmp_path / "all.npz") as found:
        np.testing.assert_array_equal(found["a/largest"], [[1, 3, 0], [0, 3, 0], [0, 3, 1]])


def test_files_of_one_value_for_two_inputs_fail_once(run: Run, pair: Path, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in range(3):
        (tmp_path / "in" / f"{number}.bin").write_bytes(bytes(12))
    result = run("run", pair, "--batch", tmp_path / "in", "-o", tmp_path / "out")
    message = f"{tmp_path / 'in' / '0.bin'} is one value, and the model has 2 inputs; give an .npz file"
    assert (result.exit_code, result.stderr) == (2, f"error: {message}\n")
    np.savez(tmp_path / "in" / "3.npz", a=EYE[[0]], b=EYE[[0]])
    mixed = run("run", pair, "--batch", tmp_path / "in", "-o", tmp_path / "out")
    assert (mixed.exit_code, mixed.stdout.startswith("1 input done"), mixed.stderr.count(" is one value")) == (
        2,
        True,
        3,
    )


def test_labels_by_name_for_rows(run: Run, clamp: Path, npy: Npy, tmp_path: Path) -> None:
    rows, names, ordered = npy("x.npy", EYE), tmp_path / "y.csv", tmp_path / "y.txt"
    names.write_text("a,0\nb,1\nc,2\n")
    ordered.write_text("0\n1\n1\n")
    np.savez(tmp_path / "y.npz", labels=i64([0, 1, 2]))

    def said(labels: Path) -> Any:
        return run("evaluate", clamp, "--data", rows, "--labels", labels, "-m", "top1")

    assert said(names).stderr == (
        f"error: {names} has labels by name, and rows of --data have none; expected an array, or one label a line\n"
    )
    assert said(ordered).stdout == "top1: 66.67 % (2 of 3)\n"
    assert said(tmp_path / "y.npz").stdout == "top1: 100.00 % (3 of 3)\n"


def test_records_need_a_folder(clamp: Path, rows: Path) -> None:
    with pytest.raises(RequestError, match="records are those of a folder of outputs, expected one"):
        run_batch(clamp, str(rows), records=rows / "records.jsonl")


def test_predictions_do_not_replace_an_input(run: Run, clamp: Path, rows: Path, npy: Npy, tmp_path: Path) -> None:
    (tmp_path / "found.csv").symlink_to(rows / "0.npy")
    given = ("--batch", rows, "--labels", labels(npy), "-m", "top1", "--predictions", tmp_path / "found.csv")
    assert run("evaluate", clamp, *given).stderr == (
        f"error: {tmp_path / 'found.csv'} is read by this command, expected another file for the output\n"
    )
    (tmp_path / "all.npz").symlink_to(rows / "0.npy")
    given = ("--batch", rows, "-o", tmp_path / "out", "--into", tmp_path / "all.npz")
    assert "all.npz is read by this command" in run("run", clamp, *given).stderr

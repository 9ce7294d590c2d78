"""irrun run --batch: which files, what is written, what is left, and what is wrong."""

from __future__ import annotations

import importlib.util
import json
import struct
import zlib
from pathlib import Path
from threading import Semaphore, Thread
from typing import Any

import numpy as np
import pytest

from irrun.diagnostics.requests import RequestError
from irrun.evaluation.batch.items import items_of
from irrun.evaluation.batch.work import Sharing
from irrun.jobs.items import Way, way
from irrun.model import build, load
from tests.cases import f32, i64
from tests.cli.conftest import Run
from tests.nets import Net

DIGITS = Path(__file__).parents[2] / "examples" / "digits"


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Twelve inputs of the clamp model, numbered without leading zeros."""
    folder = tmp_path / "in"
    folder.mkdir()
    for index in range(12):
        np.save(folder / f"{index}.npy", f32([[index / 10, -1, 2]]))
    return folder


def records(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "records.jsonl").read_text().splitlines()]


@pytest.mark.parametrize(
    ("pattern", "options"),
    [
        *[("in", options) for options in ([], ["--requests", "3"], ["--batch-size", "5"])],
        pytest.param("in", ["--jobs", "2", "--requests", "2"], marks=pytest.mark.rest),
        *[(pattern, []) for pattern in ("in/*.npy", "i*/**/*.npy")],
    ],
)
def test_each_file_has_its_output(
    run: Run, clamp: Path, rows: Path, tmp_path: Path, options: list[str], pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("run", clamp, "--batch", pattern, "-o", "out", *options, "--json")
    assert result.exit_code == 0, result.stderr
    assert {key: json.loads(result.stdout)[key] for key in ("done", "before", "failed")} == {
        "done": 12,
        "before": 0,
        "failed": 0,
    }
    folder = tmp_path / ("out/in" if pattern.startswith("i*") else "out")
    for index in range(12):
        np.testing.assert_array_equal(np.load(folder / f"{index}.npy"), f32([[min(index / 10, 1), 0, 1]]))
    assert sorted(Path(item["input"]).name for item in records(tmp_path / "out")) == sorted(
        path.name for path in rows.iterdir()
    )
    assert records(tmp_path / "out")[0]["outputs"] == {"scores": {"type": "f32", "shape": [1, 3]}}


def test_hidden_files_are_left_out(run: Run, clamp: Path, rows: Path, tmp_path: Path) -> None:
    (rows / ".cache").mkdir()
    for name in ("._0.npy", ".cache/1.npy"):
        (rows / name).write_bytes(b"x")
    result = run("run", clamp, "--batch", rows, "-o", tmp_path / "out", "--json")
    assert (result.exit_code, json.loads(result.stdout)["done"]) == (0, 12), result.stderr


def test_outputs_below_the_inputs_are_no_inputs(run: Run, clamp: Path, rows: Path) -> None:
    for before in (0, 12):
        result = run("run", clamp, "--batch", rows, "-o", rows / "out", "--json")
        assert (result.exit_code, json.loads(result.stdout)["before"]) == (0, before), result.stderr
    result = run("run", clamp, "--batch", rows, "-o", rows)
    assert result.stderr == f"error: {rows} is the folder of the inputs, expected another one for the outputs\n"


def test_only_what_is_left_is_done(run: Run, clamp: Path, rows: Path, tmp_path: Path) -> None:
    def done(*options: str) -> tuple[int, int]:
        record = json.loads(run("run", clamp, "--batch", rows, "-o", tmp_path / "out", *options, "--json").stdout)
        return record["done"], record["before"]

    assert done() == (12, 0)
    assert done() == (0, 12)
    np.save(rows / "3.npy", f32([[9, 9, 9]]))
    (tmp_path / "out" / "5.npy").unlink()
    np.save(rows / "new.npy", f32([[0, 0, 0]]))
    assert done() == (3, 10)
    assert np.load(tmp_path / "out" / "3.npy").tolist() == [[1, 1, 1]]
    with (tmp_path / "out" / "records.jsonl").open("a") as file:
        file.write('{"input": "cut')
    np.save(rows / "last.npy", f32([[0, 0, 0]]))
    assert done() == (1, 13)
    assert done() == (0, 14)
    assert done("--shape", "?,3") == (14, 0)


def test_a_file_that_cannot_be_run_is_its_finding(run: Run, clamp: Path, rows: Path, tmp_path: Path) -> None:
    np.save(rows / "4.npy", f32([[1, 2]]))
    (rows / "6.npy").write_bytes(b"no array")
    result = run("run", clamp, "--batch", rows, "-o", tmp_path / "out", "--batch-size", "4")
    assert result.exit_code == 2
    assert result.stdout.endswith(", 2 failed\n")
    lines = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    assert len(lines) == 2
    assert lines[0].startswith(f"error: {rows / '4.npy'}: ")
    assert lines[1].startswith(f"error: {rows / '6.npy'} is not a NumPy file")
    assert sorted(item["status"] for item in records(tmp_path / "out")) == ["done"] * 10 + ["failed"] * 2
    np.save(rows / "4.npy", f32([[1, 2, 3]]))
    assert json.loads(run("run", clamp, "--batch", rows, "-o", tmp_path / "out", "--json").stdout)["done"] == 1


def test_natural_order_and_equal_stems(tmp_path: Path) -> None:
    for name in ("a/10.npy", "a/9.npy", "b/9.npy", "a/9.png", "notes.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    assert [item.name for item in items_of([str(tmp_path)])] == ["a/9.npy", "a/9.png", "a/10", "b/9"]


def test_names_of_several_folders_are_distinct(run: Run, clamp: Path, tmp_path: Path) -> None:
    for folder, value in (("a", 0.25), ("b", 0.75)):
        (tmp_path / folder).mkdir()
        np.save(tmp_path / folder / "x.npy", f32([[value, 0, 0]]))
    folders = [str(tmp_path / "a"), str(tmp_path / "b")]
    assert [item.name for item in items_of(folders)] == ["a/x.npy", "b/x.npy"]
    out = tmp_path / "out"
    result = run("run", clamp, "--batch", folders[0], "--batch", folders[1], "-o", out)
    assert result.exit_code == 0
    assert [np.load(out / f"{name}/x.npy.npy")[0, 0] for name in "ab"] == [0.25, 0.75]


def test_names_that_cannot_be_distinct(tmp_path: Path) -> None:
    for name in ("a/x.npy", "b/x.npy", "c/a/x.npy.npz"):
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.touch()
    with pytest.raises(RequestError, match=r"x\.npy\.npz would write the same output, expected another folder"):
        items_of([str(tmp_path / name) for name in ("a", "b", "c")])


@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.rest)])
def test_steps_of_a_stateful_model(run: Run, tmp_path: Path, jobs: str) -> None:
    net = Net("sum")
    x = net.parameter("x", "1")
    zero = net.constant(f32([0]))
    variable = {"variable_id": "total", "variable_type": "f32", "variable_shape": "1"}
    before = net.layer("ReadValue", [zero], opset=6, **variable)
    after = net.layer("Add", [before, x], name="total", tensor="total")
    net.layer("Assign", [after], opset=6, variable_id="total")
    net.result(after)
    model = net.save(tmp_path / "sum.xml")
    for folder in ("a", "b"):
        (tmp_path / "in" / folder).mkdir(parents=True)
        for step in range(11):
            np.save(tmp_path / "in" / folder / f"step{step}.npy", f32([step + (folder == "b")]))
    out = tmp_path / "out"
    assert run("run", model, "--batch", tmp_path / "in", "-o", out, "--steps", "--jobs", jobs).exit_code == 0
    assert [np.load(out / "a" / f"step{step}.npy").item() for step in (0, 1, 2, 10)] == [0, 1, 3, 55]
    assert np.load(out / "b" / "step10.npy").item() == 66


def test_raw_bytes(run: Run, clamp: Path, tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(f32([[3, -1, 0.25]]).tobytes())
    result = run("run", clamp, "--batch", tmp_path / "x.bin", "-o", tmp_path / "out", "--shape", "1,3")
    assert result.exit_code == 0, result.stderr
    assert np.load(tmp_path / "out" / "x.npy").tolist() == [[1, 0, 0.25]]
    (tmp_path / "x.bin").write_bytes(b"short")
    result = run("run", clamp, "--batch", tmp_path / "x.bin", "-o", tmp_path / "out", "--shape", "1,3")
    assert result.stderr.startswith(f"error: {tmp_path / 'x.bin'} has 5 bytes, expected 12 for f32[1,3]\n")
    result = run("run", clamp, "--batch", tmp_path / "x.bin", "-o", tmp_path / "out")
    assert result.stderr.startswith(f'error: {tmp_path / "x.bin"} has no shape, and input "image:0" is [?,3]; --shape')


@pytest.mark.parametrize(("shape", "axes"), [("1,3,2,4", (2, 0, 1)), ("1,2,4,3", (0, 1, 2)), ("3,?,?", (2, 0, 1))])
def test_images(run: Run, tmp_path: Path, shape: str, axes: tuple[int, ...]) -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed, the extra images")
    pixels = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    image.fromarray(pixels).save(tmp_path / "x.png")
    net = Net()
    net.result(net.layer("Abs", [net.parameter("x", shape)], tensor="y"))
    options = ("--mean-values", "[1,2,3]", "--scale-values", "2,4,8")
    result = run("run", net.save(tmp_path / "n.xml"), "--batch", tmp_path / "x.png", "-o", tmp_path / "out", *options)
    assert result.exit_code == 0, result.stderr
    expected = np.abs((pixels[..., ::-1] - f32([1, 2, 3])) / f32([2, 4, 8])).transpose(axes)
    np.testing.assert_allclose(np.load(tmp_path / "out" / "x.npy").reshape(expected.shape), expected)


def image_model(tmp_path: Path, shape: str) -> Path:
    net = Net()
    net.result(net.layer("Abs", [net.parameter("x", shape)], tensor="y"))
    return net.save(tmp_path / "n.xml")


def test_images_of_16_bits_and_turned_ones(run: Run, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed, the extra images")
    image.fromarray(np.array([[0, 255, 256, 65535]], np.uint16)).save(tmp_path / "deep.png")
    exif = image.Exif()
    exif[0x112] = 6
    image.fromarray(np.array([[0], [0], [0], [248]], np.uint8)).save(tmp_path / "turned.jpg", exif=exif, quality=100)
    model = image_model(tmp_path, "1,1,1,4")
    files = [option for name in ("deep.png", "turned.jpg") for option in ("--batch", tmp_path / name)]
    assert run("run", model, *files, "-o", tmp_path / "out").exit_code == 0
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "deep.npy").reshape(-1), [0, 0, 1, 255])
    np.testing.assert_allclose(np.load(tmp_path / "out" / "turned.npy").reshape(-1), [248, 0, 0, 0], atol=8)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("name", "size", "message"),
    [
        ("x.png", (60_000, 60_000), "exceeds limit"),
        ("eps", (4, 4), "it is none of PNG, JPEG, BMP, WEBP"),
        ("pcx", (4, 4), "it is none of PNG, JPEG, BMP, WEBP"),
    ],
)
def test_images_that_are_refused(run: Run, tmp_path: Path, name: str, size: tuple[int, int], message: str) -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed, the extra images")
    path = tmp_path / "x.png"
    image.new("L", (4, 4)).save(path, None if name == path.name else name)
    if name == path.name:
        header = b"IHDR" + struct.pack(">II", *size) + path.read_bytes()[24:29]
        path.write_bytes(
            path.read_bytes()[:12] + header + struct.pack(">I", zlib.crc32(header)) + path.read_bytes()[33:]
        )
    result = run("run", image_model(tmp_path, "1,1,4,4"), "--batch", path, "-o", tmp_path / "out")
    assert result.exit_code == 2
    assert f"{path} cannot be read as an image" in result.stderr
    assert message in result.stderr


def test_wrong_uses(run: Run, clamp: Path, add: Path, rows: Path, tmp_path: Path) -> None:
    def said(*arguments: Any, model: Path = clamp) -> str:
        result = run("run", model, *arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        return str(result.stderr.splitlines()[-1])

    without = "-i, --value, --random, --check, --dump, --stats or --stop-at"
    assert said("--batch", rows).endswith(f"--batch requires -o FOLDER, and cannot be combined with {without}")
    assert (
        said("--batch", rows, "-o", "x.npz")
        == "error: x.npz is a file, expected a folder for the outputs of many inputs"
    )
    assert said("--batch", "none/*.npy", "-o", tmp_path).startswith("error: --batch none/*.npy: there is no such file")
    assert said("--batch", rows, "-o", tmp_path, "--batch-size", "3", model=add).startswith(
        'error: --batch-size: input "a:0" is i64[2], expected a dynamic first dim or 3'
    )
    assert "is not the address of a scheduler" in said("--batch", rows, "-o", tmp_path, "--scheduler", "tpc://x:1") or (
        importlib.util.find_spec("distributed") is None
    )


@pytest.mark.parametrize("requests", ["1", "4"])
def test_records_are_in_the_order_of_the_inputs(
    run: Run, clamp: Path, rows: Path, tmp_path: Path, requests: str
) -> None:
    assert run("run", clamp, "--batch", rows, "-o", tmp_path / "out", "--requests", requests).exit_code == 0
    assert [Path(item["input"]).stem for item in records(tmp_path / "out")] == [str(index) for index in range(12)]


def test_processors_are_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("irrun.jobs.items.processors", lambda: 20)
    assert way(1, None, None) == Way(1, None, 8, 2)
    assert way(1, None, None, 6) == Way(1, None, 3, 6)
    assert way(1, None, 5) == Way(1, None, 5, 4)
    assert way(1, None, 40) == Way(1, None, 40, 1)
    assert way(0, None, None) == Way(20, None, 1, 1)
    assert way(4, None, 2, 3) == Way(4, None, 2, 3)
    assert way(1, "local", None) == Way(1, "local", 1, 1)


def test_requests_share_the_budget_of_memory(clamp: Path) -> None:
    """Each inference holds 24 bytes: two fit a budget of 60, and one of 100 runs alone."""
    sharing = Sharing(build(load(clamp), {"MAX_MEMORY": 60}))
    row = {0: f32([[1, 2, 3]])}
    large = {0: f32(np.ones((5, 3)))}
    running = Semaphore(0)
    done: list[str] = []

    def wait(name: str, given: dict[int, Any]) -> Thread:
        def body() -> None:
            with sharing.running(given):
                done.append(name)
                running.release()

        thread = Thread(target=body, daemon=True)
        thread.start()
        return thread

    with sharing.running(row):
        second = wait("second", row)
        assert running.acquire(timeout=60)
        second.join()
        third = wait("large", large)
        assert not running.acquire(timeout=0.05)
    third.join(timeout=60)
    assert done == ["second", "large"]


@pytest.mark.parametrize(
    ("shape", "options", "message"),
    [
        (
            "1,3,2,4",
            ("--layout", "NWHD"),
            'input "x" ([1,3,2,4]) is not an image of the layout NWHD; --layout names its axes',
        ),
        (
            "1,3,2,4",
            ("--layout", "CHW"),
            'input "x" ([1,3,2,4]) is not an image of the layout CHW; --layout names its axes',
        ),
        ("1,5,2,4", ("--layout", "NCHW"), 'input "x" has 5 channels, expected 1 or 3 for '),
        ("1,3,2,4", ("--mean-values", "[1,2]"), "--mean-values has 2 values, expected 3, one for each channel"),
    ],
)
def test_images_that_do_not_fit(run: Run, tmp_path: Path, shape: str, options: tuple[str, ...], message: str) -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed, the extra images")
    image.fromarray(np.zeros((2, 4, 3), np.uint8)).save(tmp_path / "x.png")
    net = Net()
    net.result(net.layer("Abs", [net.parameter("x", shape)], tensor="y"))
    result = run("run", net.save(tmp_path / "n.xml"), "--batch", tmp_path / "x.png", "-o", tmp_path / "out", *options)
    assert result.exit_code != 0
    assert message in result.stderr


def test_images_are_resized_and_rounded(run: Run, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed, the extra images")
    image.fromarray(np.full((2, 4, 3), (10, 20, 30), np.uint8)).save(tmp_path / "x.png")
    net = Net()
    net.result(net.layer("Abs", [net.parameter("x", "1,3,4,8", "i8")], tensor="y"))
    options = ("--mean-values", "0,0,200", "--scale-values", "0.1,8,1")
    result = run("run", net.save(tmp_path / "n.xml"), "--batch", tmp_path / "x.png", "-o", tmp_path / "out", *options)
    assert result.exit_code == 0, result.stderr
    made = np.load(tmp_path / "out" / "x.npy")
    assert (made.shape, made.dtype) == ((1, 3, 4, 8), np.int8)
    assert [np.unique(channel).tolist() for channel in made[0]] == [[127], [2], [-128]]


def test_one_value_is_no_pair(run: Run, add: Path, tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(b"\0" * 16)
    result = run("run", add, "--batch", tmp_path / "x.bin", "-o", tmp_path / "out")
    assert f"{tmp_path / 'x.bin'} is one value, and the model has 2 inputs; give an .npz file" in result.stderr
    np.savez(tmp_path / "half.npz", a=i64([1, 2]))
    result = run("run", add, "--batch", tmp_path / "half.npz", "-o", tmp_path / "out")
    assert f'{tmp_path / "half.npz"} has no value for input "b:0"' in result.stderr

"""irrun run: the example of the README, weights, printed and written outputs."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.evaluation.files.saving import file_stems, member_names
from tests.cases import f32, i64
from tests.cli.conftest import Npy, Run, one_line
from tests.nets import Net

EXAMPLES = Path(__file__).parents[2] / "examples"
DIGITS = EXAMPLES / "digits"


# -- the example of the README


def test_digit(run: Run) -> None:
    result = run("run", DIGITS / "model.xml", "-i", f"image={DIGITS / 'seven.npy'}", "--top", "3")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0].split()[:2] == ["scores", "f32[1,10]"]
    assert lines[2].startswith("top: class 7 (0.9996), class 9 (0.0002")


def test_layer_by_layer_in_one_thread(run: Run) -> None:
    result = run(
        *("run", DIGITS / "model.xml", "-i", DIGITS / "seven.npy", "--as-written", "--threads", "1", "-v", "--top", "1")
    )
    assert result.exit_code == 0
    assert result.stdout.splitlines()[2] == "top: class 7 (0.9996)"
    fused = run("run", DIGITS / "model.xml", "-i", DIGITS / "seven.npy", "-v")
    steps = [int(text.stderr.split(": ")[1].split(" steps")[0]) for text in (result, fused)]
    assert steps[0] > steps[1]


def test_in_low_memory(run: Run) -> None:
    result = run("run", DIGITS / "model.xml", "-i", DIGITS / "seven.npy", "--low-memory", "--top", "1")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[2] == "top: class 7 (0.9996)"


def test_scores_are_those_of_the_native_engine(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "out.npz"
    run("run", DIGITS / "model.xml", "-i", DIGITS / "heldout_images.npy", "-o", target)
    np.testing.assert_allclose(np.load(target)["scores"], np.load(DIGITS / "expected_scores.npy"), rtol=1e-4, atol=1e-6)


def test_version_10(run: Run, tmp_path: Path, npy: Npy) -> None:
    net = Net("old")
    x = net.parameter("x", "2", "i64")
    net.result(net.layer("Abs", [x], name="y"))
    path = net.save(tmp_path / "old.xml")
    path.write_text(path.read_text().replace('version="11"', 'version="10"'))
    result = run("run", path, "-i", f"x={npy('x.npy', np.array([-5, 7]))}", "-o", tmp_path / "y.npy")
    assert result.stdout == "y  i32[2]  min 5  max 7  mean 6\n  [5, 7]\n"
    assert np.load(tmp_path / "y.npy").dtype == np.int32
    record = json.loads(run("run", path, "--random", "--output-format", "json").stdout)
    assert [(item["name"], item["type"]) for item in record["outputs"]] == [("y", "i32")]


def test_a_layer_of_an_extension_is_named_before_anything_runs(run: Run, tmp_path: Path) -> None:
    net = Net()
    x = net.layer("Edge", [net.parameter("x", "2")], "2", "extension", name="edges")
    net.result(net.layer("Blur", [x], "2", "extension"))
    path = net.save(tmp_path / "custom.xml")
    result = run("run", path, "--random")
    assert (result.exit_code, result.stdout) == (2, "")
    what = "Edge of extension is an operation of a library, which irrun cannot run; expected operations of opset1"
    assert result.stderr.startswith(f'{path}:12:30: error: Edge 1 "edges": {what}')
    assert result.stderr.endswith("= 1 more layer is of extensions: Blur\n")


# -- weights


def test_weights_elsewhere(run: Run, tmp_path: Path, npy: Npy) -> None:
    net = Net()
    net.result(net.layer("Add", [net.parameter("x", "2"), net.constant(f32([1, 2]))], name="y"))
    path = net.save(tmp_path / "model.xml")
    (tmp_path / "model.bin").rename(tmp_path / "other.bin")
    x = npy("x.npy", [10.0, 20.0])
    lost = run("run", path, "-i", x)
    assert (lost.exit_code, lost.stdout) == (2, "")
    assert "there is no weights file [IR501]" in lost.stderr
    found = run("run", path, "-i", x, "--weights", tmp_path / "other.bin")
    assert found.stdout.splitlines()[1] == "  [11., 22.]"


def test_findings_that_do_not_stop_a_run_are_announced(run: Run, tmp_path: Path) -> None:
    net = Net()
    x = net.parameter("x", "2")
    net.result(net.layer("Clamp", [x], "2", name="y", min=0, max=1, strange=1))
    path = net.save(tmp_path / "strange.xml")
    result = run("run", path, "--random")
    assert result.exit_code == 0
    assert result.stderr == f"warning: 1 finding in {path}; irrun lint {path} shows it\n"
    assert run("run", "-q", path, "--random").stderr == ""
    assert (
        'warning of layer "y" (Clamp): Clamp has no attribute strange [IR302]'
        in run("run", "-v", path, "--random").stderr
    )


# -- printed output


def test_nan_and_infinity_are_counted(run: Run, tmp_path: Path, npy: Npy) -> None:
    net = Net()
    net.result(net.parameter("x", "?"), name="x")
    path = net.save(tmp_path / "x.xml")
    values = npy("x.npy", f32([1, np.nan, np.inf, -np.inf, 3]))
    assert run("run", path, "-i", values).stdout.splitlines()[0] == "x  f32[5]  min 1  max 3  mean 2  1 NaN  2 Inf"
    known = json.loads(run("run", path, "-i", values, "--output-format", "json").stdout)["outputs"][0]
    assert known["values"] == [1.0, "NaN", "Infinity", "-Infinity", 3.0]
    assert (known["nan"], known["inf"]) == (1, 2)
    nothing = npy("n.npy", f32([np.nan, np.nan]))
    assert run("run", path, "-i", nothing).stdout == "x  f32[2]  all NaN\n  [nan, nan]\n"
    assert run("run", path, "-i", npy("e.npy", f32([]))).stdout == "x  f32[0]  empty\n"


def test_many_values_are_not_printed(run: Run, tmp_path: Path, npy: Npy) -> None:
    net = Net()
    net.result(net.parameter("x", "?"), name="x")
    path = net.save(tmp_path / "x.xml")
    assert run("run", path, "-i", npy("x.npy", f32(range(11)))).stdout == "x  f32[11]  min 0  max 10  mean 5\n"


def test_strings_and_booleans(run: Run, tmp_path: Path, npy: Npy) -> None:
    net = Net()
    net.result(net.parameter("s", "?", "string"))
    net.result(net.parameter("b", "3", "boolean"))
    path = net.save(tmp_path / "s.xml")
    words, flags = (
        npy("s.npy", np.array([f"w{index}" for index in range(12)])),
        npy("b.npy", np.array([True, False, True])),
    )
    assert run("run", path, "-i", f"s={words}", "-i", f"b={flags}").stdout == (
        "s  string[12]\n  ['w0', 'w1', 'w2', 'w3', 'w4', 'w5', 'w6', 'w7', 'w8', 'w9'] and 2 more\n"
        "b  boolean[3]  2 of 3 true\n  [ True, False,  True]\n"
    )


def test_top_of_one_row_without_a_batch(run: Run, tmp_path: Path, npy: Npy) -> None:
    net = Net()
    net.result(net.parameter("x", "3"))
    result = run("run", net.save(tmp_path / "net.xml"), "-i", npy("x.npy", f32([0.5, 2, 1])), "--top", "2")
    assert result.stdout.splitlines()[-1] == "top: class 1 (2), class 2 (1)"


def test_top_of_several_rows(run: Run, clamp: Path, npy: Npy) -> None:
    rows = npy("x.npy", f32([[0.1, 0.9, 0.5], [0.7, 0.2, 0.7]]))
    lines = run("run", clamp, "-i", rows, "--top", "2").stdout.splitlines()
    assert lines[-2:] == ["top: row 0: class 1 (0.9), class 2 (0.5)", "top: row 1: class 0 (0.7), class 2 (0.7)"]


def test_top_where_there_are_no_scores(run: Run, clamp: Path) -> None:
    result = run("run", clamp, "--random", "--shape", "image[11,3]", "--top", "1")
    assert result.stderr == "note: --top shows up to 10 rows of scores, and no output has such rows\n"


# -- written output


def test_folder(run: Run, add: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "in.npz", a=i64([1, 5]), b=i64([10, 20]))
    target = tmp_path / "new" / "folder"
    result = run("run", add, "-i", tmp_path / "in.npz", "-o", target)
    assert result.stderr == f"note: wrote {target}/sum.npy\nnote: wrote {target}/dir_small.npy\n"
    assert np.load(target / "sum.npy").tolist() == [11, 25]
    assert np.load(target / "dir_small.npy").tolist() == [1, 2]


def test_npz_keeps_names(run: Run, add: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.npz"
    run("run", add, "--random", "-o", target)
    assert np.load(target).files == ["sum", "dir/small"]


def test_one_array_in_one_file(run: Run, clamp: Path, npy: Npy, tmp_path: Path) -> None:
    target = tmp_path / "y.npy"
    run("-q", "run", clamp, "-i", npy("x.npy", f32([[5, 0.5, -5]])), "-o", target)
    written = np.load(target)
    assert (written.dtype, written.tolist()) == (np.float32, [[1.0, 0.5, 0.0]])


def test_targets_that_cannot_be(run: Run, add: Path, tmp_path: Path) -> None:
    both = tmp_path / "both.npy"
    assert one_line(run("run", add, "--random", "-o", both)) == (
        f"error: {both} holds one array, and there are 2 outputs; give a folder or an .npz file"
    )
    below = Path(add) / "sub"
    assert one_line(run("run", add, "--random", "-o", below)) == f"error: {below}: {add} is a file, expected a folder"


def test_types_that_numpy_does_not_have(run: Run, tmp_path: Path) -> None:
    net = Net()
    for type in ("bf16", "f8e4m3", "u4", "f16"):
        net.result(net.parameter(type, "2", type))
    result = run("run", net.save(tmp_path / "narrow.xml"), "--random", "-o", tmp_path / "out.npz")
    assert result.exit_code == 0
    assert result.stderr.splitlines()[:3] == [
        'note: "bf16" is bf16, which NumPy does not have: it is written as float32',
        'note: "f8e4m3" is f8e4m3, which NumPy does not have: it is written as float32',
        'note: "u4" is u4, which NumPy does not have: it is written as uint8',
    ]
    assert np.load(tmp_path / "out.npz")["f16"].dtype == np.float16


def test_strings_are_written_as_text(run: Run, tmp_path: Path, npy: Npy) -> None:
    net = Net()
    net.result(net.parameter("s", "2", "string"))
    target = tmp_path / "out.npy"
    run("run", net.save(tmp_path / "s.xml"), "-i", npy("s.npy", np.array(["a", "bcd"])), "-o", target)
    assert np.load(target, allow_pickle=False).tolist() == ["a", "bcd"]


@pytest.mark.parametrize("name", ["out.npz", "out.npy", "folder"])
def test_a_file_that_is_read_is_not_overwritten(run: Run, clamp: Path, npy: Npy, tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    assert run("run", clamp, "-i", npy("x.npy", f32([[5, 0.5, -5]])), "-o", target).exit_code == 0
    (source,) = target.iterdir() if target.is_dir() else [target]
    if name == "out.npz":
        np.savez(source, **{"image:0": f32([[5, 0.5, -5]])})
    content = source.read_bytes()
    result = run("run", clamp, "-i", source, "-o", target)
    assert result.exit_code == 2
    assert result.stderr == f"error: {source} is read by this command, expected another file for the output\n"
    assert source.read_bytes() == content


@pytest.mark.parametrize("target", ["out.npz", "out.npy", "out"])
def test_an_output_takes_its_place_when_it_is_complete(
    run: Run, clamp: Path, npy: Npy, tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = npy("x.npy", f32([[5, 0.5, -5]]))
    assert run("run", clamp, "-i", given, "-o", tmp_path / target).exit_code == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    def full(file: Any, *_: object, **__: object) -> None:
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numpy.lib.format.write_array", full)
    result = run("run", clamp, "-i", given, "-o", tmp_path / target)
    assert (result.exit_code, "No space left on device" in result.stderr) == (2, True)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_member_names() -> None:
    assert member_names(dict.fromkeys(["a/b:0", "x.1"])) == ["a/b:0", "x.1"]
    unsafe = ["../../evil", "/etc/passwd", "C:\\x", "a//b", "a/./b", "", "nul\0", "evil", "fine/x"]
    assert member_names(dict.fromkeys(unsafe)) == [
        *("evil_", "etc_passwd", "C_x", "a_b", "a_._b", "output", "nul", "evil", "fine/x"),
    ]


def test_unsafe_names_of_outputs_are_changed_and_said(run: Run, tmp_path: Path) -> None:
    net = Net()
    net.result(net.layer("Parameter", [], name="x", tensor="../../evil", element_type="f32", shape="1"))
    result = run("run", net.save(tmp_path / "evil.xml"), "--random", "-o", tmp_path / "out.npz")
    assert np.load(tmp_path / "out.npz").files == ["evil"]
    assert 'note: "../../evil" is not a safe file name: it is written as "evil"\n' in result.stderr


@pytest.mark.parametrize("content", [b"", b"\x80\x04N.", b"text"])
def test_other_members_of_an_archive(run: Run, clamp: Path, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("note.txt", content)
    assert one_line(run("run", clamp, "-i", path)) == (
        f'error: "note.txt" in {path} cannot be read: expected the start of an .npy file, version 1.0 to 3.0'
    )


def test_file_stems() -> None:
    assert file_stems(dict.fromkeys(["a/b:0", "a_b_0", "A_B_0", "../..", "", "é", "x.1"])) == [
        "a_b_0",
        "a_b_0_2",
        "A_B_0_3",
        "output",
        "output_2",
        "output_3",
        "x.1",
    ]


def test_outputs_of_one_name_are_both_written(run: Run, tmp_path: Path, npy: Npy) -> None:
    net = Net()
    x = net.parameter("x", "1")
    net.result(x, name="r0")
    net.result(x, name="r1")
    run("run", net.save(tmp_path / "twice.xml"), "-i", npy("x.npy", [3.0]), "-o", tmp_path / "out.npz")
    assert np.load(tmp_path / "out.npz").files == ["x", "x_1"]

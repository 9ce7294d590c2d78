"""The files and the words of outputs: targets of ``-o``, NaN, and quiet runs."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.evaluation.files import arrays
from tests.cases import f32
from tests.cli.conftest import Run, one_line
from tests.nets import Net

Npy = Callable[[str, Any], str]


@pytest.mark.parametrize("target", ["new/000.npy", "new/deeper/all.npz", "new/folder", "out-1.5"])
def test_folders_are_made(run: Run, clamp: Path, npy: Npy, tmp_path: Path, target: str) -> None:
    result = run("run", clamp, "-i", npy("x.npy", f32([[-1, 0.5, 2]])), "-o", tmp_path / target)
    assert result.exit_code == 0
    path = tmp_path / target
    loaded = arrays.load(path / "scores.npy" if path.is_dir() else path)
    array = loaded["scores"] if isinstance(loaded, dict) else loaded
    np.testing.assert_array_equal(array, f32([[0, 0.5, 1]]))


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("o.txt", "outputs are not written to .txt files, expected .npy, .npz or a folder, such as o/"),
        ("o.nyp", "outputs are not written to .nyp files; did you mean .npy?"),
        ("x.npy/000.npy", "{folder}/x.npy is a file, expected a folder"),
        ("x.npy/deeper", "{folder}/x.npy is a file, expected a folder"),
    ],
)
@pytest.mark.parametrize("command", ["run", "eval"])
def test_other_targets_are_refused(
    run: Run, clamp: Path, npy: Npy, tmp_path: Path, command: str, target: str, expected: str
) -> None:
    given = npy("x.npy", f32([[-1, 0.5, 2]]))
    arguments = ["run", clamp, "-i", given] if command == "run" else ["eval", "Abs", given]
    result = run(*arguments, "-o", tmp_path / target)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"error: {tmp_path / target}: {expected.format(folder=tmp_path)}\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["clamp.bin", "clamp.xml", "x.npy"]


def test_the_standard_output_is_no_target(run: Run, clamp: Path, npy: Npy) -> None:
    given = npy("x.npy", f32([[-1, 0.5, 2]]))
    expected = "error: - means the standard output, expected a file or a folder"
    for command in (("run", clamp, "-i", given), ("eval", "Abs", given), ("run", clamp, "--batch", given)):
        assert one_line(run(*command, "-o", "-")) == expected
    assert one_line(run("profile", clamp, "--trace", "-")) == expected
    assert one_line(run("lint", clamp, "--write-baseline", "-")) == expected


def test_the_trace_does_not_replace_what_is_read(run: Run, clamp: Path, npy: Npy) -> None:
    given = npy("x.npy", f32([[-1, 0.5, 2]]))
    for text in (given, f"image={given}", f"image:{given}"):
        expected = f"error: {given} is read by this command, expected another file for the output"
        assert one_line(run("profile", clamp, "-i", text, "--trace", given)) == expected


@pytest.mark.parametrize(
    ("command", "kept"),
    [
        ("report model.xml -o model.bin", "model.bin"),
        ("report model.xml other.xml -o other.bin", "other.bin"),
        ("report model.xml --weights w.bin -o w.bin", "w.bin"),
        ("report model.xml --run -i x.npy -o x.npy", "x.npy"),
        ("report model.xml --extension e.py -o e.py", "e.py"),
        ("graph model.xml -o model.bin", "model.bin"),
        ("graph model.xml --extension e.py -o e.py", "e.py"),
        ("run model.xml -i x.npz --dump x.npz", "x.npz"),
        ("eval Abs x.npy -o x.npy", "x.npy"),
        ("edit extract model.xml --to scores -o piece.xml -i x.npy --with-inputs x.npy", "x.npy"),
        ("edit convert model.xml --to f16 -o x.xml --weights x.bin", "x.bin"),
        ("debug precision model.xml --precision f16 -i x.bin -o x.xml", "x.bin"),
        ("debug reduce model.xml --weights w.bin -o w.xml --check 'false {}'", "w.bin"),
        ("debug reduce model.xml -i x.npz -o x.xml --check 'false {} {inputs}'", "x.npz"),
    ],
)
def test_no_output_replaces_what_is_read(
    run: Run, clamp: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, kept: str
) -> None:
    _lay(clamp, tmp_path)
    monkeypatch.chdir(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    result = run(*shlex.split(command))
    expected = f"error: {kept} is read by this command, expected another file for the output"
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (2, expected)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("command", "folder", "kept"),
    [
        ("run model.xml -i in/x.npy --dump in", "in", "x.npy"),
        ("debug blame model.xml --precision f16 -o .", ".", "model.xml"),
        ("run in/stopped/layer.xml -i in/x.npy --stop-at nan --dump in", "in", "x.npy"),
        ("run in/stopped/layer.xml -i x.npy --stop-at nan --dump in", "in/stopped", "layer.xml"),
    ],
)
def test_no_folder_of_outputs_is_that_of_an_input(
    run: Run, clamp: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, folder: str, kept: str
) -> None:
    _lay(clamp, tmp_path)
    (tmp_path / "in" / "stopped").mkdir(parents=True)
    (tmp_path / "in" / "x.npy").write_bytes((tmp_path / "x.npy").read_bytes())
    (tmp_path / "in" / "stopped" / "layer.xml").write_bytes((tmp_path / "model.xml").read_bytes())
    monkeypatch.chdir(tmp_path)
    expected = f"error: {folder} is the folder of {kept}, which this command reads, expected another one"
    assert one_line(run(*shlex.split(command))) == expected
    assert sorted(path.name for path in (tmp_path / "in").rglob("*")) == ["layer.xml", "stopped", "x.npy"]


def _lay(model: Path, folder: Path) -> None:
    """Write a model, its weights and its input under the names that the tests use."""
    for name in ("model", "other"):
        (folder / f"{name}.xml").write_bytes(Path(model).read_bytes())
        (folder / f"{name}.bin").write_bytes(b"")
    (folder / "w.bin").write_bytes(b"")
    (folder / "e.py").write_text("from tests.ops.own_operations import Ends\n")
    np.save(folder / "x.npy", f32([[-1, 0.5, 2]]))
    np.savez(folder / "x.npz", image=f32([[-1, 0.5, 2]]))
    f32([[-1, 0.5, 2]]).tofile(folder / "x.bin")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is full")
@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("run {model} -i {x} -o {full}", "full.npy"),
        ("run {model} -i {x} -o {full}", "full.npz"),
        ("eval Abs {x} -o {full}", "full.npy"),
        ("eval Abs {x} -o {full}", "full.npz"),
        ("profile {model} -i {x} --niter 1 --trace {full}", "full.json"),
        ("lint {model} -o {full}", "full.txt"),
        ("lint {model} --write-baseline {full}", "full.json"),
        ("schema report -o {full}", "full.json"),
    ],
)
def test_a_full_device_is_named(run: Run, clamp: Path, npy: Npy, tmp_path: Path, command: str, name: str) -> None:
    full, given = tmp_path / name, npy("x.npy", f32([[-1, 0.5, 2]]))
    full.symlink_to("/dev/full")
    if command.startswith("lint"):
        clamp.write_text(clamp.read_text().replace("<dim>3</dim>", "<dim>4</dim>", 1))
    result = run(*(word.format(model=clamp, x=given, full=full) for word in command.split()))
    assert (result.exit_code, result.stderr) == (2, f"error: {full}: No space left on device\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["clamp.bin", "clamp.xml", name, "x.npy"]


def test_outputs_that_are_all_nan(run: Run, tmp_path: Path, npy: Npy) -> None:
    net = Net()
    net.result(net.layer("Log", [net.parameter("x", "?")], name="logs", tensor="logs"))
    path = net.save(tmp_path / "log.xml")
    result = run("run", path, "-i", npy("x.npy", f32([-1, -2])))
    assert result.stdout == "logs  f32[2]  all NaN\n  [nan, nan]\n"
    assert result.stderr.startswith('warning: every value of output "logs" is NaN; --as-written runs')
    some = run("run", path, "-i", npy("y.npy", f32([-1, 1])))
    assert (some.stdout, some.stderr) == ("logs  f32[2]  min 0  max 0  mean 0  1 NaN\n  [nan,  0.]\n", "")


@pytest.mark.parametrize("before", [True, False])
def test_quiet(run: Run, clamp: Path, tmp_path: Path, before: bool) -> None:
    def said(*options: str) -> tuple[str, str]:
        first, last = (options, ()) if before else ((), options)
        result = run(*first, "run", clamp, "--random", "-o", tmp_path / "o.npy", *last)
        assert result.exit_code == 0
        return result.stdout, result.stderr

    out, err = said()
    assert err == f"note: wrote {tmp_path / 'o.npy'}\n"
    assert said("-q") == (out, "")
    assert said("-qq") == ("", "")


@pytest.mark.parametrize("shape", ["4,3", "[4,3]", "image[4,3]", " 4, 3"])
def test_shape_of_the_only_input(run: Run, clamp: Path, shape: str) -> None:
    result = run("run", clamp, "--random", "--shape", shape)
    assert result.exit_code == 0
    assert result.stdout.split()[1] == "f32[4,3]"


def test_shape_without_a_name(run: Run, add: Path, clamp: Path) -> None:
    assert run("run", add, "--random", "--shape", "[2]").stderr.startswith("error: --shape [2] names no input; ")
    assert (
        run("run", add, "--random", "--shape", "2").stderr == "error: --shape 2 is not of the form NAME[1,3,?,2..5]\n"
    )
    assert run("run", clamp, "--random", "--shape", "4,x").stderr == (
        "error: --shape 4,x is not of the form NAME[1,3,?,2..5]\n"
    )

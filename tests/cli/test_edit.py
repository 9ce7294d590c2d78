"""irrun edit: files that are written, and requests that cannot be carried out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.model import load
from tests.cli.conftest import Run, one_line
from tests.nets import Net
from tests.reporting.models import network, save

IMAGE = np.random.default_rng(3).normal(size=(1, 3, 8, 8)).astype("f4")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return save(tmp_path, "net.xml", network())


def test_extract_with_inputs(run: Run, model: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "image.npy", IMAGE)
    piece, recorded = tmp_path / "piece.xml", tmp_path / "piece.npz"
    options = ["--with-inputs", recorded, "-i", f"image={tmp_path / 'image.npy'}"]
    result = run("edit", "extract", model, "--from", "relu", "--to", "right", "-o", piece, *options)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.splitlines() == [
        f"note: wrote {piece} with 5 layers, and piece.bin",
        'note: "bias" becomes an input',
        f"note: wrote {recorded} with 1 input",
    ]
    outputs = tmp_path / "outputs.npz"
    assert run("run", piece, "-i", recorded, "-o", outputs, "-q").exit_code == 0
    whole = tmp_path / "head.xml"
    assert run("edit", "extract", model, "--to", "right", "-o", whole).exit_code == 0
    assert run("compare", whole, outputs, "-i", f"image={tmp_path / 'image.npy'}").exit_code == 0


def test_reshape(run: Run, model: Path, tmp_path: Path) -> None:
    made = tmp_path / "batch.xml"
    assert run("edit", "reshape", model, "--shape", "image[4,3,8,8]", "-o", made).exit_code == 0
    assert [str(port.partial_shape) for port in load(made).outputs] == ["[4,64]"]
    assert run("lint", made).exit_code == 0


def test_sizes_that_an_exporter_wrote_down_are_relaxed(run: Run, tmp_path: Path) -> None:
    net, made = Net(), tmp_path / "batch.xml"
    flat = net.layer("Reshape", [net.parameter("x", "1,3,4"), net.constant([1, 12])], special_zero=False)
    net.ir.result(net.layer("MatMul", [flat, net.constant(np.ones((12, 5)))], transpose_a=False, transpose_b=False))
    model = net.save(tmp_path / "model.xml")
    np.save(tmp_path / "x.npy", np.arange(48, dtype=np.float32).reshape(4, 3, 4))
    for shape, expected in (("x[?,3,4]", "[?,5]"), ("4,3,4", "[4,5]")):
        assert run("edit", "reshape", model, "--shape", shape, "-o", made).exit_code == 0
        assert [str(port.partial_shape) for port in load(made).outputs] == [expected]
        for file, options in ((made, ()), (model, ("--shape", shape))):
            values = tmp_path / "y.npy"
            assert run("run", file, "-i", tmp_path / "x.npy", "-o", values, "-q", *options).exit_code == 0
            assert np.load(values)[:, 0].tolist() == [66, 210, 354, 498]


def test_strip(run: Run, model: Path, tmp_path: Path) -> None:
    made = tmp_path / "shared.xml"
    assert run("edit", "strip", model, "--names", "-o", made).exit_code == 0
    assert run("diff", model, made, "--ignore-names").stdout.splitlines()[0] == "constant (2)"
    text = made.read_text()
    assert "relu" not in text
    assert run("edit", "strip", model, "--zeros", "-o", made).exit_code == 0
    assert made.with_suffix(".bin").read_bytes()[:432] == bytes(432)


def test_convert(run: Run, model: Path, tmp_path: Path) -> None:
    half, full = tmp_path / "half.xml", tmp_path / "full.xml"
    assert run("edit", "convert", model, "--to", "f16", "-o", half).exit_code == 0
    assert half.with_suffix(".bin").stat().st_size < 0.6 * model.with_suffix(".bin").stat().st_size
    assert run("edit", "convert", half, "--to", "f32", "-o", full).exit_code == 0
    assert run("compare", model, full, "--rtol", "0.01").exit_code == 0


def test_rename(run: Run, model: Path, tmp_path: Path) -> None:
    made = tmp_path / "renamed.xml"
    assert run("edit", "rename", model, "--layer", "conv=stem", "--tensor", "flat=y", "-o", made).exit_code == 0
    assert run("diff", model, made).stdout.splitlines() == [
        "renamed (2)",
        '  Convolution "conv" -> "stem"',
        '  Reshape "flat": tensor names of output 0 flat -> y',
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["extract", "--to", "rleu"], 'error: no layer "rleu"; did you mean relu?'),
        (["reshape", "--shape", "imag[1,3,8,8]"], 'error: no input "imag"; did you mean image?'),
        (["rename", "--layer", "cnov=x"], 'error: no layer "cnov"; did you mean conv?'),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_what_is_not_there(run: Run, model: Path, tmp_path: Path, arguments: list[Any], message: str) -> None:
    command, *options = arguments
    assert one_line(run("edit", command, model, "-o", tmp_path / "out.xml", *options)) == message
    assert not (tmp_path / "out.xml").exists()


def test_outputs_that_cannot_be_written(run: Run, model: Path, tmp_path: Path) -> None:
    options = ["edit", "strip", model, "-o"]
    assert "expected another file for the output" in one_line(run(*options, model))
    assert one_line(run(*options, tmp_path / "out.onnx")) == (
        f"error: {tmp_path / 'out.onnx'}: a model is written to an .xml file, such as {tmp_path / 'out.xml'}"
    )
    empty = one_line(run(*options, ""))
    assert empty == "error: .: a model is written to an .xml file, such as model.xml"
    (tmp_path / "file").write_text("")
    assert "Traceback" not in one_line(run(*options, tmp_path / "file" / "out.xml"))


def test_constants_that_are_not_known(run: Run, model: Path, tmp_path: Path) -> None:
    model.with_suffix(".bin").unlink()
    result = run("edit", "reshape", model, "--shape", "image[4,3,8,8]", "-o", tmp_path / "out.xml")
    assert result.exit_code == 2
    assert 'the values of constant "kernel" are not known: there is no file of weights' in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["extract"], "expected --from, --to or both"),
        (["extract", "--to", "relu", "-i", "x.npy"], "-i requires --with-inputs"),
        (["rename"], "expected --layer, --tensor or --generic"),
        (["rename", "--generic", "--layer", "a=b"], "--generic replaces all names"),
        (["rename", "--layer", "conv"], '"conv" is not a pair of names, expected OLD=NEW'),
    ],
)
def test_misuse(run: Run, model: Path, tmp_path: Path, arguments: list[str], message: str) -> None:
    command, *options = arguments
    result = run("edit", command, model, "-o", tmp_path / "out.xml", *options)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_misspelt_command(run: Run) -> None:
    assert 'no command "extrct"; did you mean extract?' in run("edit", "extrct").stderr

"""irrun debug blame, reduce and precision: what they find, what they write, and what they refuse."""

from __future__ import annotations

import errno
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irrun.model
from irrun.debugging.keeping import keep_in_f32
from tests.cases import f32
from tests.cli.conftest import Run, one_line
from tests.debugging.nets import written
from tests.engines import need
from tests.nets import Net

DIGITS = Path(__file__).parents[2] / "examples" / "digits"
SEVEN = ("-i", f"image={DIGITS / 'seven.npy'}")


def chain(path: Path, *factors: float, size: int = 6) -> Path:
    """Write tanh(x * a + 1) * b …, whose products are called m0, m1 …"""
    net = Net()
    at = net.parameter("x", f"2,{size}")
    for index, factor in enumerate(factors):
        weights = np.full(size, factor, np.float32)
        at = net.layer("Multiply", [at, net.constant(weights, name=f"w{index}")], name=f"m{index}")
        at = net.layer("Tanh", [at], name=f"t{index}", tensor=f"y{index}")
    net.result(at)
    return net.save(path)


def layers(path: Path) -> list[str]:
    graph = irrun.model.load(path).graph
    return [node.name for node in graph.ordered() if node.type not in ("Parameter", "Const", "Result")]


def test_blame_a_layer_of_two_models(run: Run, tmp_path: Path) -> None:
    first, second = chain(tmp_path / "a.xml", 1, 2, 3), chain(tmp_path / "b.xml", 1, 2.5, 3)
    result = run("debug", "blame", first, second, "-o", tmp_path / "report")
    assert result.exit_code == 1, result.stderr
    assert result.stdout.splitlines()[0] == 'blamed: Multiply "m1"'
    assert result.stdout.splitlines()[2] == 'suspected: Multiply "m1", constant: "w1" in 6 of 6 elements'
    folder = tmp_path / "report"
    names = ["README.md", "first_answer.npz", "model.bin", "model.npz", "model.xml", "other.bin", "other.xml"]
    assert sorted(path.name for path in folder.iterdir()) == [*names, "second_answer.npz"]
    assert layers(folder / "model.xml") == layers(folder / "other.xml") == ["m1"]
    page = (folder / "README.md").read_text()
    assert page.startswith(f"# Multiply `m1`: {first} and {second} differ\n")
    assert "irrun compare model.xml other.xml -i model.npz" in page
    again = run("compare", folder / "model.xml", folder / "other.xml", "-i", folder / "model.npz")
    assert again.exit_code == 1
    assert 'first layer that differs: Multiply "m1"' in again.stdout
    (name,) = np.load(folder / "first_answer.npz")
    ours = run("run", folder / "model.xml", "-i", folder / "model.npz", "-o", tmp_path / "again.npy", "--as-written")
    assert ours.exit_code == 0, ours.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "again.npy"), np.load(folder / "first_answer.npz")[name])


def test_the_piece_is_made_small(run: Run, tmp_path: Path) -> None:
    first, second = chain(tmp_path / "a.xml", 1, 2), chain(tmp_path / "b.xml", 1, 3)
    assert run("debug", "blame", first, second, "-o", tmp_path / "report").exit_code == 1
    (port,) = irrun.model.load(tmp_path / "report" / "model.xml").inputs
    assert port.shape == (1, 1)


def test_blame_of_equal_models(run: Run, tmp_path: Path) -> None:
    model = chain(tmp_path / "a.xml", 1, 2)
    failed = run("debug", "blame", model, model)
    assert one_line(failed) == "error: the outputs agree within the tolerances"
    failed = run("debug", "blame", model, model, "--json")
    assert failed.exit_code == 2
    assert json.loads(failed.stdout)["verdict"] == "equal"


def test_blame_a_layer_for_the_loss_of_a_precision(run: Run, tmp_path: Path) -> None:
    net = Net()
    at = net.layer("Abs", [net.parameter("x", "1,4")], name="abs")
    at = net.layer("Multiply", [at, net.constant(f32([60000]))], name="large")
    net.result(net.layer("Sqrt", [at], name="root"))
    np.save(tmp_path / "x.npy", f32([[1, 2, 3, 4]]))
    model = net.save(tmp_path / "net.xml")
    result = run("debug", "blame", model, "--precision", "f16", "-i", tmp_path / "x.npy", "--json")
    assert result.exit_code == 1, result.stderr
    record = json.loads(result.stdout)
    assert (record["kind"], record["layer"], record["sides"]) == ("precision", "large", ["f32", "f16"])
    assert record["reproduces"] is True


def test_blame_finds_nothing_where_openvino_agrees(run: Run) -> None:
    need("openvino")
    failed = run("debug", "blame", DIGITS / "model.xml", "--openvino", *SEVEN)
    assert one_line(failed) == "error: the outputs agree within the tolerances"


def test_blame_beside_openvino(run: Run, tmp_path: Path) -> None:
    """With a tolerance of nothing, some layer is always to blame."""
    need("openvino")
    result = run(
        "debug", "blame", DIGITS / "model.xml", "--openvino", *SEVEN, "--rtol", "0", "--atol", "0", "-o", tmp_path / "r"
    )
    assert result.exit_code == 1, result.stderr
    assert 1 <= len(layers(tmp_path / "r" / "model.xml")) <= 3
    assert "irrun compare model.xml --openvino -i model.npz" in (tmp_path / "r" / "README.md").read_text()


SOFTMAX = "import sys; sys.exit(3 * ('\"SoftMax\"' in open(sys.argv[1]).read()))"


def command(tmp_path: Path, program: str) -> str:
    (tmp_path / "check.py").write_text(program)
    return f"{sys.executable} {tmp_path / 'check.py'} {{}}"


def test_reduce_to_the_layer_of_a_command(run: Run, tmp_path: Path) -> None:
    check = command(tmp_path, SOFTMAX)
    result = run("debug", "reduce", DIGITS / "model.xml", "--check", check, "-o", tmp_path / "small.xml", "--json")
    assert result.exit_code == 0, result.stderr
    record = json.loads(result.stdout)
    assert record["layers"] == [{"name": "softmax", "type": "SoftMax"}]
    assert record["before"] > 10
    assert layers(tmp_path / "small.xml") == ["softmax"]


HAS_NAN = """
import sys
import numpy as np
from irrun.model import build, load
outputs = build(load(sys.argv[1]), {"OPTIMIZE": False})(dict(np.load(sys.argv[2])))
sys.exit(int(any(np.isinf(array).any() for array in outputs.to_tuple())))
"""


@pytest.mark.rest
def test_reduce_with_the_inputs_of_each_layer(run: Run, tmp_path: Path) -> None:
    """An infinity shows only for the values that reach the logarithm in the whole model."""
    net = Net()
    x = net.parameter("x", "1,4")
    at = net.layer("Relu", [net.layer("Negative", [x], name="minus")], name="positive")
    at = net.layer("Abs", [net.layer("Log", [at], name="log")], name="size")
    net.result(net.layer("Maximum", [at, net.constant(f32([1]))], name="most"))
    np.save(tmp_path / "x.npy", f32([[1, -1, 2, -3]]))
    model = net.save(tmp_path / "net.xml")
    check = command(tmp_path, HAS_NAN) + " {inputs}"
    result = run("debug", "reduce", model, "--check", check, "-i", tmp_path / "x.npy", "--keep-shapes", "--json")
    assert result.exit_code == 0, result.stderr
    assert len(json.loads(result.stdout)["layers"]) == 1
    assert (tmp_path / "net-reduced.npz").exists()


def test_reduce_keeps_the_status_and_the_pattern(run: Run, tmp_path: Path) -> None:
    """A piece for which the command fails in another way does not count."""
    both = "t = open(__import__('sys').argv[1]).read()\nif '\"Multiply\"' not in t: raise SystemExit(4)\n"
    program = both + "print('two tanh' if t.count('\"Tanh\"') > 1 else 'one')\nraise SystemExit(3)\n"
    model = chain(tmp_path / "a.xml", 1, 2, 3)
    check = command(tmp_path, program)
    assert run("debug", "reduce", model, "--check", check, "-o", tmp_path / "one.xml").exit_code == 0
    assert len(layers(tmp_path / "one.xml")) == 1
    two = run("debug", "reduce", model, "--check", check, "--match", "two", "-o", tmp_path / "two.xml")
    assert two.exit_code == 0, two.stderr
    assert len(layers(tmp_path / "two.xml")) == 3


def test_reduced_shapes_and_constants(run: Run, tmp_path: Path) -> None:
    model = chain(tmp_path / "a.xml", 7, 5, size=64)
    check = command(tmp_path, "import sys; sys.exit('\"Multiply\"' in open(sys.argv[1]).read())")
    assert run("debug", "reduce", model, "--check", check, "-o", tmp_path / "small.xml").exit_code == 0
    small = irrun.model.load(tmp_path / "small.xml")
    assert small.inputs[0].shape == (1, 1)
    outputs = irrun.model.build(small)(f32([[3]])).to_tuple()
    np.testing.assert_array_equal(outputs[0], f32([[0]]))


@pytest.mark.parametrize("name", ["bf16", "f16", "int8"])
def test_precision_ranks_layers(run: Run, tmp_path: Path, name: str) -> None:
    model = written("mobilenet", tmp_path)
    result = run("debug", "precision", model, "--precision", name, "--json")
    assert result.exit_code == 0, result.stderr
    record = json.loads(result.stdout)
    alone = [item["alone"] for item in record["layers"]]
    assert alone == sorted(alone, reverse=True)
    assert 0 < record["predicted"] < 0.1
    errors = [item["error"] for item in record["keep"]]
    assert errors == sorted(errors, reverse=True)
    assert all(error < record["predicted"] for error in errors)


def test_no_layer_is_kept_for_a_target_that_is_reached(run: Run, tmp_path: Path) -> None:
    arguments = ("debug", "precision", written("mobilenet", tmp_path), "--precision", "bf16", "--target", "1")
    assert json.loads(run(*arguments, "--json").stdout)["keep"] == []
    assert run(*arguments).stdout.splitlines()[-1] == "which reaches 1: no layer needs to stay in f32"


def test_precision_is_worse_with_fewer_bits(run: Run, tmp_path: Path) -> None:
    model = written("transformer", tmp_path)
    found = {
        name: json.loads(run("debug", "precision", model, "--precision", name, "--json").stdout)["predicted"]
        for name in ("f16", "bf16")
    }
    assert found["bf16"] / found["f16"] == pytest.approx(8, rel=0.5)


def test_a_model_that_keeps_layers_in_f32(run: Run, tmp_path: Path) -> None:
    model, kept = written("resnet", tmp_path), tmp_path / "kept.xml"
    result = run("debug", "precision", model, "--precision", "bf16", "-o", kept)
    assert result.exit_code == 0, result.stderr
    assert kept.read_text().count('<attribute name="precise" version="0"/>') >= 1
    assert run("compare", model, kept).exit_code == 0
    assert run("lint", kept).exit_code == 0


def test_both_files_of_a_model_are_replaced_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    model, kept = written("resnet", tmp_path), tmp_path / "kept.xml"
    for suffix in (".xml", ".bin"):
        kept.with_suffix(suffix).write_bytes(b"old")
    monkeypatch.setattr("shutil.copyfileobj", full)
    with pytest.raises(OSError, match="No space left on device") as caught:
        keep_in_f32(Path(model), kept, [])
    assert caught.value.filename == str(kept.with_suffix(".bin"))
    assert [kept.with_suffix(suffix).read_bytes() for suffix in (".xml", ".bin")] == [b"old", b"old"]


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", ["digits", "resnet", "mobilenet", "transformer", "recurrent", "unet"])
def test_the_predicted_error_is_that_of_openvino(run: Run, tmp_path: Path, name: str) -> None:
    """On a processor without bf16, OpenVINO computes in f32."""
    need("openvino")
    result = run("debug", "precision", written(name, tmp_path), "--precision", "bf16", "--openvino", "--json")
    assert result.exit_code == 0, result.stderr
    record = json.loads(result.stdout)
    measured = record["openvino"]
    if measured["precision"] != "bf16" or measured["error"] == 0:
        pytest.skip("OpenVINO does not compute in bf16 here")
    assert measured["error"] / 2 < record["predicted"] < 2 * measured["error"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["blame", "MODEL"], "Error: expected one of OTHER, --openvino and --precision"),
        (["blam", "MODEL"], 'Error: no command "blam"; did you mean blame?'),
        (["reduce", "MODEL", "--check", "false"], "does not say where the model goes, expected {} in it"),
        (["reduce", "MODEL", "--check", "true {}"], "it ends with status 0"),
        (["reduce", "MODEL", "--check", "no-such-command {}"], "no-such-command cannot be started"),
        (["reduce", "MODEL", "--check", "false {}", "--match", "x("], "cannot be read: "),
        (["reduce", "MODEL", "--check", "false {}", "-o", "small.onnx"], "such as small.xml"),
        (["precision", "MODEL", "--precision", "bf16", "-o", "small.bin"], "such as small.xml"),
        (["precision", "MODEL", "--precision", "f8"], "Invalid value for '--precision'"),
    ],
)
def test_wrong_uses(run: Run, arguments: list[str], message: str) -> None:
    failed = run("debug", *(DIGITS / "model.xml" if item == "MODEL" else item for item in arguments))
    assert failed.exit_code == 2
    assert message in failed.stderr
    assert "Traceback" not in failed.stderr


def test_a_command_that_takes_too_long(run: Run, tmp_path: Path) -> None:
    check = command(tmp_path, "import time; time.sleep(60)")
    arguments: tuple[Any, ...] = ("--check", check, "--check-timeout", "0.5", "--most", "2", "--keep-shapes")
    result = run("debug", "reduce", chain(tmp_path / "a.xml", 1), *arguments)
    assert result.exit_code == 0, result.stderr

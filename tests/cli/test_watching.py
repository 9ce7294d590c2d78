"""irrun run --dump, --stats and --stop-at: what is seen of a run, and that it stays the same."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irrun.model
import irrun.openvino as ov
from irrun.debugging.dumping import Dump
from irrun.debugging.selecting import Selection
from tests.cases import f32
from tests.cli.conftest import Run, one_line
from tests.loops import loop_model
from tests.nets import Net

DIGITS = Path(__file__).parents[2] / "examples" / "digits"
SEVEN = ("-i", f"image={DIGITS / 'seven.npy'}")


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """x f32[1,4] -> Relu "positive" -> Log "log" -> Multiply by 2 "twice", and x -> Abs "size"."""
    net = Net()
    x = net.parameter("x", "1,4")
    log = net.layer("Log", [net.layer("Relu", [x], name="positive", tensor="p")], name="log")
    net.result(net.layer("Multiply", [log, net.constant(f32([2]))], name="twice", tensor="y"))
    net.result(net.layer("Abs", [x], name="size", tensor="z"))
    np.save(tmp_path / "x.npy", f32([[1, -1, 100000, 1e-40]]))
    return net.save(tmp_path / "logs.xml")


def index(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "index.jsonl").read_text().splitlines()]


def test_dump_to_a_folder(run: Run, logs: str, tmp_path: Path) -> None:
    result = run("run", logs, "-i", tmp_path / "x.npy", "--as-written", "--dump", tmp_path / "d")
    assert result.exit_code == 0, result.stderr
    assert f"note: wrote 4 tensors to {tmp_path / 'd'}" in result.stderr
    found = {item["layer"]: np.load(tmp_path / "d" / item["file"]) for item in index(tmp_path / "d")}
    assert sorted(found) == ["log", "positive", "size", "twice"]
    np.testing.assert_array_equal(found["positive"], f32([[1, 0, 100000, 1e-40]]))
    assert index(tmp_path / "d")[0] == {
        "file": "0000-positive.npy",
        "layer": "positive",
        "layers": ["positive"],
        "type": "ReLU",
        "output": 0,
        "element_type": "f32",
        "shape": [1, 4],
        "bodies": [],
    }


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ([], ["log", "positive", "size", "twice"]),
        (["--outputs", "*o*"], ["log", "positive"]),
        (["--outputs", "p"], ["positive"]),
        (["--outputs-by-type", "log", "--outputs", "size"], ["log", "size"]),
    ],
)
def test_dump_to_an_archive(run: Run, logs: str, tmp_path: Path, options: list[str], names: list[str]) -> None:
    result = run("run", logs, "--random", "--as-written", "--dump", tmp_path / "d.npz", *options)
    assert result.exit_code == 0, result.stderr
    assert sorted(np.load(tmp_path / "d.npz")) == names


@pytest.mark.parametrize("tier", ["numpy", "compiled"])
def test_a_dump_changes_nothing(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tier: str) -> None:
    monkeypatch.setenv("IRRUN_TIER", tier)
    for name, options in (("plain", []), ("watched", ["--dump", tmp_path / "d.npz", "--stats"])):
        result = run("run", DIGITS / "model.xml", *SEVEN, "-o", tmp_path / f"{name}.npy", *options)
        assert result.exit_code == 0, result.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "plain.npy"), np.load(tmp_path / "watched.npy"))


def test_the_output_of_a_fused_step_is_that_of_its_last_layer(tmp_path: Path) -> None:
    found = {}
    for is_optimised in (True, False):
        model = irrun.model.load(DIGITS / "model.xml")
        session = irrun.model.build(model, {"OPTIMIZE": is_optimised}).session()
        with Dump(tmp_path / "d.npz", Selection(model.graph)) as dump:
            session.observers.append(dump)
            session.run(np.load(DIGITS / "seven.npy"))
        found[is_optimised] = dict(np.load(tmp_path / "d.npz"))
    assert len(found[True]) < len(found[False])
    for name, array in found[True].items():
        own = found[False][name if name in found[False] else f"{name}.0"]
        np.testing.assert_allclose(array, own, rtol=1e-4, atol=1e-4)


def test_a_layer_that_is_fused_is_told(run: Run, tmp_path: Path) -> None:
    model = irrun.model.load(DIGITS / "model.xml")
    name = next(node.name for node in model.graph.ordered() if node.type == "Convolution")
    result = run("run", DIGITS / "model.xml", *SEVEN, "--dump", tmp_path / "d", "--outputs", name)
    assert f'warning: "{name}" is fused with the layers up to ' in result.stderr


def test_bodies_and_iterations(run: Run, tmp_path: Path) -> None:
    model = loop_model(tmp_path, 3, 100.0)
    result = run("run", model, "--random", "--as-written", "--dump", tmp_path / "d", "--outputs-by-type", "Add")
    assert result.exit_code == 0, result.stderr
    inside = [item["bodies"] for item in index(tmp_path / "d") if item["bodies"]]
    assert [item[0]["iteration"] for item in inside] == [0, 1, 2]
    assert {item[0]["tag"] for item in inside} == {"body"}
    stats = run("run", model, "--random", "--as-written", "--stats", "--outputs-by-type", "Add", "--json")
    (row,) = json.loads(stats.stdout)["layers"]
    assert row["runs"] == 3


def test_statistics(run: Run, logs: str, tmp_path: Path) -> None:
    result = run("run", logs, "-i", tmp_path / "x.npy", "--as-written", "--stats", "--json")
    rows = {item["layer"]: item for item in json.loads(result.stdout)["layers"]}
    positive = rows["positive"]
    assert (positive["min"], positive["max"], positive["size"], positive["runs"]) == (0, 100000, 4, 1)
    assert positive["mean"] == pytest.approx(25000.25)
    assert positive["std"] == pytest.approx(np.std([1, 0, 100000, 0]))
    assert (positive["zeros"], positive["subnormals"], positive["beyond_f16"]) == (1, 1, 1)
    assert (rows["log"]["inf"], rows["log"]["nan"]) == (1, 0)
    assert rows["log"]["min"] == pytest.approx(np.log(1e-40), rel=1e-3)
    text = run("run", logs, "-i", tmp_path / "x.npy", "--as-written", "--stats").stdout
    assert text.splitlines()[0].split()[:7] == ["layer", "type", "tensor", "min", "max", "mean", "std"]


@pytest.mark.parametrize("options", [[], ["--as-written"]], ids=" ".join)
def test_stop_at_the_layer_that_makes_it(
    run: Run, logs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("run", logs, "-i", "x.npy", "--stop-at", "nan,inf", *options)
    assert result.exit_code == 1, result.stderr
    assert result.stdout.splitlines()[0] == ('stopped at Log "log": it makes Inf (1 element) out of inputs without')
    folder = tmp_path / "logs-stopped"
    assert result.stderr.splitlines()[-3:] == [
        f"note: wrote logs-stopped/{name}" for name in ("inputs.npz", "outputs.npz", "layer.xml")
    ]
    again = run("run", folder / "layer.xml", "-i", folder / "inputs.npz", "-o", tmp_path / "again.npy")
    assert again.exit_code == 0, again.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "again.npy"), np.load(folder / "outputs.npz")["output_0"])


def test_stop_beyond_the_range_of_f16(run: Run, tmp_path: Path) -> None:
    net = Net()
    x = net.parameter("x", "1,2")
    net.result(net.layer("Exp", [net.layer("Abs", [x], name="abs")], name="exp"))
    np.save(tmp_path / "x.npy", f32([[1, 12]]))
    model = net.save(tmp_path / "net.xml")
    arguments = ("run", model, "-i", tmp_path / "x.npy", "--dump", tmp_path / "d", "--stop-at")
    result = run(*arguments, "f16", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["stopped"]["layer"] == "exp"
    assert (tmp_path / "d" / "stopped" / "inputs.npz").exists()
    result = run(*arguments, "nan,inf")
    assert result.exit_code == 0
    assert "note: no layer makes NaN or Inf out of inputs without\n" in result.stderr


@pytest.mark.parametrize("kind", ["inf", "f16"])
def test_stop_between_layers_that_are_fused(run: Run, tmp_path: Path, kind: str) -> None:
    net = Net()
    exp = net.layer("Exp", [net.parameter("x", "1,2")], name="exp")
    net.result(net.layer("Tanh", [net.layer("Negative", [exp], name="negative")], name="tanh"))
    np.save(tmp_path / "x.npy", f32([[1, 12 if kind == "f16" else 100]]))
    model = net.save(tmp_path / "net.xml")
    result = run("run", model, "-i", tmp_path / "x.npy", "--stop-at", kind, "--dump", tmp_path / "d")
    assert result.exit_code == 1, result.stderr
    assert result.stdout.startswith('stopped at Exp "exp": it makes')


def test_stop_in_a_body_that_always_runs(run: Run, tmp_path: Path) -> None:
    """The optimiser puts its layers in the place of the If, which the run as written has."""
    ops: Any = ov.opset13
    x, a, b = (ops.parameter([1, 2], np.float32, name=name) for name in "xab")
    then, other = ops.result(ops.log(a, name="log")), ops.result(b)
    node = ops.if_op(ops.constant(np.array(True)))
    node.set_then_body(ov.Model([then], [a], "then"))
    node.set_else_body(ov.Model([other], [b], "else"))
    node.set_input(x, a, b)
    node.set_friendly_name("choice")
    ov.save_model(ov.Model([node.set_output(then, other)], [x], "model"), tmp_path / "net.xml")
    np.save(tmp_path / "x.npy", f32([[1, 0]]))
    result = run("run", tmp_path / "net.xml", "-i", tmp_path / "x.npy", "--stop-at", "inf", "--dump", tmp_path / "d")
    assert result.exit_code == 1, result.stderr
    assert result.stdout.startswith('stopped at Log "choice.then_body[0]/log": it makes Inf')


def test_infinity_of_the_input_is_nobody_s_fault(run: Run, logs: str, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", f32([[1, 2, np.inf, 3]]))
    assert run("run", logs, "-i", tmp_path / "x.npy", "--stop-at", "nan,inf").exit_code == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--stop-at", "man"], '"man" is nothing to stop at, expected nan, inf or f16; did you mean nan?'),
        (["--stats", "--outputs", "lag"], 'no layer or tensor of the model matches "lag"; did you mean log?'),
        (["--stats", "--outputs-by-type", "Lok"], 'no type of layer of the model matches "Lok"; did you mean Log?'),
    ],
)
def test_wrong_uses(run: Run, logs: str, options: list[str], message: str) -> None:
    assert one_line(run("run", logs, "--random", *options)) == f"error: {message}"


def test_a_file_where_a_folder_is_meant(run: Run, logs: str, tmp_path: Path) -> None:
    (tmp_path / "d").write_text("")
    failed = run("run", logs, "--random", "--dump", tmp_path / "d")
    assert one_line(failed) == f"error: {tmp_path / 'd'} is a file, expected a folder or an .npz file"


class Interrupt:
    """Interrupts a run before the layer "twice"."""

    def before(self, step: Any, _inputs: Any) -> None:
        if step.node.name == "twice":
            raise KeyboardInterrupt

    def after(self, step: Any, outputs: Any) -> None:
        pass


@pytest.mark.parametrize("target", ["d.npz", "d"])
def test_an_interrupted_dump_is_complete_so_far(logs: str, tmp_path: Path, target: str) -> None:
    model = irrun.model.load(logs)
    session = irrun.model.build(model, {"OPTIMIZE": False}).session()

    def interrupted() -> None:
        with Dump(tmp_path / target, Selection(model.graph)) as dump:
            session.observers += [dump, Interrupt()]
            session.run(np.ones((1, 4), np.float32))

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    path = tmp_path / target
    names = list(np.load(path)) if path.is_file() else [item["layer"] for item in index(path)]
    assert names == ["positive", "log"]


def test_an_old_archive_stays_where_the_disk_is_full(
    run: Run, logs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (tmp_path / "d.npz").write_bytes(b"old")
    monkeypatch.setattr("irrun.debugging.dumping.write_array", full)
    failed = run("run", logs, "-i", tmp_path / "x.npy", "--dump", tmp_path / "d.npz")
    assert one_line(failed) == f"error: {tmp_path / 'd.npz'}: No space left on device"
    assert (tmp_path / "d.npz").read_bytes() == b"old"
    assert not (tmp_path / ".d.npz.irrun").exists()


def test_lines_of_layers(run: Run, logs: str, tmp_path: Path) -> None:
    given = ("run", logs, "-i", tmp_path / "x.npy", "--as-written")
    assert "positive" not in run(*given, "-v").stderr
    assert "positive  ReLU  f32[1,4]  " in run(*given, "-vv").stderr
    loud = run(*given, "-vvv").stderr
    assert "  min 0  max 1e+05  mean 2.5e+04  std " in loud
    assert "1 Inf" in loud

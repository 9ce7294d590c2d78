"""irrun bench: the measurements and their presentation; the times themselves are not checked."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.cli.measuring import short
from irrun.evaluation.differences import largest
from irrun.evaluation.timing import at_once, in_turns, latency
from tests.cases import f32
from tests.cli.conftest import Run
from tests.engines import need
from tests.nets import Net

DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "model.xml"
SEVEN = DIGITS.with_name("seven.npy")

Npy = Callable[[str, Any], str]


def test_text(run: Run) -> None:
    result = run("bench", DIGITS, "--niter", "5", "--threads", "1")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines[:4]] == ["model", "input", "BLAS", "tier"]
    assert lines[1].split(maxsplit=1)[1] == "image  f32[1,1,8,8], random"
    assert lines[2].endswith(", 1 thread")
    titles = [line.partition("  ")[0] for line in lines[lines.index("") + 2 :]]
    assert titles == [
        "read",
        "compile",
        "first inference",
        "median",
        "average",
        "least",
        "90th percentile",
        "greatest",
        "inferences",
        "throughput",
    ]
    assert lines[-2].split() == ["inferences", "5"]
    assert lines[-1].endswith(" /s")


def test_json(run: Run) -> None:
    record = json.loads(run("bench", DIGITS, "--niter", "7", "--seed", "3", "--format", "json").stdout)
    assert (record["model"], record["seed"]) == ("digits", 3)
    assert record["inputs"] == [{"name": "image", "type": "f32", "shape": [1, 1, 8, 8], "source": "random"}]
    assert list(record["engines"]) == ["irrun"]
    figures = record["engines"]["irrun"]
    assert figures["iterations"] == 7
    assert 0 < figures["min"] <= figures["median"] <= figures["p90"] <= figures["max"]
    assert figures["min"] <= figures["average"] <= figures["max"]
    assert figures["throughput"] == pytest.approx(1000 / figures["average"])
    assert min(figures["read_ms"], figures["compile_ms"], figures["first_ms"]) > 0


def test_several_requests_at_once(run: Run) -> None:
    arguments = ("bench", DIGITS, "--niter", "9", "--threads", "2", "--json")
    several = json.loads(run(*arguments, "--requests", "3").stdout)
    assert several["requests"] == 3
    figures = several["engines"]["irrun"]
    assert figures["iterations"] == 9
    assert figures["throughput"] > 0
    assert json.loads(run(*arguments, "--hint", "throughput").stdout)["requests"] == 2
    assert json.loads(run(*arguments).stdout)["requests"] == 1
    text = run("bench", DIGITS, "--niter", "4", "--threads", "2", "--requests", "2").stdout
    assert [line.split(maxsplit=1) for line in text.splitlines() if line.startswith("requests")] == [
        ["requests", "2 at once"]
    ]


def test_the_throughput_of_several_requests_is_by_the_clock() -> None:
    times, took = at_once([lambda: time.sleep(0.02)] * 4, 12, 0.0)
    assert len(times) == 12
    assert min(times) >= 20
    assert 0.06 <= took < 0.2
    times, took = at_once([lambda: time.sleep(0.01)] * 2, None, 0.05)
    assert took >= 0.05
    assert len(times) >= 2
    with pytest.raises(ZeroDivisionError):
        at_once([lambda: 1 / 0, lambda: None], None, 0.01)


def test_a_crowded_machine_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("irrun.evaluation.benchmarking.worthwhile", lambda: 0)
    lines = run("bench", DIGITS, "--niter", "1").stdout.splitlines()
    told = "other programs want the processors: fewer threads compute; --threads sets their number"
    assert [line.split(maxsplit=1)[1] for line in lines if line.startswith("load")] == [told]
    monkeypatch.undo()
    assert json.loads(run("bench", DIGITS, "--niter", "1", "--threads", "1", "--json").stdout)["crowded"] is False


def test_openvino_is_measured_with_one_request(run: Run) -> None:
    result = run("bench", DIGITS, "--compare-openvino", "--hint", "throughput")
    assert result.exit_code == 2
    assert "--compare-openvino measures one request" in result.stderr


@pytest.mark.parametrize("form", ["{}", "image={}", "image:{}"])
@pytest.mark.parametrize("command", ["bench", "profile"])
def test_input_from_a_file(run: Run, command: str, form: str) -> None:
    arguments = (command, DIGITS, "--niter", "1", "-i", form.format(SEVEN))
    item = {"name": "image", "type": "f32", "shape": [1, 1, 8, 8], "source": str(SEVEN)}
    assert json.loads(run(*arguments, "--json").stdout)["inputs"] == [item]
    assert run(*arguments).stdout.splitlines()[1].split(maxsplit=1)[1] == f"image  f32[1,1,8,8], from {SEVEN}"


@pytest.mark.parametrize("command", ["bench", "profile"])
def test_the_shape_of_a_file_is_the_one_that_runs(run: Run, command: str) -> None:
    images = DIGITS.with_name("heldout_images.npy")
    record = json.loads(run(command, DIGITS, "--niter", "1", "-i", images, "--json").stdout)
    assert record["inputs"][0]["shape"] == [360, 1, 8, 8]


@pytest.mark.parametrize("command", ["bench", "profile"])
def test_inputs_that_are_not_given_are_random(run: Run, add: Path, npy: Npy, command: str) -> None:
    given = npy("a.npy", np.array([1, 2]))
    record = json.loads(run(command, add, "--niter", "1", "-i", f"a={given}", "--random", "--json").stdout)
    assert [(item["name"], item["source"]) for item in record["inputs"]] == [("a:0", given), ("b:0", "random")]


@pytest.mark.parametrize("command", ["bench", "profile"])
def test_wrong_inputs(run: Run, add: Path, npy: Npy, tmp_path: Path, command: str) -> None:
    pair, three = npy("pair.npy", np.array([1, 2])), npy("three.npy", np.array([1, 2, 3]))
    has = 'the model has "a:0" (i64[2]), "b:0" (i64[2])'
    for texts, message in (
        ([f"c={pair}"], f'no input "c"; {has}'),
        ([pair], f"-i {pair} names no input; {has}"),
        ([f"a={pair}", f"a:0={pair}"], 'input "a:0" is given twice'),
        ([f"a={three}"], 'input "a:0" has shape [3], expected [2]'),
        ([f"a={tmp_path}/none.npy"], f"{tmp_path}/none.npy: No such file or directory"),
    ):
        result = run(command, add, "--niter", "1", *(word for text in texts for word in ("-i", text)))
        assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"error: {message}\n")


@pytest.mark.parametrize("command", ["bench", "profile"])
def test_sizes_that_were_made_up_are_told_of_where_a_run_fails(run: Run, tmp_path: Path, command: str) -> None:
    net = Net()
    x = net.parameter("x", "?")
    net.result(net.layer("Reshape", [x, net.constant([3, -1])], "3,?", special_zero=True))
    net.result(net.layer("Add", [x, net.normal(8)], "8"))
    result = run(command, net.save(tmp_path / "conv.xml"), "--niter", "1")
    note, error = result.stderr.splitlines()[:2]
    assert (result.exit_code, result.stdout) == (2, "")
    assert note == (
        "note: dynamic dims of random inputs have a size that was chosen; --shape 'x[...]' gives another one"
    )
    assert "shape [3,-1] does not divide data [1] of 1 elements" in error


def test_random_values_of_every_kind_of_type(run: Run, tmp_path: Path) -> None:
    """Strings, booleans, halves, narrow integers and scalars, in turns with OpenVINO."""
    need("openvino")
    net = Net()
    for type, shape in (("string", "2"), ("boolean", "3"), ("f16", ""), ("i8", "1,2"), ("f32", "?")):
        net.result(net.parameter(f"in_{type}", shape, type))
    path = net.save(tmp_path / "types.xml")
    result = run("bench", path, "--niter", "1", "--compare-openvino", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    record = json.loads(result.stdout)
    assert [item["shape"] for item in record["inputs"]] == [[2], [3], [], [1, 2], [1]]
    assert record["largest_difference"] == 0


def test_largest_difference() -> None:
    one, nan, words = f32([1, 2]), f32([np.nan, np.inf]), np.array(["a", "b"], dtype=object)
    assert largest([one], [one + np.float32(0.5)]) == (0.5, 0.2)
    assert largest([one, 100 * one], [one + np.float32(1), 100 * one + np.float32(50)]) == (50, 0.2)
    assert largest([one], [0 * one]) == (2, None)
    assert largest([nan, words, one[:0]], [nan, words.astype(str), one[:0]]) == (0, None)
    assert largest([words], [words[::-1]]) == (np.inf, None)
    assert largest([one], [one[:1]]) == (None, None)
    assert largest([one], [words]) == (None, None)


def test_shape(run: Run) -> None:
    arguments = ("bench", DIGITS, "--niter", "1", "--shape", "image[4,1,8,8]", "--format", "json")
    assert json.loads(run(*arguments).stdout)["inputs"][0]["shape"] == [4, 1, 8, 8]


def test_time(run: Run) -> None:
    record = json.loads(run("bench", DIGITS, "--time", "0.05", "--format", "json").stdout)
    figures = record["engines"]["irrun"]
    assert figures["average"] * figures["iterations"] >= 50


def test_beside_openvino(run: Run) -> None:
    need("openvino")
    arguments = ("bench", DIGITS, "--niter", "3", "--threads", "1", "--compare-openvino")
    record = json.loads(run(*arguments, "--format", "json").stdout)
    engines = record["engines"]
    assert list(engines) == ["irrun", "openvino"]
    assert [engine["iterations"] for engine in engines.values()] == [3, 3]
    assert record["ratio"] == engines["irrun"]["median"] / engines["openvino"]["median"]
    assert record["largest_difference"] < 1e-5
    lines = run(*arguments).stdout.splitlines()
    assert lines[lines.index("") + 1].split() == ["irrun", "OpenVINO", "ratio"]
    assert lines[-1].startswith("outputs: largest difference from OpenVINO's ")
    assert lines[-1].endswith(" of the largest value of that output")


@pytest.mark.parametrize("command", ["bench", "profile"])
def test_without_openvino(run: Run, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setitem(sys.modules, "openvino", None)
    result = run(command, DIGITS, "--compare-openvino")
    assert (result.exit_code, result.stdout) == (2, "")
    what = "--compare-openvino needs the package openvino, which is not installed here; pip install openvino"
    assert result.stderr == f"error: {what}\n"


class Refusing:
    """An OpenVINO that refuses every model."""

    @staticmethod
    def get_version() -> str:
        return "1.0"

    class Core:
        def read_model(self, *_: object) -> None:
            raise RuntimeError("Exception from somewhere:\n\nunsupported opset: opset99\n")


@pytest.mark.parametrize("command", ["bench", "profile"])
def test_what_openvino_refuses(run: Run, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setitem(sys.modules, "openvino", Refusing)
    result = run(command, DIGITS, "--niter", "1", "--compare-openvino")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"error: OpenVINO cannot run {DIGITS}: unsupported opset: opset99\n"


@pytest.mark.parametrize("command", ["bench", "profile"])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--shape", "img[1,1,8,8]"), 'error: no input "img"; did you mean image?'),
        (("--shape", "image[x]"), 'error: --shape image[x]: "[x]" is not a shape, expected sizes, ? or intervals'),
        (
            ("--shape", "image[2,1,8,8]", "--shape", "[3,1,8,8]"),
            'error: --shape [3,1,8,8]: input "image" is given a shape twice',
        ),
        (("--niter", "0"), "Error: Invalid value for '--niter': 0 is not in the range x>=1."),
        (("--threads", "0"), "Error: Invalid value for '--threads': 0 is not in the range 1<=x<=1024."),
        (("--format", "xml"), "Error: Invalid value for '--format'"),
    ],
)
def test_wrong_use(run: Run, command: str, arguments: tuple[str, ...], message: str) -> None:
    result = run(command, DIGITS, *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("command", ["bench", "profile"])
def test_pinned_blas_is_said(run: Run, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    result = run(command, DIGITS, "--niter", "1")
    assert result.exit_code == 0
    assert result.stderr == (
        "warning: OPENBLAS_CORETYPE=Haswell pins BLAS to an architecture, which can halve its speed; "
        "unset it to measure\n"
    )


def test_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines take turns; each turn begins with an uncounted run, and each engine stops on its own."""
    now = 0.0
    order = []

    def takes(name: str, seconds: float) -> None:
        nonlocal now
        now += seconds
        order.append(name)

    monkeypatch.setattr("irrun.evaluation.timing.time.perf_counter", lambda: now)
    times = in_turns({"a": lambda: takes("a", 0.125), "b": lambda: takes("b", 0.25)}, 3, 1.0)
    assert times == {"a": [125.0] * 3, "b": [250.0] * 3}
    assert "".join(order) == "aaabbaabbbb"
    order.clear()
    assert in_turns({"a": lambda: takes("a", 0.25)}, None, 0.6) == {"a": [250.0] * 3}
    assert "".join(order) == "aaa"


def test_latency() -> None:
    assert latency([4.0, 1.0, 2.0, 1.0]) == {
        "median": 1.5,
        "average": 2.0,
        "min": 1.0,
        "max": 4.0,
        "p90": 4.0,
        "throughput": 500.0,
    }


def test_times_have_three_digits_that_count() -> None:
    assert [short(value) for value in (0.0123, 1.2345, 12.345, 123.45, 1234.5)] == [
        "0.012",
        "1.234",
        "12.35",
        "123.5",
        "1234",
    ]

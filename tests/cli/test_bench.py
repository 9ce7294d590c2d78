"""irrun bench: what is measured and how it is said; figures themselves are the machine's."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from irrun.cli.measuring import in_turns, latency, short
from tests.cli.conftest import Run

DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "model.xml"


def test_text(run: Run) -> None:
    result = run("bench", DIGITS, "--niter", "5", "--threads", "1")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["model", "input", "BLAS"]
    assert lines[1].split(maxsplit=1)[1] == "image  f32[1,1,8,8], random"
    assert lines[2].endswith(", 1 thread")
    titles = [line.partition("  ")[0] for line in lines[5:]]
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
    assert lines[13].split() == ["inferences", "5"]
    assert lines[14].endswith(" /s")


def test_json(run: Run) -> None:
    record = json.loads(run("bench", DIGITS, "--niter", "7", "--seed", "3", "--format", "json").stdout)
    assert (record["model"], record["seed"]) == ("digits", 3)
    assert record["inputs"] == [{"name": "image", "type": "f32", "shape": [1, 1, 8, 8]}]
    assert list(record["engines"]) == ["irrun"]
    figures = record["engines"]["irrun"]
    assert figures["iterations"] == 7
    assert 0 < figures["min"] <= figures["median"] <= figures["p90"] <= figures["max"]
    assert figures["min"] <= figures["average"] <= figures["max"]
    assert figures["throughput"] == pytest.approx(1000 / figures["average"])
    assert min(figures["read_ms"], figures["compile_ms"], figures["first_ms"]) > 0


def test_shape(run: Run) -> None:
    arguments = ("bench", DIGITS, "--niter", "1", "--shape", "image[4,1,8,8]", "--format", "json")
    assert json.loads(run(*arguments).stdout)["inputs"][0]["shape"] == [4, 1, 8, 8]


def test_time(run: Run) -> None:
    record = json.loads(run("bench", DIGITS, "--time", "0.05", "--format", "json").stdout)
    figures = record["engines"]["irrun"]
    assert figures["average"] * figures["iterations"] >= 50


def test_beside_openvino(run: Run) -> None:
    pytest.importorskip("openvino", reason="the native engine is not installed")
    arguments = ("bench", DIGITS, "--niter", "3", "--threads", "1", "--compare-openvino")
    record = json.loads(run(*arguments, "--format", "json").stdout)
    engines = record["engines"]
    assert list(engines) == ["irrun", "openvino"]
    assert [engine["iterations"] for engine in engines.values()] == [3, 3]
    assert record["ratio"] == engines["irrun"]["median"] / engines["openvino"]["median"]
    assert record["largest_difference"] < 1e-5
    lines = run(*arguments).stdout.splitlines()
    assert lines[5].split() == ["irrun", "OpenVINO", "ratio"]
    assert lines[-1].startswith("outputs: largest difference from OpenVINO's ")


@pytest.mark.parametrize("command", ["bench", "profile"])
def test_without_openvino(run: Run, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setitem(sys.modules, "openvino", None)
    result = run(command, DIGITS, "--compare-openvino")
    assert (result.exit_code, result.stdout) == (2, "")
    what = "--compare-openvino needs the package openvino, which is not installed here; pip install openvino"
    assert result.stderr == f"error: {what}\n"


class Refusing:
    """An OpenVINO that reads nothing."""

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
        (("--shape", "image[x]"), 'error: --shape image[x]: "[x]" is no shape, expected sizes, ? or intervals'),
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
    """Each engine has its turn, begins it with a run that does not count, and stops on its own."""
    now = 0.0
    order = []

    def takes(name: str, seconds: float) -> None:
        nonlocal now
        now += seconds
        order.append(name)

    monkeypatch.setattr("irrun.cli.measuring.time.perf_counter", lambda: now)
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

"""The JSON of every command fits the schema that ``irrun schema`` prints for it."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest

from irrun.cli.app import app
from irrun.cli.records import OTHER_RECORDS, RECORDS
from irrun.cli.schemas import files, names, schema
from irrun.debugging.comparing import Comparison
from irrun.debugging.layers import LayerComparison
from irrun.debugging.stopping import KINDS
from irrun.debugging.verdicts import LayerLoss, Suspect, Verdict
from tests.cli.conftest import Npy, Run
from tests.cli.linting import Write
from tests.cli.validating import schema_of, validator
from tests.engines import need
from tests.generation.conftest import STORIES, Copy, copied
from tests.generation.test_embedding import encoder
from tests.nets import Net

pytest.importorskip("jsonschema", reason="jsonschema is not installed")

__all__ = ["copied"]
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
DIGITS = EXAMPLES / "digits" / "model.xml"
SEVEN = ("-i", f"image={DIGITS.with_name('seven.npy')}")


@pytest.fixture
def fits(run: Run) -> Callable[..., Any]:
    """Run a command with ``--json``, whose output ``run`` validates, and return its record."""

    def fits(name: str, *arguments: object, status: int = 0, option: str = "--json") -> Any:
        result = run(*name.split(), *arguments, *option.split())
        assert result.exit_code == status, result.stderr
        return json.loads(result.stdout)

    return fits


Fits = Callable[..., Any]


def product(path: Path, factor: float, name: str = "m") -> Path:
    """Write tanh(x * factor)."""
    net = Net()
    weights = net.constant(np.full(6, factor, np.float32), name="w")
    at = net.layer("Multiply", [net.parameter("x", "2,6"), weights], name=name)
    net.result(net.layer("Tanh", [at], name="t", tensor="y"))
    return net.save(path)


def commands(command: click.Command, path: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield the commands that have a choice of JSON, by name."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from commands(found, f"{path} {name}".strip())
    elif any(parameter.name == "output_format" for parameter in command.params):
        yield path, command


def test_every_command_with_json_has_a_schema() -> None:
    assert {name for name, _ in commands(app)} == {*RECORDS, "lint"}
    assert list(names()) == ["rng", "xsd", "settings", *OTHER_RECORDS, *RECORDS]
    folder = Path(__file__).resolve().parents[2] / "schemas"
    assert {path.name for path in folder.iterdir()} == set(files().values())


def test_the_page_for_agents_names_each_schema() -> None:
    page = (EXAMPLES.parent / "docs" / "agents.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\| `irrun schema ([^`]+)` \|", page)) == {*OTHER_RECORDS, *RECORDS}


def test_the_schema_of_a_command_line() -> None:
    assert schema_of(["debug", "blame", "a.xml", "b.xml", "--json"]) == "debug blame"
    assert schema_of(["lint", "a.xml", "--output-format", "json", "--statistics"]) == "lint-statistics"
    assert schema_of(["lint", "a.xml", "--output-format", "json-report"]) == "lint-run"
    assert schema_of(["run", "a.xml", "--show-settings", "--json"]) == "show-settings"
    assert schema_of(["run", "a.xml"]) is None


def test_no_object_has_other_keys() -> None:
    def objects(value: Any) -> Iterator[dict[str, Any]]:
        if isinstance(value, dict):
            if "properties" in value:
                yield value
            value = list(value.values())
        if isinstance(value, list):
            for item in value:
                yield from objects(item)

    for name in RECORDS:
        found = [item for item in objects(json.loads(schema(name))) if item["additionalProperties"] is not False]
        assert len(found) == (1 if name == "evaluate" else 0)


def test_run(fits: Fits, clamp: Path, add: Path, npy: Npy, folder: Path) -> None:
    found = fits("run", clamp, "-i", npy("x.npy", np.float32([[1, 2, np.nan]])), "--top", 2, "--stats", "-q")
    assert found["outputs"][0]["values"] == [[1.0, 1.0, "NaN"]]
    assert list(found) == ["outputs", "top", "execution", "layers"]
    assert fits("run", add, "--random")["outputs"][0]["type"] == "i64"
    assert fits("run", clamp, "-i", npy("none.npy", np.zeros((0, 3), np.float32)))["outputs"][0]["min"] is None
    net = Net()
    x = net.parameter("x", "2")
    net.result(net.layer("Log", [x], name="log"), net.layer("Greater", [x, x], name="greater"))
    path, negative = net.save(folder / "log.xml"), ("-i", npy("minus.npy", np.float32([-1, 2])))
    assert fits("run", path, *negative)["outputs"][1]["true"] == 0
    stopped = fits("run", path, *negative, "--stop-at", "nan", "--stats", status=1, option="--json -q")
    assert stopped["stopped"]["kind"] in KINDS
    assert list(stopped) == ["stopped", "layers"]


def test_run_in_another_precision(fits: Fits) -> None:
    assert fits("run", DIGITS, *SEVEN, "--precision", "f16", "--check")["error"]["precision"] == "f16"


def test_run_on_many_inputs(fits: Fits, clamp: Path, npy: Npy, tmp_path: Path) -> None:
    npy("one.npy", np.zeros((1, 3), np.float32))
    npy("two.npy", np.zeros((1, 4), np.float32))
    given = ("run", clamp, "--batch", f"{tmp_path}/*.npy", "-o", tmp_path / "out", "-q")
    assert fits(*given, status=2)["failed"] == 1
    assert fits(*given, status=2)["before"] == 1


def test_compare(fits: Fits, tmp_path: Path, npy: Npy) -> None:
    first, second = product(tmp_path / "a.xml", 1), product(tmp_path / "b.xml", 2)
    assert fits("compare", first, first, "--all")["pairs"][0]["verdict"] == "equal"
    found = fits("compare", first, second, "--all", status=1, option="--json --check-error-stat median")
    assert found["pairs"][0]["suspects"][0]["cause"] == "constant"
    assert found["pairs"][0]["table"][0]["layer"] == "m"
    other = fits("compare", first, npy("other.npy", np.zeros((2, 6), np.float32)), status=1)
    assert other["pairs"][0]["verdict"] == "unknown"
    assert fits("compare", first, npy("shape.npy", np.zeros((2, 5), np.float32)), status=1)["different"] == 1
    failed = fits("compare", first, npy("text.npy", np.array(["a"], object)), status=2, option="--json -q")
    assert failed["pairs"][0]["status"] == "failed"
    for name in ("1.npy", "2.npy"):
        (tmp_path / "in").mkdir(exist_ok=True)
        np.save(tmp_path / "in" / name, np.ones((2, 6), np.float32))
    worst = fits("compare", first, second, "--batch", tmp_path / "in", status=1, option="--json -q")
    assert worst["worst"] == worst["pairs"][0]["name"]
    assert fits("compare", first, first, "--batch", tmp_path / "in", option="--json -q")["worst"] is None


def test_a_region_and_optimisation() -> None:
    suspect = Suspect("a", "Add", "b", "structure", between=(("a",), ("b", "c")))
    apart = {"model": 0.25, "other": 0.0}
    verdict = Verdict("different", (suspect,), "optimisation", "", (LayerLoss("a", "Add", "b", "u8", 0.5),))
    found = Comparison((), verdict, LayerComparison((), (), ()), optimisation=apart).as_dict(every=True)
    assert found["optimisation"] == {"by": "model", "relative": apart}
    pair = {"name": "a.xml", "model": "a.xml", "other": "b.xml", **found}
    counts = {"equal": 0, "different": 1, "failed": 0}
    validator("compare").validate({"rtol": 1e-3, "atol": 1e-5, **counts, "pairs": [pair]})


def test_bench_and_profile(fits: Fits, clamp: Path) -> None:
    found = fits("bench", clamp, "--shape", "image[1,3]", "--niter", 1, "--precision", "f32", "--precision", "bf16")
    assert list(found["engines"]) == ["irrun", "irrun bf16"]
    assert fits("profile", DIGITS, *SEVEN, "--niter", 1)["runs"] == 1


@pytest.mark.rest
def test_beside_openvino(fits: Fits) -> None:
    need("openvino")
    assert fits("bench", DIGITS, *SEVEN, "--niter", 1, "--compare-openvino")["engines"]["openvino"]["iterations"] == 1
    assert fits("profile", DIGITS, *SEVEN, "--niter", 1, "--compare-openvino")["openvino"]["types"]
    given = ("debug precision", DIGITS, *SEVEN, "--precision", "bf16", "--tried", 1)
    assert fits(*given, "--openvino")["openvino"]["number"] == 3
    assert fits("compare", DIGITS, "--openvino", "--all", *SEVEN)["equal"] == 1


def test_info(fits: Fits, clamp: Path, write: Write) -> None:
    assert fits("info", clamp, "--layers")["layer_list"][1]["name"] == "clamped"
    for options in ((), ("--timeout", 60)):
        assert list(fits("info", clamp, "--graph", "--plan", *options)) == ["graph", "plan"]
    assert fits("info", DIGITS, "--plan")["plan"]
    text = '<net name="" version="11"><layers/><edges/></net>'
    assert fits("info", write("empty.xml", text), option="--json -q")["layers"] == 0


def test_operations_and_rules(fits: Fits) -> None:
    assert len(fits("ops")) > 200
    assert fits("ops", "Clamp")[0]["type"] == "Clamp"
    assert fits("rule", "IR401")["severity"] == "error"
    assert len(fits("rule", "--all")) == len(fits("rule"))
    assert fits("eval", "Divide", "[1.0, 0.0]", "[0.0, 0.0]")["outputs"][0]["values"] == ["Infinity", "NaN"]


def test_differences_and_layers(fits: Fits, tmp_path: Path) -> None:
    first, second = product(tmp_path / "a.xml", 1), product(tmp_path / "b.xml", 2, "other")
    assert fits("diff", first, first)["equal"] is True
    assert {item["kind"] for item in fits("diff", first, second, status=1)["changes"]} == {"renamed", "constant"}
    assert fits("explain", first, "m")["type"] == "Multiply"


def test_evaluate(fits: Fits, clamp: Path, npy: Npy) -> None:
    data, labels = npy("x.npy", np.eye(3, dtype=np.float32)), npy("y.npy", np.arange(3))
    found = fits("evaluate", clamp, "--data", data, "--labels", labels, "-m", "top1")
    assert found["top1"] == {"value": 1.0, "count": 3}


def test_scores_of_classes_and_failed_inputs() -> None:
    score = {"value": 0.5, "count": 2, "ignored": 1, "classes": {"0": 0.5}, "matrix": [[1, 1], [0, 0]]}
    validator("evaluate").validate({"f1": score, "failed": ["a.npy"]})
    assert not validator("evaluate").is_valid({"f1": {**score, "share": 1}})


def test_texts(fits: Fits, copied: Copy) -> None:
    found = fits("generate", STORIES, "Once", "upon", "--max-new-tokens", 2, "--logprobs")
    assert [item["finish_reason"] for item in found["texts"]] == ["length", "length"]
    assert fits("embed", encoder(copied()), "Otto", "Once")["embeddings"][1]["text"] == "Once"


def test_scores_of_texts(fits: Fits, copied: Copy) -> None:
    assert len(fits("embed", encoder(copied(), scores=1), "Otto", "--query", "Who?")["scores"]) == 1


def test_debugging(fits: Fits, tmp_path: Path) -> None:
    first, second = product(tmp_path / "a.xml", 1), product(tmp_path / "b.xml", 2)
    found = fits("debug blame", first, second, "-o", tmp_path / "report", status=1, option="--json -q")
    assert (found["layer"], Path(found["files"][0]).parent) == ("m", tmp_path / "report")
    assert fits("debug blame", first, first, status=2)["verdict"] == "equal"
    assert fits("debug precision", first, "--precision", "bf16")["openvino"] is None
    check = f'{sys.executable} -c \'import sys; sys.exit(b"Multiply" in open(sys.argv[1], "rb").read())\' {{}}'
    reduced = fits("debug reduce", first, "--check", check, "--most", 3, "-o", tmp_path / "r.xml", option="--json -q")
    assert reduced["layers"][0] == {"name": "m", "type": "Multiply"}


def test_lint(fits: Fits, write: Write) -> None:
    wrong = EXAMPLES / "wrong_dims.xml"
    for option in ("json", "json-report", "json --statistics"):
        assert fits("lint", wrong, status=1, option=f"--output-format {option}")
        fits("lint", DIGITS, option=f"--output-format {option}")
    for given in ("missing.xml", "*.none"):
        assert fits("lint", given, status=2, option="--output-format json-report -q")["problems"]
    broken = fits("lint", write("broken.xml", "<net"), status=1, option="--output-format json")
    assert broken[0]["layer"] is None


def test_settings(fits: Fits, clamp: Path, write: Write) -> None:
    assert fits("run", clamp, "--show-settings")["precision"] == "f32"
    write("irrun.toml", 'ignore = ["IR4"]\ntarget-version = "2023.3"\n[per-file-ignores]\n"a/*" = ["IR101"]\n')
    found = fits("lint", write("a/net.xml"), write("net.xml"), "--show-settings", option="--output-format json")
    assert found[0]["per-file-ignores"] == {"a/*": ["IR101"]}


def test_what_fails_prints_no_record(run: Run, clamp: Path) -> None:
    for given in (
        ["run", clamp],
        ["info", "missing.xml"],
        ["explain", clamp, "missing"],
        ["ops", "Missing"],
        ["rule", "IR999"],
        ["eval", "Clamp"],
        ["diff", clamp, "missing.xml"],
    ):
        result = run(*given, "--json")
        assert (result.exit_code, result.stdout) == (2, "")

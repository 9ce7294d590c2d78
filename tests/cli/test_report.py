"""irrun report: pages, and requests that cannot be carried out."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run, one_line
from tests.engines import need
from tests.reporting.models import network, save

DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "model.xml"


def data(path: Path) -> Any:
    """Return the data in a page."""
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', path.read_text(), re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_a_model(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    result = run("report", DIGITS, "-o", page)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.startswith(f"note: wrote {page}, 0.")
    (model,) = data(page)["models"]
    assert (model["name"], len(model["layers"])) == ("digits", 21)
    assert [key for key, *_ in model["heats"]] == ["flops", "weights"]


def test_a_run_beside_openvino(run: Run, tmp_path: Path) -> None:
    need("openvino")
    page = tmp_path / "report.html"
    image = DIGITS.parent / "seven.npy"
    assert run("report", DIGITS, "-o", page, "--openvino", "-i", f"image={image}").exit_code == 0
    (model,) = data(page)["models"]
    assert {"time", "most", "std", "zeros", "error", "own"} <= {key for key, *_ in model["heats"]}
    assert ["error", "error against OpenVINO", "", True] in model["heats"]
    errors = [layer["h"]["error"] for layer in model["layers"] if "error" in layer["h"]]
    assert len(errors) > 10
    assert max(errors) < 1e-4


def test_two_models(run: Run, tmp_path: Path) -> None:
    first = save(tmp_path, "a.xml", network())
    second = save(tmp_path, "b.xml", network(), ('type="Tanh"', 'type="Erf"'))
    page = tmp_path / "report.html"
    assert run("report", first, second, "-o", page, "--run").exit_code == 0
    found = data(page)
    assert [row[0] for row in found["changes"]] == ["operation"]
    errors = {layer["n"]: layer["h"].get("error") for layer in found["models"][0]["layers"]}
    assert errors["relu"] == 0
    assert errors["sum"] > 0


def test_two_models_with_other_inputs(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    result = run("report", save(tmp_path, "a.xml", network()), DIGITS, "-o", page, "--run")
    assert result.exit_code == 0
    assert "note: the models have different inputs: each runs on its own, and errors are not shown" in result.stderr
    for model in data(page)["models"]:
        assert {"time", "most"} <= {key for key, *_ in model["heats"]}
        assert "error" not in {key for key, *_ in model["heats"]}


def test_findings(run: Run, tmp_path: Path) -> None:
    path = save(tmp_path, "a.xml", network(), ("<dim>64</dim>", "<dim>65</dim>"))
    assert run("report", path, "-o", tmp_path / "report.html").exit_code == 0
    (model,) = data(tmp_path / "report.html")["models"]
    assert [layer["n"] for layer in model["layers"] if "f" in layer] == ["flat"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--openvino", DIGITS], "OTHER and --openvino are given, expected only one of them"),
        (["-i", "x.npy"], "-i requires --run or --openvino"),
    ],
)
def test_misuse(run: Run, tmp_path: Path, options: list[Any], message: str) -> None:
    result = run("report", DIGITS, "-o", tmp_path / "report.html", *options)
    assert result.exit_code == 2
    assert message in result.stderr


def test_the_model_is_not_replaced(run: Run) -> None:
    assert "is read by this command" in one_line(run("report", DIGITS, "-o", DIGITS))


@pytest.mark.skipif(sys.platform != "linux", reason="a name that is not text")
def test_a_file_name_that_is_no_text(run: Run, tmp_path: Path) -> None:
    model = tmp_path / os.fsdecode(b"\xff.xml")
    for suffix in (".xml", ".bin"):
        model.with_suffix(suffix).write_bytes(Path(DIGITS).with_suffix(suffix).read_bytes())
    page = tmp_path / "report.html"
    assert run("report", model, "-o", page).exit_code == 0
    assert len(data(page)["models"][0]["layers"]) == 21

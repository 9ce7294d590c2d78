"""irrun explain: a layer in words."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run, one_line
from tests.reporting.models import network, save

DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "model.xml"


def test_text(run: Run, tmp_path: Path) -> None:
    result = run("explain", save(tmp_path, "net.xml", network()), "pool")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[:7] == [
        'MaxPool "pool"  (opset1, pooling, id 6)',
        "The greatest element of each 2x2 window of each channel, 2x2 apart, without padding.",
        "",
        "shapes",
        "  axes 0 and 1: batch and channels, 1 and 4",
        "  axis 2: (8 + 0 + 0 - 2) / 2 + 1 = 4",
        "  axis 3: (8 + 0 + 0 - 2) / 2 + 1 = 4",
    ]
    assert '  0 data  f32[1,4,8,8]  from ReLU "relu"' in lines
    assert '  0 output  f32[1,4,4,4]  read by Sigmoid "left", Tanh "right"' in lines
    assert (
        "  auto_pad       explicit  default  kind of padding; pads_begin and pads_end are used only for explicit"
        in lines
    )
    assert lines[-1].startswith("page: https://docs.openvino.ai/")


def test_json(run: Run) -> None:
    record = json.loads(run("explain", DIGITS, "softmax", "--json").stdout)
    assert record["type"] == "SoftMax"
    assert record["shapes"] == ["The output has the shape of the input, [?,10]."]


def test_an_unknown_layer(run: Run) -> None:
    assert one_line(run("explain", DIGITS, "scorse")) == 'error: no layer "scorse"; did you mean scores?'

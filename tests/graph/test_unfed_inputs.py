"""Edges, not ports, count as inputs in OpenVINO: a trailing optional input without an edge is absent."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import irrun.model

UNFED = """<?xml version="1.0"?>
<net name="unfed" version="11">
  <layers>
    <layer id="0" name="x" type="Parameter" version="opset1">
      <data shape="2" element_type="f32"/>
      <output><port id="0" precision="FP32"><dim>2</dim></port></output>
    </layer>
    <layer id="1" name="y" type="Swish" version="opset4">
      <input>
        <port id="0" precision="FP32"><dim>2</dim></port>
        <port id="1" precision="FP32"/>
      </input>
      <output><port id="2" precision="FP32"><dim>2</dim></port></output>
    </layer>
    <layer id="2" name="z" type="Result" version="opset1">
      <input><port id="0" precision="FP32"><dim>2</dim></port></input>
    </layer>
  </layers>
  <edges>
    <edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
    <edge from-layer="1" from-port="2" to-layer="2" to-port="0"/>
  </edges>
</net>
"""


def test_the_model_runs_without_the_input(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text(UNFED)
    (y,) = irrun.model.build(path)({"x": np.array([0, 1], np.float32)}).to_tuple()
    np.testing.assert_allclose(y, [0, 0.7310586], rtol=1e-6)


def test_lint_reports_it(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text(UNFED)
    assert [item.code for item in irrun.lint(path)] == ["IR204"]


def test_an_input_that_is_needed_is_not_left_out(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text(UNFED.replace('"Swish" version="opset4"', '"Add" version="opset1"'))
    model = irrun.model.load(path)
    assert [item.code for item in model.diagnostics] == ["IR204"]

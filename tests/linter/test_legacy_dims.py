"""Dims that Model Optimizer declared in IR version 10 are accepted there; other differences are faults."""

from __future__ import annotations

from pathlib import Path

import pytest

import irrun

PRODUCT = """<?xml version="1.0"?>
<net name="product" version="{version}">
  <layers>
    <layer id="0" name="x" type="Parameter" version="opset1">
      <data shape="3" element_type="f32"/>
      <output><port id="0" precision="FP32"><dim>3</dim></port></output>
    </layer>
    <layer id="1" name="w" type="Parameter" version="opset1">
      <data shape="4,3" element_type="f32"/>
      <output><port id="0" precision="FP32"><dim>4</dim><dim>3</dim></port></output>
    </layer>
    <layer id="2" name="y" type="MatMul" version="opset1">
      <data transpose_a="false" transpose_b="true"/>
      <input>
        <port id="0" precision="FP32"><dim>3</dim></port>
        <port id="1" precision="FP32"><dim>4</dim><dim>3</dim></port>
      </input>
      <output><port id="2" precision="FP32"><dim>1</dim><dim>{size}</dim></port></output>
    </layer>
    <layer id="3" name="y/result" type="Result" version="opset1">
      <input><port id="0" precision="FP32"><dim>1</dim><dim>{size}</dim></port></input>
    </layer>
  </layers>
  <edges>
    <edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
    <edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
    <edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
  </edges>
</net>
"""

LOOP = """<?xml version="1.0"?>
<net name="loop" version="{version}">
  <layers>
    <layer id="0" name="x" type="Parameter" version="opset1">
      <data shape="1,2" element_type="f32"/>
      <output><port id="0" precision="FP32"><dim>1</dim><dim>2</dim></port></output>
    </layer>
    <layer id="1" name="count" type="Const" version="opset1">
      <data element_type="i64" shape="" offset="0" size="8"/>
      <output><port id="0" precision="I64"/></output>
    </layer>
    <layer id="2" name="go" type="Const" version="opset1">
      <data element_type="boolean" shape="" offset="8" size="1"/>
      <output><port id="0" precision="BOOL"/></output>
    </layer>
    <layer id="3" name="loop" type="Loop" version="opset5">
      <input>
        <port id="0" precision="I64"/>
        <port id="1" precision="BOOL"/>
        <port id="2" precision="FP32"><dim>1</dim><dim>2</dim></port>
      </input>
      <output><port id="3" precision="FP32"><dim>3</dim><dim>2</dim></port></output>
      <port_map>
        <input external_port_id="2" internal_layer_id="0"/>
        <output external_port_id="-1" internal_layer_id="3" purpose="execution_condition"/>
        <output external_port_id="3" internal_layer_id="2" axis="0"/>
      </port_map>
      <body>
        <layers>
          <layer id="0" name="item" type="Parameter" version="opset1">
            <data shape="1,2" element_type="f32"/>
            <output><port id="0" precision="FP32"><dim>1</dim><dim>2</dim></port></output>
          </layer>
          <layer id="1" name="tanh" type="Tanh" version="opset1">
            <input><port id="0" precision="FP32"><dim>1</dim><dim>2</dim></port></input>
            <output><port id="1" precision="FP32"><dim>{joined}</dim><dim>{size}</dim></port></output>
          </layer>
          <layer id="2" name="tanh/result" type="Result" version="opset1">
            <input><port id="0" precision="FP32"><dim>{joined}</dim><dim>{size}</dim></port></input>
          </layer>
          <layer id="4" name="true" type="Const" version="opset1">
            <data element_type="boolean" shape="" offset="8" size="1"/>
            <output><port id="0" precision="BOOL"/></output>
          </layer>
          <layer id="3" name="true/result" type="Result" version="opset1">
            <input><port id="0" precision="BOOL"/></input>
          </layer>
        </layers>
        <edges>
          <edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
          <edge from-layer="1" from-port="1" to-layer="2" to-port="0"/>
          <edge from-layer="4" from-port="0" to-layer="3" to-port="0"/>
        </edges>
      </body>
    </layer>
    <layer id="4" name="y" type="Result" version="opset1">
      <input><port id="0" precision="FP32"><dim>3</dim><dim>2</dim></port></input>
    </layer>
  </layers>
  <edges>
    <edge from-layer="1" from-port="0" to-layer="3" to-port="0"/>
    <edge from-layer="2" from-port="0" to-layer="3" to-port="1"/>
    <edge from-layer="0" from-port="0" to-layer="3" to-port="2"/>
    <edge from-layer="3" from-port="3" to-layer="4" to-port="0"/>
  </edges>
</net>
"""
WEIGHTS = (3).to_bytes(8, "little") + b"\x01"


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (PRODUCT.format(version=10, size=4), []),
        (PRODUCT.format(version=11, size=4), ["IR401"]),
        (PRODUCT.format(version=10, size=5), ["IR401"]),
        (LOOP.format(version=10, joined=3, size=2), []),
        (LOOP.format(version=11, joined=3, size=2), ["IR401"]),
        (LOOP.format(version=10, joined=1, size=3), ["IR401"]),
        (LOOP.format(version=11, joined=1, size=2), []),
    ],
)
def test_dims_of_version_10(tmp_path: Path, text: str, codes: list[str]) -> None:
    (tmp_path / "model.xml").write_text(text)
    (tmp_path / "model.bin").write_bytes(WEIGHTS)
    report = irrun.lint(tmp_path / "model.xml")
    assert [item.code for item in report] == codes

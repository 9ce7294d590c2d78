"""Small IR files that the tests of many folders change."""

from __future__ import annotations

from typing import Final

NET: Final = """<?xml version="1.0"?>
<net name="net" version="11">
    <layers>
        <layer id="0" name="x" type="Parameter" version="opset1">
            <data shape="2,3" element_type="f32"/>
            <output><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></output>
        </layer>
        <layer id="1" name="clip" type="Clamp" version="opset1">
            <data min="0" max="6"/>
            <input><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></input>
            <output><port id="1" precision="FP32"><dim>2</dim><dim>3</dim></port></output>
        </layer>
        <layer id="2" name="y" type="Result" version="opset1">
            <input><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></input>
        </layer>
    </layers>
    <edges>
        <edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
        <edge from-layer="1" from-port="1" to-layer="2" to-port="0"/>
    </edges>
</net>
"""
"""A Parameter, a Clamp, a Result."""

CLAMP: Final = """<layer id="1" name="clip" type="Clamp" version="opset1">
    <data min="0" max="6"/>
    <input>
        <port id="0" precision="FP32">
            <dim>2</dim>
            <dim>3</dim>
        </port>
    </input>
    <output>
        <port id="1" precision="FP32">
            <dim>2</dim>
            <dim>3</dim>
        </port>
    </output>
</layer>
"""
"""A bare layer."""

TILE: Final = """<layer id="1" name="tile" type="Tile" version="opset1">
    <input>
        <port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port>
        <port id="1" precision="I64"><dim>2</dim></port>
    </input>
    <output>
        <port id="2" precision="FP32"><dim>4</dim><dim>3</dim></port>
    </output>
</layer>
"""
"""A bare layer of two inputs."""

ADD: Final = """<layer id="1" name="sum" type="Add" version="opset1">
    <input>
        <port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port>
        <port id="1" precision="FP32"><dim>3</dim></port>
    </input>
    <output>
        <port id="2" precision="FP32"><dim>2</dim><dim>3</dim></port>
    </output>
</layer>
"""
"""A bare layer whose inputs are of one type."""

CONST: Final = """<layer id="1" name="weights" type="Const" version="opset1">
    <data element_type="f32" shape="2" offset="0" size="8"/>
    <output>
        <port id="0" precision="FP32"><dim>2</dim></port>
    </output>
</layer>
"""
"""A bare constant."""

ITERATOR: Final = """<?xml version="1.0"?>
<net name="net" version="11">
    <layers>
        <layer id="0" name="x" type="Parameter" version="opset1">
            <data shape="4,3" element_type="f32"/>
            <output><port id="0" precision="FP32"><dim>4</dim><dim>3</dim></port></output>
        </layer>
        <layer id="1" name="steps" type="TensorIterator" version="opset1">
            <port_map>
                <input axis="0" external_port_id="0" internal_layer_id="0"/>
                <input external_port_id="0" internal_layer_id="1"/>
                <output external_port_id="1" internal_layer_id="3"/>
            </port_map>
            <back_edges>
                <edge from-layer="3" to-layer="1"/>
            </back_edges>
            <input><port id="0" precision="FP32"><dim>4</dim><dim>3</dim></port></input>
            <output><port id="1" precision="FP32"><dim>4</dim><dim>3</dim></port></output>
            <body>
                <layers>
                    <layer id="0" name="row" type="Parameter" version="opset1">
                        <data shape="1,3" element_type="f32"/>
                        <output><port id="0" precision="FP32"><dim>1</dim><dim>3</dim></port></output>
                    </layer>
                    <layer id="1" name="sum" type="Parameter" version="opset1">
                        <data shape="4,3" element_type="f32"/>
                        <output><port id="0" precision="FP32"><dim>4</dim><dim>3</dim></port></output>
                    </layer>
                    <layer id="2" name="add" type="Add" version="opset1">
                        <input>
                            <port id="0" precision="FP32"><dim>1</dim><dim>3</dim></port>
                            <port id="1" precision="FP32"><dim>4</dim><dim>3</dim></port>
                        </input>
                        <output><port id="2" precision="FP32"><dim>4</dim><dim>3</dim></port></output>
                    </layer>
                    <layer id="3" name="next" type="Result" version="opset1">
                        <input><port id="0" precision="FP32"><dim>4</dim><dim>3</dim></port></input>
                    </layer>
                </layers>
                <edges>
                    <edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
                    <edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
                    <edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
                </edges>
            </body>
        </layer>
        <layer id="2" name="y" type="Result" version="opset1">
            <input><port id="0" precision="FP32"><dim>4</dim><dim>3</dim></port></input>
        </layer>
    </layers>
    <edges>
        <edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
        <edge from-layer="1" from-port="1" to-layer="2" to-port="0"/>
    </edges>
</net>
"""
"""A TensorIterator that adds up the rows of its input."""

WEIGHED: Final = """<?xml version="1.0"?>
<net name="net" version="11">
    <layers>
        <layer id="0" name="weights" type="Const" version="opset1">
            <data element_type="f32" shape="2" offset="0" size="8"/>
            <output><port id="0" precision="FP32"><dim>2</dim></port></output>
        </layer>
        <layer id="1" name="y" type="Result" version="opset1">
            <input><port id="0" precision="FP32"><dim>2</dim></port></input>
        </layer>
    </layers>
    <edges>
        <edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
    </edges>
</net>
"""
"""A model with a constant that feeds a Result."""

PAIR: Final = """<?xml version="1.0"?>
<net name="net" version="11">
    <layers>
        <layer id="0" name="weights" type="Const" version="opset1">
            <data element_type="f32" shape="2" offset="0" size="8"/>
            <output><port id="0" precision="FP32"><dim>2</dim></port></output>
        </layer>
        <layer id="1" name="count" type="Const" version="opset1">
            <data element_type="i64" shape="1" offset="8" size="8"/>
            <output><port id="0" precision="I64"><dim>1</dim></port></output>
        </layer>
        <layer id="2" name="y" type="Result" version="opset1">
            <input><port id="0" precision="FP32"><dim>2</dim></port></input>
        </layer>
        <layer id="3" name="n" type="Result" version="opset1">
            <input><port id="0" precision="I64"><dim>1</dim></port></input>
        </layer>
    </layers>
    <edges>
        <edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
        <edge from-layer="1" from-port="0" to-layer="3" to-port="0"/>
    </edges>
</net>
"""
"""A model with a float constant and an integer constant, each of which feeds a Result."""

PAIR_WEIGHTS: Final = bytes(8) + (3).to_bytes(8, "little") + bytes(16)

STATEFUL: Final = """<?xml version="1.0"?>
<net name="net" version="11">
    <layers>
        <layer id="0" name="x" type="Parameter" version="opset1">
            <data shape="2" element_type="f32"/>
            <output><port id="0" precision="FP32"><dim>2</dim></port></output>
        </layer>
        <layer id="1" name="old" type="ReadValue" version="opset6">
            <data variable_id="state" variable_type="f32" variable_shape="2"/>
            <output><port id="0" precision="FP32"><dim>2</dim></port></output>
        </layer>
        <layer id="2" name="sum" type="Add" version="opset1">
            <input>
                <port id="0" precision="FP32"><dim>2</dim></port>
                <port id="1" precision="FP32"><dim>2</dim></port>
            </input>
            <output><port id="2" precision="FP32"><dim>2</dim></port></output>
        </layer>
        <layer id="3" name="new" type="Assign" version="opset6">
            <data variable_id="state"/>
            <input><port id="0" precision="FP32"><dim>2</dim></port></input>
            <output><port id="1" precision="FP32"><dim>2</dim></port></output>
        </layer>
        <layer id="4" name="y" type="Result" version="opset1">
            <input><port id="0" precision="FP32"><dim>2</dim></port></input>
        </layer>
    </layers>
    <edges>
        <edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
        <edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
        <edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
        <edge from-layer="2" from-port="2" to-layer="4" to-port="0"/>
    </edges>
</net>
"""
"""A model with a variable."""

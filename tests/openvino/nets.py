"""Small IR files of the checks."""

from __future__ import annotations

import functools

import numpy as np


def port(id: int, precision: str, dims: str, names: str = "") -> str:
    named = f' names="{names}"' if names else ""
    inside = "".join(f"<dim>{dim}</dim>" for dim in dims.split(",") if dim)
    return f'<port id="{id}" precision="{precision}"{named}>{inside}</port>'


def layer(id: int, name: str, type: str, data: str, ports: str, version: str = "opset1") -> str:
    return f'<layer id="{id}" name="{name}" type="{type}" version="{version}"><data {data}/>{ports}</layer>'


def net(layers: list[str], edges: list[tuple[int, int, int, int]], rt_info: str = "") -> str:
    lines = "".join(f'<edge from-layer="{a}" from-port="{b}" to-layer="{c}" to-port="{d}"/>' for a, b, c, d in edges)
    inside = f"<layers>{''.join(layers)}</layers><edges>{lines}</edges>"
    return f'<?xml version="1.0"?>\n<net name="small" version="11">{inside}<rt_info>{rt_info}</rt_info></net>'


def ins(*ports: str) -> str:
    return f"<input>{''.join(ports)}</input>"


def outs(*ports: str) -> str:
    return f"<output>{''.join(ports)}</output>"


@functools.cache
def small(dims: str = "1,3", shape: str = "") -> str:
    """``y = relu(x + [1, -2, 3])``, with the tensors x, sum and y."""
    shape = shape or dims.replace("-1", "?")
    return net(
        [
            layer(0, "x", "Parameter", f'shape="{shape}" element_type="f32"', outs(port(0, "FP32", dims, "x"))),
            layer(1, "c", "Const", 'element_type="f32" shape="3" offset="0" size="12"', outs(port(0, "FP32", "3"))),
            layer(
                2,
                "sum_layer",
                "Add",
                'auto_broadcast="numpy"',
                ins(port(0, "FP32", dims), port(1, "FP32", "3")) + outs(port(2, "FP32", dims, "sum")),
            ),
            layer(3, "relu_layer", "ReLU", "", ins(port(0, "FP32", dims)) + outs(port(1, "FP32", dims, "y,yy"))),
            layer(4, "result", "Result", "", ins(port(0, "FP32", dims))),
        ],
        [(0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 3, 0), (3, 1, 4, 0)],
        '<made_by value="hand"/><group><inner value="7"/></group>',
    )


SMALL_WEIGHTS = np.array([1, -2, 3], np.float32).tobytes()


@functools.cache
def pair() -> str:
    """Two inputs ``a`` f32[2] and ``b`` f32[2]; two outputs, their sum and their product."""
    return net(
        [
            layer(0, "a", "Parameter", 'shape="2" element_type="f32"', outs(port(0, "FP32", "2", "a"))),
            layer(1, "b", "Parameter", 'shape="2" element_type="f32"', outs(port(0, "FP32", "2", "b"))),
            *[
                layer(
                    number,
                    name,
                    type,
                    'auto_broadcast="numpy"',
                    ins(port(0, "FP32", "2"), port(1, "FP32", "2")) + outs(port(2, "FP32", "2", name)),
                )
                for number, name, type in ((2, "sum", "Add"), (3, "product", "Multiply"))
            ],
            layer(4, "r0", "Result", "", ins(port(0, "FP32", "2"))),
            layer(5, "r1", "Result", "", ins(port(0, "FP32", "2"))),
        ],
        [(0, 0, 2, 0), (1, 0, 2, 1), (0, 0, 3, 0), (1, 0, 3, 1), (2, 2, 4, 0), (3, 2, 5, 0)],
    )


@functools.cache
def counter() -> str:
    """A variable ``total`` of f32[1,2] to which each run adds its input."""
    ports = ins(port(0, "FP32", "1,2"), port(1, "FP32", "1,2")) + outs(port(2, "FP32", "1,2", "new"))
    state = 'variable_id="total"'
    typed = f'{state} variable_type="f32" variable_shape="1,2"'
    return net(
        [
            layer(0, "x", "Parameter", 'shape="1,2" element_type="f32"', outs(port(0, "FP32", "1,2", "x"))),
            layer(
                1, "zero", "Const", 'element_type="f32" shape="1,2" offset="0" size="8"', outs(port(0, "FP32", "1,2"))
            ),
            layer(
                2,
                "read",
                "ReadValue",
                typed,
                ins(port(0, "FP32", "1,2")) + outs(port(1, "FP32", "1,2")),
                "opset6",
            ),
            layer(3, "add", "Add", 'auto_broadcast="numpy"', ports),
            layer(4, "write", "Assign", state, ins(port(0, "FP32", "1,2")) + outs(port(1, "FP32", "1,2")), "opset6"),
            layer(5, "r", "Result", "", ins(port(0, "FP32", "1,2"))),
        ],
        [(1, 0, 2, 0), (0, 0, 3, 0), (2, 1, 3, 1), (3, 2, 4, 0), (3, 2, 5, 0)],
    )


COUNTER_WEIGHTS = bytes(8)

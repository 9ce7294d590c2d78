"""Small networks of the kinds that there are, whose graphs and programs are kept as texts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

import irrun.model
from irrun.document.writer import Handle
from irrun.tensor.element_type import BOOLEAN, F32, I64, U4
from tests.loops import loop_model
from tests.nets import Net
from tests.optimize.quantized import convolution as convolved
from tests.optimize.quantized import fake_quantize, filters
from tests.runtime.decoder import Decoder

SAME: Final[dict[str, Any]] = {
    "strides": "1,1",
    "dilations": "1,1",
    "pads_begin": "1,1",
    "pads_end": "1,1",
    "auto_pad": "explicit",
}

Build = Callable[[Path], tuple[Path, dict[str, Any]]]
"""Write a model below a folder; return its file and the settings of its compilation."""

NETS: Final[dict[str, Build]] = {}


def network(function: Callable[[Net], dict[str, Any] | None]) -> Callable[[Net], dict[str, Any] | None]:
    """Add a network to the table under the name of the function, which may return settings."""

    def build(folder: Path) -> tuple[Path, dict[str, Any]]:
        net = Net()
        settings = function(net) or {}
        net.save(folder / "net.xml")
        return folder / "net.xml", settings

    NETS[function.__name__] = build
    return function


def compiled(name: str, folder: Path, **settings: Any) -> irrun.model.Compiled:
    path, own = NETS[name](folder)
    return irrun.model.build(path, own | settings)


@network
def convolution(net: Net) -> None:
    """Convolution, batch normalisation, ReLU, pooling."""
    x = net.layer("Convolution", [net.parameter("image", "1,3,12,12"), net.normal(20, 3, 3, 3)], "1,20,12,12", **SAME)
    moments = [net.normal(20), net.normal(20), net.normal(20), net.constant(net.random.uniform(0.5, 1, 20))]
    x = net.layer("BatchNormInference", [x, *moments], "1,20,12,12", 5, epsilon=1e-5)
    x = net.layer("ReLU", [x], "1,20,12,12")
    window: dict[str, Any] = {
        "strides": "2,2",
        "kernel": "2,2",
        "pads_begin": "0,0",
        "pads_end": "0,0",
        "rounding_type": "floor",
    }
    net.result(net.layer("MaxPool", [x], "1,20,6,6", **window))


@network
def residual(net: Net) -> None:
    """Two convolutions beside a shortcut; the 3x3 ones are large enough for tiles."""
    shape = "1,32,24,24"
    x = net.parameter("x", shape)
    made = net.layer("ReLU", [net.layer("Convolution", [x, net.normal(32, 32, 3, 3)], shape, **SAME)], shape)
    made = net.convolution(made, net.normal(32, 32, 1, 1), shape)
    net.result(net.layer("ReLU", [net.layer("Add", [made, x], shape)], shape))


@network
def depthwise(net: Net) -> None:
    """A convolution channel by channel, and one of pixels."""
    x = net.parameter("x", "1,16,14,14")
    made = net.layer("GroupConvolution", [x, net.normal(16, 1, 1, 3, 3)], "1,16,14,14", **SAME)
    made = net.layer("HSwish", [made], "1,16,14,14", 4)
    net.result(net.convolution(made, net.normal(24, 16, 1, 1), "1,24,14,14"))


@network
def attention(net: Net) -> None:
    """Attention with a mask of booleans, as exporters write it."""
    heads = "1,4,9,16"
    inputs = [net.parameter(name, heads) for name in ("query", "key", "value")]
    mask = net.parameter("mask", "1,1,1,9", BOOLEAN)
    made = net.layer("ScaledDotProductAttention", [*inputs, mask], heads, 13, causal=False)
    moved = net.layer("Transpose", [made, net.constant(np.array([0, 2, 1, 3]))], "1,9,4,16")
    rows = net.layer("Reshape", [moved, net.constant(np.array([0, 0, 64]))], "1,9,64", special_zero=True)
    net.result(net.layer("MatMul", [rows, net.normal(64, 32)], "1,9,32"))


@network
def gelu(net: Net) -> None:
    """Two products with a bias, and GELU between them."""
    wide = net.layer("MatMul", [net.parameter("x", "6,24"), net.normal(24, 96)], "6,96")
    wide = net.layer("Gelu", [net.layer("Add", [wide, net.normal(96)], "6,96")], "6,96", 7, approximation_mode="ERF")
    back = net.layer("MatMul", [wide, net.normal(96, 24)], "6,24")
    net.result(net.layer("Add", [back, net.normal(24)], "6,24"))


@network
def layer_norm(net: Net) -> None:
    """A sum that is normalised along the last axis."""
    shape = "5,40"
    x = net.layer("Add", [net.parameter("x", shape), net.parameter("y", shape)], shape)
    axis = net.constant(np.array([1]))
    made = net.layer("MVN", [x, axis], shape, 6, eps=1e-5, eps_mode="inside_sqrt", normalize_variance=True)
    made = net.layer("Add", [net.layer("Multiply", [made, net.normal(40)], shape), net.normal(40)], shape)
    net.result(made)


@network
def lstm(net: Net) -> None:
    hidden, size = 8, 6
    states = [net.parameter(name, f"2,1,{hidden}") for name in ("h", "c")]
    weights = [net.normal(1, 4 * hidden, size), net.normal(1, 4 * hidden, hidden), net.normal(1, 4 * hidden)]
    inputs = [net.parameter("x", f"2,5,{size}"), *states, net.constant(np.full(2, 5)), *weights]
    outputs = [(F32, f"2,1,5,{hidden}"), (F32, f"2,1,{hidden}"), (F32, f"2,1,{hidden}")]
    net.result(*net.layers("LSTMSequence", inputs, outputs, 5, hidden_size=hidden, direction="forward"))


@network
def eight_bits(net: Net) -> None:
    """Two convolutions of quantised activations with weights of 8 bits."""
    x = fake_quantize(net, net.parameter("x", "1,16,8,8"), "1,16,8,8")
    x = convolved(net, x, filters(net, (16, 16, 3, 3)), "1,16,8,8", begins=(1, 1), ends=(1, 1))
    x = fake_quantize(net, net.layer("ReLU", [x], "1,16,8,8"), "1,16,8,8")
    net.result(convolved(net, x, filters(net, (16, 16, 1, 1)), "1,16,8,8"))


@network
def four_bits(net: Net) -> dict[str, Any]:
    """A product by weights of 4 bits, in groups of 32."""
    codes = net.constant(net.random.integers(0, 16, (256, 8, 32)).astype(np.uint8), U4)
    wide = net.layer("Convert", [codes], "256,8,32", destination_type="f32")
    centred = net.layer("Subtract", [wide, net.constant(np.full((256, 8, 1), 7.0))], "256,8,32")
    scaled = net.layer("Multiply", [centred, net.normal(256, 8, 1)], "256,8,32")
    weights = net.layer("Reshape", [scaled, net.constant(np.array([256, 256]))], "256,256", special_zero=False)
    net.result(net.layer("MatMul", [net.parameter("x", "4,256"), weights], "4,256", transpose_b=True))
    return {"LOW_MEMORY": True}


def token(folder: Path) -> tuple[Path, dict[str, Any]]:
    """A layer of a decoder with its cache in variables."""
    return Decoder(mask="boolean", layers=1).save(folder / "net.xml"), {}


NETS["token"] = token


@network
def dynamic(net: Net) -> None:
    """A batch, and images, of open sizes."""
    x = net.layer(
        "ReLU", [net.convolution(net.parameter("x", "?,3,?,8"), net.normal(20, 3, 3, 3), "?,20,?,6")], "?,20,?,6"
    )
    axes = net.constant(np.array([2, 3]))
    net.result(net.layer("ReduceMean", [x, axes], "?,20", keep_dims=False))


@network
def embedding(net: Net) -> None:
    """Rows of a table, their mean, and its norm."""
    ids = net.parameter("ids", "?,?", I64)
    rows = net.layer("Gather", [net.normal(50, 24), ids, net.constant(np.array(0))], "?,?,24", 8, batch_dims=0)
    mean = net.layer("ReduceMean", [rows, net.constant(np.array([1]))], "?,24", keep_dims=False)
    net.result(net.layer("NormalizeL2", [mean, net.constant(np.array([1]))], "?,24", eps=1e-6, eps_mode="add"))


def loop(folder: Path) -> tuple[Path, dict[str, Any]]:
    """A loop, whose body NumPy runs."""
    return loop_model(folder, 4, 10.0), {}


NETS["loop"] = loop


@network
def values(net: Net) -> None:
    """Sizes that depend on values, in the middle of a run."""
    x = net.parameter("x", "6,24")
    for _ in range(2):
        x = net.layer("Tanh", [net.layer("MatMul", [x, net.normal(24, 24)], "6,24")], "6,24")
    places = net.layers("NonZero", [x], [(I64, "2,?")], 3, output_type="i64")[0]
    zero = net.constant(np.array(0))
    rows = net.layers("Gather", [places, zero, zero], [(I64, "?")], 8)[0]
    picked: Handle = net.layer("Gather", [x, rows, zero], "?,24", 8)
    net.result(net.layer("SoftMax", [net.layer("MatMul", [picked, net.normal(24, 24)], "?,24")], "?,24", axis=1))

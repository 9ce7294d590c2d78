"""Each pass alone, and each left out, on models to which several of them apply."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import irrun.model
from irrun.document.writer import Handle
from irrun.optimize.rewrite import Rewriter
from irrun.optimize.schedule import ScheduledPass
from irrun.tensor.element_type import F32, I64
from tests.lab.passes.each_pass import NAMES, TOLERANCE, inputs, outcomes, run
from tests.nets import Net
from tests.optimize.quantized import SIGNED, convolution, fake_quantize, filters
from tests.optimize.test_fuse_recurrence import sequence
from tests.runtime.decoder import WIDTH, Decoder

SHAPE = "2,8,20,24"


def images(path: Path) -> None:
    """Convolutions of the same tensor, concatenations that begin alike, pooling, and a transposed convolution."""
    net = Net()
    x = net.parameter("x", SHAPE)
    parts = [net.layer("ReLU", [net.convolution(x, net.normal(8, 8, 1, 1), SHAPE)], SHAPE) for _ in "abc"]
    parts[0] = net.layer("Multiply", [parts[0], net.layer("Sigmoid", [parts[0]], SHAPE)], SHAPE)
    two = net.layer("Concat", parts[:2], "2,16,20,24", axis=1)
    three = net.layer("Concat", parts, "2,24,20,24", axis=1)
    window = {"strides": "2,2", "pads_begin": "0,0", "pads_end": "0,0", "kernel": "2,2", "rounding_type": "floor"}
    pooled = net.layer("MaxPool", [three], "2,24,10,12", auto_pad="explicit", **window)
    pads = {"strides": "2,2", "dilations": "1,1", "pads_begin": "0,0", "pads_end": "0,0"}
    wide = net.layer("ConvolutionBackpropData", [pooled, net.normal(24, 8, 2, 2)], SHAPE, **pads)
    wide = net.layer("Add", [wide, net.normal(1, 8, 1, 1)], SHAPE)
    net.result(net.layer("Tanh", [net.layer("Exp", [net.layer("Abs", [wide], SHAPE)], SHAPE)], SHAPE), two, three)
    net.save(path)


def quantized(path: Path) -> None:
    net = Net()
    data = fake_quantize(net, net.parameter("x", SHAPE), SHAPE, SIGNED)
    data = convolution(net, data, filters(net, (8, 8, 3, 3)), SHAPE, begins=(1, 1), ends=(1, 1))
    net.result(net.layer("ReLU", [net.layer("Add", [data, net.normal(1, 8, 1, 1)], SHAPE)], SHAPE))
    net.save(path)


def tokens(path: Path) -> None:
    """A recurrent sequence, a normalisation, needless layers, and rotated heads of queries that share keys."""
    net = Net()
    made = sequence(net, "LSTMSequence", "forward", net.constant([6, 6]))[0]
    sizes = net.layers("ShapeOf", [made], [(I64, "4")], 3, output_type="i64")[0]
    data = net.layer("Reshape", [made, sizes], "2,1,6,5", special_zero=False)
    data = net.layer("Transpose", [data, net.constant([0, 2, 1, 3])], "2,6,1,5")
    norm = {"normalize_variance": True, "eps": 1e-5, "eps_mode": "inside_sqrt"}
    data = net.layer("MVN", [data, net.constant([-1])], "2,6,1,5", 6, **norm)
    data = net.layer("Add", [net.layer("Multiply", [data, net.normal(5)], "2,6,1,5"), net.normal(5)], "2,6,1,5")
    net.result(net.layer("MatMul", [data, net.normal(5, 7)], "2,6,1,7", transpose_a=False, transpose_b=False))
    shared = [repeated(net, net.parameter(name, "1,2,6,8")) for name in ("k", "v")]
    heads = [rotated(net, net.parameter("q", "1,6,4,8")), *shared]
    net.result(net.layer("ScaledDotProductAttention", heads, "1,6,4,8", 13, causal=False))
    net.save(path)


def rotated(net: Net, x: Handle) -> Handle:
    """A rotary embedding."""
    lengths, half = net.constant([4, 4]), "1,6,4,4"
    first, second = net.layers("VariadicSplit", [x, net.constant(-1), lengths], [(F32, half), (F32, half)])
    turned = net.layer("Concat", [net.layer("Negative", [second], half), first], "1,6,4,8", axis=-1)
    factors = [net.parameter(name, "1,1,4,8") for name in ("cos", "sin")]
    products = [net.layer("Multiply", list(pair), "1,6,4,8") for pair in zip((x, turned), factors, strict=True)]
    return net.layer("Add", products, "1,6,4,8")


def repeated(net: Net, data: Handle) -> Handle:
    data = net.layer("Unsqueeze", [data, net.constant([2])], "1,2,1,6,8")
    data = net.layer("Broadcast", [data, net.constant([1, 1, 3, 1, 1])], "1,2,3,6,8", 3, mode="bidirectional")
    return net.layer("Reshape", [data, net.constant([1, 6, 6, 8])], "1,6,6,8", special_zero=False)


def decoder(path: Path) -> None:
    """Variables that grow, and weights in four bits; three inferences of a session."""
    made = Decoder("u4")
    made.save(path)
    length = 0
    for number, count in enumerate((5, 1, 1)):
        length += count
        x = made.net.random.standard_normal((1, count, WIDTH), dtype=np.float32)
        given = {"x": x, "attention_mask": np.ones((1, length), np.int64), "beam_idx": np.zeros(1, np.int32)}
        np.savez(path.parent / f"inputs_{number}.npz", **given)


MODELS = (images, quantized, tokens, decoder)


@pytest.mark.sample(2)
@pytest.mark.parametrize("save", MODELS)
def test_outputs_stay(save: Callable[[Path], None], tmp_path: Path) -> None:
    save(tmp_path / "net.xml")
    found = list(outcomes(tmp_path / "net.xml", TIER="numpy", LOW_MEMORY=True))
    assert len(found) == 2 * len(NAMES)
    assert [str(outcome) for outcome in found if not outcome.error <= TOLERANCE] == []


def test_every_pass_changes_one_of_these_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    used, run_pass = set(), ScheduledPass.run

    def observed(self: ScheduledPass, graph: Rewriter) -> None:
        before = [(node.id, graph.sources(node.id)) for node in graph.nodes()]
        run_pass(self, graph)
        if [(node.id, graph.sources(node.id)) for node in graph.nodes()] != before:
            used.add(self.name)

    monkeypatch.setattr(ScheduledPass, "run", observed)
    for save in MODELS:
        folder = tmp_path / save.__name__
        folder.mkdir()
        save(folder / "net.xml")
        compiled = irrun.model.build(folder / "net.xml", {"TIER": "numpy", "LOW_MEMORY": True})
        run(compiled, inputs(folder / "net.xml", compiled))
    assert set(NAMES) - used == {"round-operands"}, "which needs the setting INFERENCE_PRECISION_HINT"


def test_errors_are_parts_of_the_largest_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    net = Net()
    net.result(net.layer("Exp", [net.parameter("x", "3")], "3"))
    net.save(tmp_path / "net.xml")
    results = iter([np.array([1, -8, np.nan]), np.array([1, -8, np.nan]), np.array([2, -8, np.inf])])
    monkeypatch.setattr("tests.lab.passes.each_pass.run", lambda *_: [next(results)])
    alone, without = outcomes(tmp_path / "net.xml", ["fuse-elementwise"])
    assert str(alone).endswith("net.xml: fuse-elementwise: 0")
    assert str(without).endswith("net.xml: all but fuse-elementwise: inf")

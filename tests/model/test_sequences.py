"""A shape gets the same answer however one came to it: after any other shapes, the outcome is that of a fresh model."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import irrun.model
from irrun.diagnostics import IRError
from irrun.editing import MutableGraph
from irrun.inference import infer
from irrun.model.compiled import Compiled
from irrun.tensor import Array, Fact, Shape
from irrun.tensor.element_type import BOOLEAN, I64
from irrun.tensor.same import is_same
from tests.lines import Lines
from tests.model.test_misfits import behind_an_activation, concat, convolution, matmul
from tests.nets import Net
from tests.plugins.tiers import Campaign
from tests.runtime.decoder import Decoder

SEQUENCES = 20


def adaptive_pool(net: Net) -> None:
    x = net.parameter("x", "1,2,?,?")
    net.result(net.layer("AdaptiveAvgPool", [x, net.constant(np.array([1, 1]))], "1,2,1,1", 8))


def pools(net: Net) -> None:
    x = net.parameter("x", "?,2,?,?")
    pads = {"pads_begin": "0,0", "pads_end": "0,0", "rounding_type": "floor", "exclude_pad": "true"}
    x = net.layer("AvgPool", [x], "?,2,?,?", strides="2,2", kernel="2,2", **pads)
    net.result(net.layer("ReLU", [x], "?,2,?,?"))


def divided(net: Net) -> None:
    x = net.layer("Reshape", [net.parameter("x", "?,?"), net.constant(np.array([-1, 4]))], "?,4", special_zero=True)
    first, _ = net.layers("Split", [x, net.constant(np.array(0))], [(x.fact.type, "?,4")] * 2, num_splits=2)
    net.result(first)


def masked(net: Net) -> None:
    """Ids and a mask of one length, as in language models."""
    ids, mask = net.parameter("ids", "?,?"), net.parameter("mask", "?,?", I64)
    seen = net.layers("Convert", [mask], [(BOOLEAN, "?,?")], destination_type="boolean")[0]
    net.result(net.layer("Select", [seen, ids, net.constant(np.float32(0))], "?,?", auto_broadcast="numpy"))
    net.result(net.layer("Add", [ids, net.layer("Convert", [mask], "?,?", destination_type="f32")], "?,?"))


def picked(net: Net) -> None:
    """A row at the position that a size says."""
    x, y = net.parameter("x", "?,3"), net.parameter("y", "?")
    length = net.layers("ShapeOf", [y], [(I64, "1")], 3, output_type="i64")[0]
    net.result(net.layer("Gather", [x, length, net.constant(np.array(0))], "1,3", 8, batch_dims=0))


def unranked(net: Net) -> None:
    x = net.parameter("x", "...")
    net.result(net.layer("Add", [x, net.constant(np.ones((3, 1), np.float32))], "...", auto_broadcast="numpy"))


MODELS: dict[str, Callable[[Net], None]] = {
    "adaptive pool": adaptive_pool,
    "pools": pools,
    "divided": divided,
    "masked": masked,
    "picked": picked,
    "unranked": unranked,
    "convolution": convolution,
    "concat": concat,
    "matmul": matmul,
    "activations": behind_an_activation,
}


@cache
def made(name: str) -> irrun.model.Loaded:
    net = Net()
    MODELS[name](net)
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        net.save(Path(folder) / "net.xml")
        return irrun.model.load((Path(folder) / "net.xml").read_bytes(), (Path(folder) / "net.bin").read_bytes())


def outcome(compiled: Compiled, sizes: Sequence[tuple[int, ...]]) -> tuple[Array, ...] | str:
    """Run a model on inputs of some shapes; return its outputs, or what it says."""
    given = [
        np.linspace(1, 2, int(np.prod(shape)), dtype=np.float32).reshape(shape).astype(port.element_type.dtype)
        for shape, port in zip(sizes, compiled.inputs, strict=True)
    ]
    try:
        return tuple(compiled(given).to_tuple())
    except (IRError, irrun.model.InputError) as error:
        return str(error)


@cache
def fresh(name: str, sizes: tuple[tuple[int, ...], ...]) -> tuple[Array, ...] | str:
    return outcome(irrun.model.build(made(name), {"TIER": "numpy"}), sizes)


def shapes(name: str, draw: random.Random) -> list[tuple[tuple[int, ...], ...]]:
    """Draw a sequence of shapes: steps of arithmetic progressions, repetitions, and leaps."""
    ports = made(name).inputs

    def leap() -> list[list[int]]:
        ranks = [port.partial_shape.rank for port in ports]
        return [[draw.randint(0, 8) for _ in range(draw.randint(0, 3) if rank is None else rank)] for rank in ranks]

    def known(sizes: list[list[int]]) -> tuple[tuple[int, ...], ...]:
        return tuple(
            tuple(
                dim.lo if dim.is_static else size
                for dim, size in zip(port.partial_shape.dims or [None] * len(shape), shape, strict=True)
                for dim in [dim if dim is not None else Shape.unknown(1)[0]]
            )
            for port, shape in zip(ports, sizes, strict=True)
        )

    found, at = [], leap()
    step = [[0] * len(shape) for shape in at]
    for _ in range(10):
        found.append(known(at))
        if draw.random() < 0.2:
            at = leap()
            step = [[0] * len(shape) for shape in at]
        elif draw.random() < 0.3:
            step = [[draw.choice((-1, 0, 0, 1)) for _ in shape] for shape in at]
        at = [[max(size + d, 0) for size, d in zip(*pair, strict=True)] for pair in zip(at, step, strict=True)]
    return found


def is_equal(a: tuple[Array, ...] | str, b: tuple[Array, ...] | str) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    return all(x.shape == y.shape and np.allclose(x, y, 1e-5, 1e-6, equal_nan=True) for x, y in zip(a, b, strict=True))


CONFIGURATIONS = {"fast": {"TIER": "numpy"}, "plain": {"TIER": "numpy", "OPTIMIZE": False}, "auto": {}}


@pytest.mark.parametrize("name", MODELS)
def test_each_outcome_is_that_of_a_fresh_model(name: str, campaign: Campaign, subtests: pytest.Subtests) -> None:
    for seed in campaign.draws(2, SEQUENCES):
        drawn = shapes(name, random.Random(f"{name}{seed}"))
        for label, config in CONFIGURATIONS.items():
            with subtests.test(seed=seed, config=label):
                compiled = irrun.model.build(made(name), config)
                for sizes in drawn:
                    got, expected = outcome(compiled, sizes), fresh(name, sizes)
                    assert is_equal(got, expected), (sizes, got, expected)


@pytest.mark.parametrize("name", MODELS)
def test_what_changes_is_inferred_as_all_is(name: str, campaign: Campaign) -> None:
    """Facts that are inferred from others are those that are inferred from the file."""
    model = made(name)
    graph, weights = model.bound.graph, model.weights
    last = None
    for seed in campaign.draws(4, SEQUENCES):
        for sizes in shapes(name, random.Random(f"{name}{seed}")):
            types = [port.element_type for port in model.inputs]
            given = {
                id: Fact(type, Shape(shape)) for id, type, shape in zip(graph.parameters, types, sizes, strict=True)
            }
            whole = infer(graph, weights, given)
            if last is not None:
                edited = MutableGraph(graph, last, weights)
                for id, fact in given.items():
                    edited.give(id, [fact])
                same, part = edited.freeze()
                assert same is graph
                assert bool(part.diagnostics) is bool(whole.diagnostics)
                assert part.of.keys() == whole.of.keys()
                assert all(str(part[outlet]) == str(fact) for outlet, fact in whole.of.items())
                assert all(is_same(part[outlet], fact) for outlet, fact in whole.of.items() if is_same(fact, fact))
            if not whole.diagnostics:
                last = whole


def test_a_refused_shape_is_refused_again() -> None:
    compiled = irrun.model.build(made("adaptive pool"), {"TIER": "numpy"})
    said = [outcome(compiled, [(1, 2, height, 4)]) for height in (3, 2, 1, 0, 0, -0, 1, 0)]
    assert [isinstance(item, str) for item in said] == [False, False, False, True, True, True, False, True]
    assert len({item for item in said if isinstance(item, str)}) == 1


def test_a_mask_that_does_not_grow_with_the_ids_is_refused() -> None:
    compiled = irrun.model.build(made("masked"), {"TIER": "numpy"})
    said = [outcome(compiled, [(1, ids), (1, mask)]) for ids, mask in [(2, 2), (3, 3), (4, 4), (5, 5), (6, 5), (7, 5)]]
    assert [isinstance(item, str) for item in said] == [False] * 4 + [True] * 2


@pytest.mark.parametrize("name", ["concat", "pools", "matmul", "unranked"])
def test_shapes_that_exceed_the_memory_are_refused_in_any_sequence(
    name: str, campaign: Campaign, subtests: pytest.Subtests
) -> None:
    refused = 0
    for seed in campaign.draws(2, SEQUENCES):
        for budget in (100, 300, 1000):
            config = {"TIER": "numpy", "MAX_MEMORY": budget}
            with subtests.test(seed=seed, budget=budget):
                compiled = irrun.model.build(made(name), config)
                for sizes in shapes(name, random.Random(f"{name}{seed}")):
                    expected = outcome(irrun.model.build(made(name), config), sizes)
                    assert is_equal(outcome(compiled, sizes), expected), sizes
                    refused += isinstance(expected, str) and "the budget is" in expected
    assert refused


@pytest.mark.parametrize("cache", ["variables", "inputs"])
def test_the_work_for_a_token_is_small(tmp_path: Path, cache: str) -> None:
    """Inference looks only at the layers that the length of the mask or of the past reaches."""
    decoder = Decoder("f32", "f32", cache, layers=8)
    decoder.net.save(tmp_path / "net.xml")
    plans = irrun.model.build(tmp_path / "net.xml", {"TIER": "numpy"}).plans

    def checked(length: int) -> int:
        sizes = {"x": (1, 1, 64), "attention_mask": (1, length), "beam_idx": (1,)}
        names = [plans._graph.node(id).name for id in plans._graph.parameters]
        with Lines() as lines:
            plans._check(tuple(sizes.get(name, (1, 2, length - 1, 32)) for name in names))
        return lines.count

    first = checked(5)
    checked(6)
    later = [checked(length) for length in range(7, 11)]
    assert max(later) < first / (5 if cache == "variables" else 2)

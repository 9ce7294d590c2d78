"""Claims about shape arithmetic, infinities, quantised layers, lost slices and states."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from irrun.debugging import Tolerance, blame, compare
from irrun.debugging.comparing import Comparison
from irrun.debugging.verdicts import Suspect
from irrun.document.writer import Handle
from irrun.model import Loaded, load
from irrun.tensor import Array
from tests.cases import f32
from tests.nets import Net

SEQUENCE = {0: np.random.default_rng(5).standard_normal((1, 5, 4)).astype(np.float32)}


def lstm(path: Path, place: int, prefix: str = "", *, in_i32: bool = False) -> Loaded:
    """Two recurrent layers whose lengths are the size of an axis, of another one in the second."""
    made, random = Net(), np.random.default_rng(3)
    at, zero = made.parameter("x", "1,5,4"), made.constant(np.zeros((1, 1, 2), np.float32))
    for name, axis, size in ((f"{prefix}first", 1, 4), (f"{prefix}second", place, 2)):
        weights = [random.standard_normal((1, 8, width)).astype(np.float32) for width in (size, 2)]
        sizes = made.layer("ShapeOf", [at], opset=3, name=f"{name}_sizes", output_type="i64")
        if in_i32:
            sizes = made.layer("Convert", [sizes], name=f"{name}_sizes_i32", destination_type="i32")
        taken = [sizes, made.constant([axis]), made.constant([0])]
        length = made.layer("Gather", taken, opset=8, name=f"{name}_length", batch_dims=0)
        lengths = made.layer("Broadcast", [length, made.constant([1])], opset=3, name=f"{name}_lengths", mode="numpy")
        inputs = [at, zero, zero, lengths, *map(made.constant, weights), made.constant(np.zeros((1, 8), np.float32))]
        states = made.layers("LSTMSequence", inputs, 3, opset=5, name=name, hidden_size=2, direction="forward")
        at = made.layer("Squeeze", [states[0], made.constant([1])], name=f"{name}_squeezed")
    made.result(made.layer("Tanh", [at], name=f"{prefix}end", tensor="y"))
    return load(made.save(path))


def suspected(found: Comparison) -> list[tuple[str, str, str, str]]:
    return [(item.name, item.other, item.cause, item.what) for item in found.verdict.suspects]


@pytest.mark.parametrize("in_i32", [False, True])
def test_an_index_of_shape_arithmetic(tmp_path: Path, *, in_i32: bool) -> None:
    """The layer that takes another size is named, not the recurrent one that has it as its lengths."""
    first = lstm(tmp_path / "a.xml", 1)
    other = lstm(tmp_path / "b.xml", 0, "b_", in_i32=in_i32)
    (found,) = suspected(compare(first, other, SEQUENCE))
    assert found[:3] == ("second_length", "b_second_length", "constant")
    assert found[3].endswith("1 beside 0")
    (found,) = suspected(compare(other, first, SEQUENCE))
    assert found[:3] == ("b_second_length", "second_length", "constant")
    assert found[3].endswith("0 beside 1")
    assert not compare(first, lstm(tmp_path / "c.xml", 1, "c_", in_i32=in_i32), SEQUENCE).differs


def attention(path: Path, prefix: str = "", *, dropped: bool = False) -> Loaded:
    made = Net()
    x, mask = made.parameter("x", "4,4"), made.constant(np.triu(np.full((4, 4), -np.inf, np.float32), 1))
    value = made.layer("Tanh", [x], name=f"{prefix}value")
    scores = made.layer("Add", [made.layer("MatMul", [x, x], transpose_b=True, name=f"{prefix}dot"), mask])
    soft = scores if dropped else made.layer("Softmax", [scores], opset=8, name=f"{prefix}soft", axis=1)
    at = made.layer("MatMul", [soft, value], name=f"{prefix}mixed")
    for number in range(2):
        inputs = [made.normal(4, 4), at]
        at = made.layer("MatMul", inputs[:: 1 - 2 * number], name=f"{prefix}dense_{number}")
    made.result(made.layer("Tanh", [at], name=f"{prefix}end", tensor="y"))
    return load(made.save(path))


@pytest.mark.parametrize("prefix", ["", "other_"])
def test_what_makes_nan_out_of_infinities_is_not_named(tmp_path: Path, prefix: str) -> None:
    """Without its softmax, an attention makes infinities and NaN, behind which nothing tells what these replace."""
    sound, lacking = attention(tmp_path / "a.xml"), attention(tmp_path / "b.xml", prefix, dropped=True)
    x = {0: f32([[1, 2, -1, 0], [0.5, 1, 0, -2], [1, 0, 1, 1], [-1, 3, 0.5, 1]])}
    what = "SoftMax is only in the {} model"
    assert suspected(compare(sound, lacking, x)) == [("soft", "", "missing", what.format("first"))]
    assert suspected(compare(lacking, sound, x)) == [("", "soft", "missing", what.format("other"))]


def product(path: Path, *, quantised: bool) -> Loaded:
    made = Net()
    x, weights = made.parameter("x", "2,16"), made.constant(np.eye(16, dtype=np.float32) * 3)
    if quantised:
        limits = [made.constant(f32(limit)) for limit in (-1.0, 1.0, -1.0, 1.0)]
        x = made.layer("FakeQuantize", [x, *limits], name="fq", levels=256)
    made.result(made.layer("MatMul", [x, weights], name="p", tensor="y"))
    return load(made.save(path))


def test_how_much_a_quantised_layer_clips(tmp_path: Path) -> None:
    x: Array = np.linspace(-0.99, 0.9, 32, dtype=np.float32).reshape(2, 16)
    x[1, 15] = 1.1
    first, other = product(tmp_path / "a.xml", quantised=False), product(tmp_path / "b.xml", quantised=True)
    found = compare(first, other, {0: x}, Tolerance(0, 0)).verdict
    assert (found.cause, found.suspects) == ("quantisation", ())
    assert found.reason.startswith("activations rounded to levels in 1 layer, ")
    (loss,) = found.losses
    assert loss.what == "activations rounded to 256 levels, clipped: 3.1 % at the upper end"


def test_a_slice_that_is_lost_within_the_tolerances(tmp_path: Path) -> None:
    def model(name: str, score: float) -> Loaded:
        made = Net()
        factors = made.constant(f32([[100], [score]]))
        made.result(made.layer("Multiply", [made.parameter("x", "2,4"), factors], name="p", tensor="y"))
        return load(made.save(tmp_path / f"{name}.xml"))

    x = {0: f32([[1, 2, 3, 4], [1, 2, 3, 4]])}
    found = compare(model("a", 0.05), model("b", 0), x, Tolerance(0.01))
    assert (found.differs, found.verdict.verdict) == (False, "equal")
    assert found.as_dict()["reason"] == 'slices of "y" are 0 throughout on one side'
    assert compare(model("a", 0.05), model("c", 0.05), x).as_dict()["reason"] == ""


def stateful(path: Path, factor: float, prefix: str = "", variable: str = "past") -> Loaded:
    """A model that returns a sum, and keeps a product of what it got."""
    made = Net()
    x = made.parameter("x", "1,4")
    kept = made.constant(np.zeros((1, 4), np.float32))
    read = made.layer("ReadValue", [kept], opset=3, variable_id=variable, name=f"{prefix}read")
    new = made.layer("Multiply", [x, made.constant(f32(factor), name=f"{prefix}factor")], name=f"{prefix}new")
    assigned: Handle = made.layer("Assign", [new], opset=3, variable_id=variable, name=f"{prefix}assign")
    made.result(made.layer("Add", [x, read], name=f"{prefix}sum", tensor="y"))
    del assigned
    return load(made.save(path))


@pytest.mark.parametrize("prefix", ["", "other_"])
def test_states_are_compared(tmp_path: Path, prefix: str) -> None:
    """The state that a model keeps for its next inference is an output, and the layer that makes it is blamed."""
    x = {0: f32([[1, -2, 3, 4]])}
    first, other = stateful(tmp_path / "a.xml", 2), stateful(tmp_path / "b.xml", 5, prefix)
    found = compare(first, other, x)
    assert [(item.port and item.port.any_name, item.differs) for item in found.outputs] == [
        ("y", False),
        ("state past", True),
    ]
    assert suspected(found) == [("new", f"{prefix}new", "constant", '"factor" 2 beside 5')]
    assert not compare(first, stateful(tmp_path / "c.xml", 2, "c_"), x).differs
    blamed = blame(first, other, x)
    assert isinstance(blamed.verdict.suspects[0], Suspect)
    assert (blamed.layer, blamed.reproduces) == ("new", True)
    assert not compare(first, stateful(tmp_path / "d.xml", 5, "d_", "another"), x).differs


def positions(path: Path, prefix: str, *, stored: Array | None = None, index: int = 1) -> Loaded:
    """A sum with what is looked up for each position, computed from the size of the input or stored."""
    made = Net()
    x = made.parameter("x", "1,5,4")
    table: Array = np.random.default_rng(2).standard_normal((9, 4)).astype(np.float32)
    added = made.constant(table[None, :5] if stored is None else stored, name="kept")
    if stored is None:
        sizes, zero = made.layer("ShapeOf", [x], opset=3, name=f"{prefix}sizes", output_type="i64"), made.constant(0)
        size = made.layer("Gather", [sizes, made.constant(index), zero], opset=8, name=f"{prefix}size", batch_dims=0)
        inputs = [zero, size, made.constant(1)]
        places = made.layer("Range", inputs, opset=4, name=f"{prefix}places", output_type="i64")
        added = made.layer(
            "Gather", [made.constant(table), places, zero], opset=8, name=f"{prefix}looked", batch_dims=0
        )
    total = made.layer("Add", [x, added], name=f"{prefix}sum")
    made.result(made.layer("Tanh", [total], name=f"{prefix}end", tensor="y"))
    return load(made.save(path))


@pytest.mark.parametrize("is_turned", [False, True])
def test_a_constant_beside_what_is_computed_from_shapes(tmp_path: Path, *, is_turned: bool) -> None:
    table: Array = np.random.default_rng(2).standard_normal((9, 4)).astype(np.float32)
    computing = positions(tmp_path / "a.xml", "a_")
    assert not compare(computing, positions(tmp_path / "b.xml", "b_", stored=table[None, :5]), SEQUENCE).differs
    storing = positions(tmp_path / "c.xml", "c_", stored=-table[None, :5])
    (found,) = suspected(compare(*((storing, computing) if is_turned else (computing, storing)), SEQUENCE))
    names = ("c_sum", "a_sum") if is_turned else ("a_sum", "c_sum")
    what = '"kept" is not what the other model computes, in 20 of 20 elements'
    assert found == (*names, "constant", what)
    shorter, storing = (
        positions(tmp_path / "d.xml", "a_", index=0),
        positions(tmp_path / "e.xml", "c_", stored=table[None, :5]),
    )
    (found,) = suspected(compare(*((storing, shorter) if is_turned else (shorter, storing)), SEQUENCE))
    sizes = "20 elements beside 4" if is_turned else "4 elements beside 20"
    assert found == (*names, "constant", f'"kept" is not what the other model computes, {sizes}')


def headed(path: Path, prefix: str, *, parts: bool) -> Loaded:
    """An attention, as one layer or as its parts, behind and before layers whose names do not tell which is which."""
    made = Net()
    x = made.parameter("x", "1,1,4,4")
    first = made.layer("Tanh", [x], name="Tanh_1" if parts else "Tanh_0")
    if parts:
        scores = made.layer("MatMul", [first, first], transpose_b=True, name=f"{prefix}dot")
        small = made.layer("Multiply", [scores, made.constant(f32(0.5))], name=f"{prefix}small")
        soft = made.layer("Softmax", [small], opset=8, name=f"{prefix}soft", axis=-1)
        at = made.layer("MatMul", [soft, first], name=f"{prefix}mixed")
    else:
        at = made.layer("ScaledDotProductAttention", [first] * 3, opset=13, name=f"{prefix}attention", causal=False)
    made.result(made.layer("Tanh", [at], name="Tanh_0" if parts else "Tanh_1", tensor="y"))
    return load(made.save(path))


@pytest.mark.parametrize("is_turned", [False, True])
def test_layers_are_matched_by_value(tmp_path: Path, *, is_turned: bool) -> None:
    """Names that belong to other layers do not count, and a layer is matched with the last of its parts."""
    models = headed(tmp_path / "a.xml", "a_", parts=False), headed(tmp_path / "b.xml", "b_", parts=True)
    x = {0: np.random.default_rng(1).standard_normal((1, 1, 4, 4)).astype(np.float32)}
    first, other = models[::-1] if is_turned else models
    layers = compare(first, other, x, every=True).layers
    assert layers is not None
    found = [(item.layer, item.other, item.how, item.differs) for item in layers.layers]
    wanted = [("Tanh_0", "Tanh_1"), ("a_attention", "b_mixed"), ("Tanh_1", "Tanh_0")]
    assert found == [(*(pair[::-1] if is_turned else pair), "value", False) for pair in wanted]

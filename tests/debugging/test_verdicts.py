"""Claims of a comparison, for pairs that are made by hand."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.cli.comparing import claims
from irrun.debugging import Tolerance, blame, compare
from irrun.debugging.cases import layers_of
from irrun.debugging.diagnosing import diagnose_layers
from irrun.debugging.layers import LayerComparison, LayerDifference
from irrun.debugging.metrics import errors
from irrun.debugging.verdicts import CAUSES, Suspect, Verdict
from irrun.document.writer import Handle
from irrun.model import Loaded, load
from irrun.tensor import Array
from tests.cases import f32
from tests.nets import Net

Build = Callable[[Net, Handle], Handle]
X = {0: f32([[1.0, -2.0, 3.0, 0.5], [0.25, 4.0, -1.0, 2.0]])}
WEIGHTS = np.random.default_rng(1).standard_normal((4, 4)).astype(np.float32)


def net(path: Path, build: Build, prefix: str = "") -> Loaded:
    made = Net()
    at = build(made, made.layer("MatMul", [made.parameter("x", "2,4"), made.constant(WEIGHTS)], name=f"{prefix}first"))
    made.result(made.layer("Tanh", [at], name=f"{prefix}last", tensor="y"))
    return load(made.save(path))


def norm(eps: float, name: str, axis: int = 1, mode: str = "inside_sqrt") -> Build:
    return lambda made, x: made.layer(
        "MVN", [x, made.constant([axis])], opset=6, name=name, normalize_variance=True, eps=eps, eps_mode=mode
    )


def product(values: Array, name: str, constant: str = "w") -> Build:
    return lambda made, x: made.layer("MatMul", [x, made.constant(values, name=constant)], name=name)


def layer(type: str, name: str) -> Build:
    return lambda made, x: made.layer(type, [x], name=name)


def nothing(_made: Net, x: Handle) -> Handle:
    return x


def less(swapped: bool, name: str) -> Build:
    def build(made: Net, x: Handle) -> Handle:
        halves = made.layers("Split", [x, made.constant(1)], 2, num_splits=2)
        return made.layer("Subtract", halves[::-1] if swapped else halves, name=name)

    return build


def shifted(values: Array, name: str, *, first: bool = False) -> Build:
    def build(made: Net, x: Handle) -> Handle:
        shift = made.constant(values, name="b")
        return made.layer("Add", [shift, x] if first else [x, shift], name=name)

    return build


def turned(values: Array, name: str) -> Build:
    return lambda made, x: made.layer("MatMul", [x, made.constant(values.T, name="t")], name=name, transpose_b=True)


def halved(values: Array, name: str) -> Build:
    """Return a product with the wrong flag, of weights with a factor that a later layer takes back."""

    def build(made: Net, x: Handle) -> Handle:
        small = made.layer("MatMul", [x, made.constant(values / 2, name="half")], name=name, transpose_b=True)
        return made.layer("Multiply", [small, made.constant(f32(2))], name=f"{name}_back")

    return build


def scaled(name: str, *, quantised: bool) -> Build:
    """Return a scaled tensor in another shape, or a quantised one without the scale."""

    def build(made: Net, x: Handle) -> Handle:
        if not quantised:
            x = made.layer("Multiply", [x, made.constant(f32([1, 3, -1, 2]))], name=name)
        x = made.layer("Reshape", [x, made.constant([1, 2, 4])], special_zero=False, name="shaped")
        if quantised:
            limits = [made.constant(f32(limit)) for limit in (-20, 20, -20, 20)]
            x = made.layer("FakeQuantize", [x, *limits], name="fq", levels=256)
        return made.layer("MatMul", [x, made.constant(WEIGHTS)], name="p")

    return build


def activated(name: str, *, quantised: bool) -> Build:
    """Return an activation, or what was quantised for its range."""

    def build(made: Net, x: Handle) -> Handle:
        if not quantised:
            return made.layer("Gelu", [x], opset=7, name=name, approximation_mode="ERF")
        return made.layer("FakeQuantize", [x, *(made.constant(f32(at)) for at in (-0.2, 20, -0.2, 20))], levels=256)

    return build


def attention(name: str) -> Build:
    def build(made: Net, x: Handle) -> Handle:
        heads = made.layer("Reshape", [x, made.constant([1, 2, 4])], special_zero=False)
        mask = made.constant(np.array([[True, False], [True, True]]), "boolean")
        return made.layer("ScaledDotProductAttention", [heads, heads, heads, mask], opset=13, name=name, causal=False)

    return build


def attention_parts(axis: int) -> Build:
    def build(made: Net, x: Handle) -> Handle:
        heads = made.layer("Reshape", [x, made.constant([1, 2, 4])], special_zero=False)
        small = made.layer("Multiply", [heads, made.constant(f32(0.5))])
        scores = made.layer("MatMul", [small, heads], transpose_b=True)
        seen = made.constant(np.array([[0, -np.inf], [0, 0]], np.float32))
        soft = made.layer("Softmax", [made.layer("Add", [scores, seen])], opset=8, name="soft", axis=axis)
        return made.layer("MatMul", [soft, heads], name="out")

    return build


def masked(hidden: float | None) -> Build:
    """Return attention without the nearest of four keys, as parts if the number that hides it is given."""

    def build(made: Net, x: Handle) -> Handle:
        heads = made.layer("Reshape", [x, made.constant([1, 4, 2])], special_zero=False)
        near = made.layer("MatMul", [heads, heads], transpose_b=True)
        mask = made.layer("Less", [near, made.layer("ReduceMax", [near, made.constant([2])], keep_dims=True)])
        if hidden is None:
            return made.layer(
                "ScaledDotProductAttention", [heads, heads, heads, mask], opset=13, name="a", causal=False
            )
        scores = made.layer("Multiply", [near, made.constant(f32(np.sqrt(0.5)))])
        added = made.layer("Select", [mask, made.constant(f32(0)), made.constant(f32(hidden))], name="masked")
        soft = made.layer("Softmax", [made.layer("Add", [scores, added])], opset=8, axis=-1)
        return made.layer("MatMul", [soft, heads])

    return build


SCALES, SHIFTS = f32([1.5, 0.5]), f32([0.1, -0.2])


def norm_parts(eps: float, mode: str = "inside_sqrt") -> Build:
    def build(made: Net, x: Handle) -> Handle:
        axis, number = made.constant([1]), made.constant(f32([eps]), name="epsilon")
        centred = made.layer("Subtract", [x, made.layer("ReduceMean", [x, axis], keep_dims=True)])
        square = made.layer("Multiply", [centred, centred])
        variance = made.layer("ReduceMean", [square, axis], keep_dims=True)
        if mode == "inside_sqrt":
            variance = made.layer("Add", [variance, number], name="with_epsilon")
        root = made.layer("Sqrt", [variance])
        return made.layer("Divide", [centred, root if mode == "inside_sqrt" else made.layer("Add", [root, number])])

    return build


def groups(made: Net, x: Handle) -> Handle:
    inputs = [made.layer("Reshape", [x, made.constant([1, 2, 4])], special_zero=False)]
    inputs += [made.constant(SCALES, name="scale"), made.constant(SHIFTS, name="shift")]
    return made.layer("GroupNormalization", inputs, opset=12, name="g", num_groups=1, epsilon=1e-5)


def group_parts(shifts: Array, eps: float) -> Build:
    def build(made: Net, x: Handle) -> Handle:
        whole = made.layer("Reshape", [x, made.constant([1, 1, 8])], special_zero=False)
        normal = norm(eps, "mvn", 2)(made, whole)
        normal = made.layer("Reshape", [normal, made.constant([1, 2, 4])], special_zero=False)
        normal = made.layer("Multiply", [normal, made.constant(SCALES.reshape(1, 2, 1), name="by")], name="by_scale")
        return made.layer("Add", [normal, made.constant(shifts.reshape(1, 2, 1), name="plus")], name="plus_shift")

    return build


PAIRS: dict[str, tuple[Build, Build, dict[str, Any]]] = {
    "attribute": (norm(1e-6, "n"), norm(0.5, "n"), {"name": "n", "other": "n", "what": "eps 1e-06 beside 0.5"}),
    "other names": (norm(1e-6, "n"), norm(0.5, "m"), {"name": "n", "other": "m", "cause": "attribute"}),
    "constant": (
        product(WEIGHTS, "p"),
        product(WEIGHTS.T * f32(1.5), "p"),
        {"name": "p", "cause": "constant", "constants": ("w",)},
    ),
    "missing": (nothing, layer("Sigmoid", "extra"), {"name": "", "other": "extra", "cause": "missing"}),
    "more": (layer("Sigmoid", "extra"), nothing, {"name": "extra", "other": "", "cause": "missing"}),
    "type": (layer("Sigmoid", "a"), layer("Exp", "a"), {"name": "a", "cause": "type"}),
    "order": (less(False, "c"), less(True, "c"), {"name": "c", "cause": "order"}),
    "exchanged operands": (
        shifted(f32([1, 2, 3, 4]), "a"),
        shifted(f32([1, 2, 3, 5]), "b", first=True),
        {"name": "a", "other": "b", "cause": "constant", "constants": ("b",)},
    ),
    "weights in the other order": (
        product(WEIGHTS, "p"),
        turned(WEIGHTS + np.eye(4, dtype=np.float32), "q"),
        {"name": "p", "other": "q", "cause": "constant", "constants": ("w",)},
    ),
    "the flag of weights with a factor": (
        product(WEIGHTS, "p"),
        halved(WEIGHTS, "q"),
        {"name": "p", "other": "q", "cause": "attribute", "what": "transpose_b False beside True"},
    ),
    "attention beside its parts": (
        attention("a"),
        attention_parts(-2),
        {
            "type": "ScaledDotProductAttention",
            "name": "a",
            "other": "soft",
            "cause": "attribute",
            "what": "SoftMax: axis -1 beside -2",
            "ids": None,
        },
    ),
    "group normalisation beside its parts": (
        groups,
        group_parts(SHIFTS[::-1], 1e-5),
        {"name": "g", "other": "plus_shift", "cause": "constant", "constants": ("shift",)},
    ),
    "an epsilon of normalisation": (
        norm(0.5, "n"),
        norm_parts(1e-6),
        {"name": "n", "other": "with_epsilon", "cause": "attribute", "what": "Add: 0.5 beside 1e-06", "ids": None},
    ),
    "a mask of these": (
        masked(None),
        masked(0.0),
        {"name": "a", "other": "masked", "cause": "constant"},
    ),
    "an epsilon of these": (
        groups,
        group_parts(SHIFTS, 0.5),
        {"name": "g", "other": "mvn", "cause": "attribute", "ids": None},
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_planted_fault(name: str, tmp_path: Path) -> None:
    first, second, expected = PAIRS[name]
    pair = net(tmp_path / "a.xml", first), net(tmp_path / "b.xml", second, "other_")
    found = compare(*pair, X)
    (suspect,) = found.verdict.suspects
    assert found.verdict.verdict == "different"
    assert {key: getattr(suspect, key) for key in expected} == expected
    record = found.as_dict()
    assert (record["verdict"], record["cause"], record["status"]) == ("different", suspect.cause, "different")
    assert record["suspects"][0]["name"] == suspect.name
    assert suspect.cause in CAUSES
    back = compare(*reversed(pair), X).verdict.suspects[0]
    assert (back.name, back.other, back.cause) == (suspect.other, suspect.name, suspect.cause)


def test_equal_and_harmless(tmp_path: Path) -> None:
    model = net(tmp_path / "a.xml", product(WEIGHTS, "p"))
    assert compare(model, net(tmp_path / "b.xml", product(WEIGHTS, "q"), "other_"), X).verdict == Verdict("equal")
    step = f32(np.abs(WEIGHTS).max() / 7)

    def coded(made: Net, x: Handle) -> Handle:
        codes = made.constant(np.clip(np.round(WEIGHTS / step), -8, 7), "i4")
        floats = made.layer("Convert", [codes], "4,4", destination_type="f32")
        return made.layer("MatMul", [x, made.layer("Multiply", [floats, made.constant(step)])], name="p")

    found = compare(model, net(tmp_path / "c.xml", coded), X).verdict
    assert (found.verdict, found.cause, found.suspects) == ("different", "quantisation", ())
    assert found.reason.startswith("weights rounded to i4 in 1 layer")


@pytest.mark.parametrize("is_turned", [False, True])
def test_a_layer_beside_its_parts_is_cut_out(tmp_path: Path, *, is_turned: bool) -> None:
    pair = net(tmp_path / "a.xml", norm(0.5, "n")), net(tmp_path / "b.xml", norm_parts(1e-6), "other_")
    found = blame(*(reversed(pair) if is_turned else pair), X)
    counts = [len(layers_of(model)) for model in found.case.models]
    assert (found.reproduces, counts) == (True, [7, 1] if is_turned else [1, 7])


SOUND: dict[str, tuple[Build, Build]] = {
    "attention beside its parts": (attention("a"), attention_parts(-1)),
    "group normalisation beside its parts": (groups, group_parts(SHIFTS, 1e-5)),
    "normalisation beside its parts": (norm(1e-6, "n"), norm_parts(1e-6)),
    "normalisation with epsilon outside": (norm(0.1, "n", mode="outside_sqrt"), norm_parts(0.1, "outside_sqrt")),
    "exchanged operands": (shifted(WEIGHTS[:2], "a"), shifted(WEIGHTS[:2], "b", first=True)),
}


@pytest.mark.parametrize("name", SOUND)
def test_what_two_exporters_write(name: str, tmp_path: Path) -> None:
    first, second = SOUND[name]
    pair = net(tmp_path / "a.xml", first), net(tmp_path / "b.xml", second, "other_")
    assert compare(*pair, X).verdict == Verdict("equal")


@pytest.mark.parametrize(("made", "type"), [(scaled, "Multiply"), (activated, "Gelu")])
def test_a_layer_that_a_quantised_model_lacks(made: Callable[..., Build], type: str, tmp_path: Path) -> None:
    """The fault is the layer, not the quantiser behind it."""
    pair = [net(tmp_path / f"{flag}.xml", made("lacking", quantised=flag), str(flag)) for flag in (False, True)]
    (first,), (second,) = compare(*pair, X).verdict.suspects, compare(*reversed(pair), X).verdict.suspects
    assert (first.name, first.type, first.cause) == ("lacking", type, "missing")
    assert (second.other, second.cause) == ("lacking", "missing")


def test_weights_in_f16_before_what_they_are_added_to(tmp_path: Path) -> None:
    values = f32([1 / 3, 200.1, -1 / 7, 0.1])

    def narrow(made: Net, x: Handle) -> Handle:
        halves = made.layer("Convert", [made.constant(values, "f16")], "4", destination_type="f32")
        return made.layer("Add", [halves, x], name="b")

    pair = net(tmp_path / "a.xml", shifted(values, "a")), net(tmp_path / "b.xml", narrow, "other_")
    found = compare(*pair, X, Tolerance(0, 1e-6)).verdict
    assert (found.verdict, found.cause, found.suspects) == ("different", "rounding", ())
    assert found.reason.startswith("constants rounded to f16 in 1 layer")


def test_a_range_beside_values_that_are_far_from_zero(tmp_path: Path) -> None:
    """Levels that include zero are no fault, though the values need few of them; neither are few clipped elements."""

    def quantised(high: float) -> Build:
        def build(made: Net, x: Handle) -> Handle:
            far = made.layer("Add", [x, made.constant(f32(100))])
            limits = [made.constant(f32(limit)) for limit in (0, high, 0, high)]
            fake = made.layer("FakeQuantize", [far, *limits], name="f", levels=256)
            return made.layer("MatMul", [fake, made.constant(WEIGHTS / 100)], name="p")

        return build

    def exact(made: Net, x: Handle) -> Handle:
        return made.layer("MatMul", [made.layer("Add", [x, made.constant(f32(100))]), made.constant(WEIGHTS / 100)])

    found = compare(net(tmp_path / "a.xml", exact), net(tmp_path / "b.xml", quantised(112), "other_"), X).verdict
    assert (found.verdict, found.cause, found.suspects) == ("different", "quantisation", ())
    found = compare(net(tmp_path / "a.xml", exact), net(tmp_path / "c.xml", quantised(60), "other_"), X).verdict
    assert [(item.other, item.cause) for item in found.suspects] == [("f", "quantisation")]


def test_expected_outputs_name_no_layer(tmp_path: Path) -> None:
    model = net(tmp_path / "a.xml", nothing)
    found = compare(model, [np.zeros((2, 4), np.float32)], X)
    assert (found.verdict.verdict, found.verdict.suspects) == ("unknown", ())
    assert found.verdict.reason == "expected outputs do not tell which layer differs"


def test_outputs_that_are_exchanged(tmp_path: Path) -> None:
    def both(path: Path, *tensors: str) -> Loaded:
        made = Net()
        x = made.parameter("x", "2,4")
        for type, tensor in zip(("Tanh", "Exp"), tensors, strict=True):
            made.result(made.layer(type, [x], name=type.lower(), tensor=tensor))
        return load(made.save(path))

    found = compare(both(tmp_path / "a.xml", "u", "v"), both(tmp_path / "b.xml", "v", "u"), X).verdict
    assert [(item.name, item.other, item.cause) for item in found.suspects] == [
        ("u", "v", "order"),
        ("v", "u", "order"),
    ]


def test_an_output_that_is_renamed_and_one_that_is_another(tmp_path: Path) -> None:
    def both(path: Path, type: str, tensor: str) -> Loaded:
        made = Net()
        x = made.parameter("x", "2,4")
        made.result(made.layer("Tanh", [x], name="t", tensor="u"))
        made.result(made.layer(type, [x], name="e", tensor=tensor))
        return load(made.save(path))

    model = both(tmp_path / "a.xml", "Exp", "v")
    found = compare(model, both(tmp_path / "b.xml", "Exp", "w"), X).verdict
    assert [(item.name, item.other, item.cause) for item in found.suspects] == [("v", "w", "order")]
    found = compare(model, both(tmp_path / "c.xml", "Sin", "w"), X).verdict
    assert [(item.name, item.type, item.cause) for item in found.suspects] == [("e", "Exp", "type")]


def test_outputs_without_names_belong_together_by_place(tmp_path: Path) -> None:
    made = Net()
    x = made.parameter("x", "2,4")
    made.result(*made.layers("Split", [x, made.constant(1)], 4, num_splits=4, name="parts"))
    model = load(made.save(tmp_path / "a.xml"))
    assert compare(model, model, X).verdict == Verdict("equal")


def test_a_step_of_rounding_accuses_nobody(tmp_path: Path) -> None:
    def levels(made: Net, x: Handle) -> Handle:
        limits = [made.constant(f32(value)) for value in (0, 255, 0, 255)]
        return made.layer("FakeQuantize", [x, *limits], name="fq", levels=256)

    model = net(tmp_path / "a.xml", levels)
    (id,) = (node.id for node in model.graph.ordered() if node.name == "fq")
    ours, theirs = f32([1, 2, 3, 4]), f32([1, 2, 3, 5])

    def claimed(other: Array) -> Verdict:
        found = errors(ours, other)
        item = LayerDifference("fq", "FakeQuantize", 0, id, "fq", "name", (4,), "", True, True, found, found)
        layers = LayerComparison((item,), (ours,), (other,))
        return diagnose_layers(model, layers, "OpenVINO", [ours], [other], Tolerance())

    assert claimed(theirs) == Verdict("different", (), "rounding", '"fq": one step in 1 of 4 elements')
    (suspect,) = claimed(theirs * 2).suspects
    assert isinstance(suspect, Suspect)
    assert (suspect.name, suspect.cause) == ("fq", "implementation")
    assert suspect.what.startswith("known departures: OpenVINO's CPU plugin returns the lower limit for NaN (instead: ")


def test_what_quantised_weights_lose(tmp_path: Path) -> None:
    """The product with the coarser weights is first; a sound quantiser is not suspected."""

    def chain(steps: tuple[float, float]) -> Build:
        def build(made: Net, x: Handle) -> Handle:
            for number, step in enumerate(steps):
                weights = made.constant(WEIGHTS, name=f"w{number}")
                if step:
                    codes = made.constant(np.round(WEIGHTS / step), "i8", name=f"codes{number}")
                    wide = made.layer("Convert", [codes], destination_type="f32")
                    weights = made.layer("Multiply", [wide, made.constant(f32(step))])
                x = made.layer("MatMul", [x, weights], name=f"{'q' if step else ''}product{number}")
            return x

        return build

    exact, coarse = net(tmp_path / "a.xml", chain((0, 0))), net(tmp_path / "b.xml", chain((0.02, 0.05)))
    found = compare(exact, coarse, X).verdict
    assert (found.verdict, found.cause, found.suspects) == ("different", "quantisation", ())
    assert [(item.name, item.other, item.what) for item in found.losses] == [
        ("product1", "qproduct1", "weights rounded to i8"),
        ("product0", "qproduct0", "weights rounded to i8"),
    ]
    assert found.losses[0].error > found.losses[1].error > 0
    assert found.as_dict()["losses"][0]["what"] == "weights rounded to i8"
    largest = compare(coarse, exact, X).verdict.losses[0]
    assert (largest.name, largest.other) == ("qproduct1", "product1")
    _, line, _ = claims(found.as_dict())
    where = 'MatMul "product1" beside "qproduct1"'
    assert line == f"loses {found.losses[0].error:.2g}, as expected: {where}, weights rounded to i8"


@pytest.mark.parametrize(
    ("low", "high", "clipped"),
    [(0, 2, "62 % at the lower end and 12 % at the upper end"), (-4, 1, "25 % at the upper end")],
)
def test_a_range_that_clips(tmp_path: Path, low: float, high: float, clipped: str) -> None:
    """The layer before it has the outputs -3, -2, -1, -0.5, -0.25, 0.5, 1.5 and 3."""

    def levels(made: Net, x: Handle) -> Handle:
        limits = [made.constant(f32(value)) for value in (low, high, low, high)]
        return made.layer("FakeQuantize", [x, *limits], name="fq", levels=256)

    def model(name: str, build: Build) -> Loaded:
        made = Net()
        at = made.layer("Negative", [made.parameter("x", "2,4")], name="first")
        made.result(made.layer("Tanh", [build(made, at)], tensor="y"))
        return load(made.save(tmp_path / f"{name}.xml"))

    inputs = {0: -f32([[-3, -2, -1, -0.5], [-0.25, 0.5, 1.5, 3]])}
    (suspect,) = compare(model("a", nothing), model("b", levels), inputs).verdict.suspects
    assert (suspect.other, suspect.cause) == ("fq", "quantisation")
    assert suspect.what == f"FakeQuantize fq loses more than its levels explain; clipped: {clipped}"


@pytest.mark.parametrize("only", ["model", "other"])
def test_outputs_that_one_side_lacks(tmp_path: Path, only: str) -> None:
    def model(*outputs: str) -> Loaded:
        made = Net()
        x = made.parameter("x", "2,4")
        for name in outputs:
            made.result(made.layer("Tanh" if name == "y" else "Abs", [x], tensor=name))
        return load(made.save(tmp_path / f"{len(outputs)}.xml"))

    pair = [model("y", "z"), model("y")]
    found = compare(*(pair if only == "model" else pair[::-1]), X).verdict
    what = f"the output is only in the {'first' if only == 'model' else 'other'} model"
    names = ("z", "") if only == "model" else ("", "z")
    assert found.suspects == (Suspect(names[0], "Result", names[1], "missing", what),)
    assert (found.verdict, found.cause, found.reason) == ("different", "missing", "1 output only on one side")


def test_outputs_that_are_constants_and_differ(tmp_path: Path) -> None:
    """No layer computes them, so nothing explains the difference."""

    def model(name: str, value: float) -> Loaded:
        net = Net()
        net.result(net.layer("Relu", [net.parameter("x", "1,3")], name="relu"))
        net.result(net.layer("Add", [net.constant(f32([value])), net.constant(f32([1]))], name="sum"))
        return load(net.save(tmp_path / f"{name}.xml"))

    found = compare(model("a", 1), model("b", 2), {0: f32([[1, -2, 3]])})
    assert [item.differs for item in found.outputs] == [False, True]
    assert (found.verdict.verdict, found.verdict.suspects) == ("unknown", ())


def test_the_page_lists_all_causes() -> None:
    page = (Path(__file__).parents[2] / "docs" / "accuracy.md").read_text(encoding="utf-8")
    table = page.partition("| cause | what differs |\n|---|---|\n")[2].partition("\n\n")[0]
    listed = [name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(listed) == sorted(CAUSES)

"""The layers that are suspected where several differ, and comparisons with the tensors of another engine."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from irrun.cli.debug.blame import _text
from irrun.debugging import Tolerance, blame, compare
from irrun.debugging.answers import Answers, Ask
from irrun.debugging.blames import NothingToBlame
from irrun.debugging.blaming import _blame_optimisation
from irrun.debugging.cases import Case, layers_of
from irrun.debugging.diagnosing import diagnose_optimisation
from irrun.debugging.places import Passer
from irrun.debugging.reproducing import SILENT
from irrun.debugging.sides import Sink, run_as_written
from irrun.debugging.verdicts import Verdict
from irrun.document.writer import Handle
from irrun.graph import Outlet
from irrun.model import Loaded, Port, load
from irrun.tensor import Array
from tests.cases import f32
from tests.debugging.pieces import WEIGHTS, Build, X, net, nothing, product
from tests.nets import Net

FIRST, SECOND = f32([1, 2, 3, 4]), f32([2, 1, 0.5, 3])


def chain(*types: str | tuple[str, Array]) -> Build:
    """Layers of one input, or of an input and a constant."""

    def build(made: Net, at: Handle) -> Handle:
        for number, item in enumerate(types):
            type, *constants = (item,) if isinstance(item, str) else item
            inputs = [made.constant(values, name=f"c{number}") for values in constants]
            at = made.layer(type, [at, *inputs], name=f"{type.lower()}{number}")
        return at

    return build


def cut(start: int) -> Build:
    """The first half of the columns less another one, beside the last half."""

    def build(made: Net, x: Handle) -> Handle:
        def part(begin: int, name: str) -> Handle:
            limits = [made.constant([value], name=f"{name}{value}") for value in (begin, begin + 2, 1, 1)]
            return made.layer("Slice", [x, *limits], opset=8, name=f"{name}")

        last = part(2, "last")
        other = last if start == 2 else part(start, "other")
        less = made.layer("Subtract", [part(0, "begin"), other], name="less")
        return made.layer("Concat", [less, last], axis=1, name="joined")

    return build


def square(turned: bool) -> Build:
    def build(made: Net, x: Handle) -> Handle:
        other = made.layer("Transpose", [x, made.constant([1, 0])], name="turn") if turned else x
        other = made.layer("Reshape", [other, made.constant([2, 4])], name="flat", special_zero=False) if turned else x
        return made.layer("Multiply", [x, other], name="square")

    return build


def quantised(*ranges: float, name: str = "p") -> Build:
    """Products of tensors that are rounded to 256 levels of a range, by a multiple of the largest value; 0 for none."""

    def build(made: Net, x: Handle) -> Handle:
        weights = WEIGHTS / np.float32(3)
        value = X[0] @ WEIGHTS
        for number, factor in enumerate(ranges):
            if factor:
                high = float(np.abs(value).max()) * factor
                limits = [made.constant(f32(limit)) for limit in (-high, high, -high, high)]
                x = made.layer("FakeQuantize", [x, *limits], name=f"fq{number}", levels=256)
            x = made.layer("MatMul", [x, made.constant(weights)], name=f"{name}{number}")
            value = value @ weights
        return x

    return build


CASES: dict[str, tuple[Build, Build, tuple[str, str, str, str]]] = {
    "one type of each side": (
        chain(("Multiply", f32(2)), "Exp"),
        chain("Sin", ("Multiply", f32(2))),
        ("exp1", "sin0", "type", "Exp beside Sin"),
    ),
    "other layers": (chain("Exp", "Sin"), chain("Tanh", "Sigmoid"), ("sin1", "sigmoid1", "type", "")),
    "other layers around one that both have": (
        chain("Exp", "Negative", "Sin"),
        chain("Tanh", "Negative", "Sigmoid"),
        ("sin2", "sigmoid2", "structure", ""),
    ),
    "constants of one side each": (
        chain(("Multiply", FIRST), "Exp", "Sigmoid"),
        chain("Sin", ("Subtract", SECOND), "Negative"),
        ("multiply0", "subtract1", "constant", ""),
    ),
    "a slice that begins where another one does": (
        cut(2),
        cut(1),
        ("last", "other", "constant", '"last2" 2 beside 1, "last4" 4 beside 3'),
    ),
    "an operand that is turned": (
        square(False),
        square(True),
        ("square", "square", "input", "it reads another tensor"),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_region_of_several_layers(name: str, tmp_path: Path) -> None:
    first, second, expected = CASES[name]
    pair = net(tmp_path / "a.xml", first), net(tmp_path / "b.xml", second, "other_")
    (suspect,) = compare(*pair, X).verdict.suspects
    assert (suspect.name, suspect.other, suspect.cause, suspect.what) == expected
    (back,) = compare(*pair[::-1], X).verdict.suspects
    assert (back.name, back.other, back.cause) == (suspect.other, suspect.name, suspect.cause)


def test_layers_in_the_other_order(tmp_path: Path) -> None:
    """The first layer of each side reads what the other side computes last."""
    pair = net(tmp_path / "a.xml", chain("Sigmoid", "Exp")), net(tmp_path / "b.xml", chain("Exp", "Sigmoid"), "other_")
    (suspect,) = compare(*pair, X).verdict.suspects
    assert (suspect.name, suspect.other, suspect.cause) == ("sigmoid0", "sigmoid1", "input")
    (suspect,) = compare(*pair[::-1], X).verdict.suspects
    assert (suspect.name, suspect.other, suspect.cause) == ("exp0", "exp1", "input")


def test_activations_that_lose_more_than_others(tmp_path: Path) -> None:
    """Three ranges fit their tensors; the third of four is much wider than its tensor."""
    exact = net(tmp_path / "a.xml", quantised(0, 0, 0, 0))
    wide = net(tmp_path / "b.xml", quantised(1.02, 1.02, 30, 1.02, name="q"), "other_")
    found = compare(wide, exact, X).verdict
    (suspect,) = found.suspects
    assert (suspect.name, suspect.type, suspect.other, suspect.cause) == ("fq2", "MatMul", "p2", "quantisation")
    assert suspect.what == "its inputs lose 35 times what 8 bits need"


def test_outputs_that_are_levels(tmp_path: Path) -> None:
    def model(name: str, is_rounded: bool) -> Loaded:
        made = Net()
        at = made.layer("MatMul", [made.parameter("x", "2,4"), made.constant(WEIGHTS)], name="first")
        if is_rounded:
            limits = [made.constant(f32(limit)) for limit in (-9, 9, -9, 9)]
            at = made.layer("FakeQuantize", [at, *limits], name="fq", levels=256)
        made.result(at)
        return load(made.save(tmp_path / f"{name}.xml"))

    found = compare(model("a", False), model("b", True), X).verdict
    assert found == Verdict("different", cause="quantisation", reason="outputs rounded to levels")


SMALL = Verdict("different", cause="rounding", reason="each layer agrees for equal inputs; small errors grow")


def test_small_errors_that_grow(tmp_path: Path) -> None:
    """No tensor is further from its counterpart than f32 rounds, and the tolerance is tighter."""
    pair = net(tmp_path / "a.xml", product(WEIGHTS, "p")), net(tmp_path / "b.xml", product(WEIGHTS * f32(1.00003), "p"))
    assert compare(*pair, X, Tolerance(1e-6, 0)).verdict == SMALL
    assert compare(*pair, X).verdict == Verdict("equal")


class Engine:
    """An engine that computes what irrun does, but for some tensors: functions of them by the names of layers."""

    name = "engine"

    def __init__(
        self,
        model: Loaded,
        inputs: Mapping[int, Array],
        wrong: Mapping[str, Callable[[Array], Array]] | None = None,
        optimised: float = 1.0,
        *,
        knows: bool = True,
    ) -> None:
        self._arrays: dict[Outlet, Array] = {}
        taken = Passer(lambda outlet, array: self._arrays.__setitem__(outlet, array.copy()))
        self._outputs = [array.copy() for array in run_as_written(model, inputs, {}, taken).to_tuple()]
        ends = [outlet for (outlet,) in map(model.graph.sources, model.graph.results)]
        for outlet, array in self._arrays.items():
            change = (wrong or {}).get(model.graph.node(outlet.node).name)
            self._arrays[outlet] = array if change is None else change(array)
            if outlet in ends and change is not None:
                self._outputs[ends.index(outlet)] = self._arrays[outlet]
        self._optimised, self._knows = np.float32(optimised), knows
        self._names = {outlet: model.graph.node(outlet.node).name for outlet in self._arrays}

    def order(self, ports: Sequence[Port]) -> Sequence[int | None]:
        return range(len(ports))

    def outputs(self) -> Sequence[Array]:
        return [array * self._optimised for array in self._outputs]

    def counterparts(self, model: Loaded, inputs: Mapping[int, Array]) -> Mapping[Outlet, tuple[Hashable, str]]:
        del model, inputs
        return {outlet: (outlet, "name") for outlet in self._arrays if self._knows}

    def label(self, key: Hashable) -> str:
        assert isinstance(key, Outlet)
        return self._names[key]

    def tensors(self, keys: Collection[Hashable], sink: Sink) -> Sequence[Array]:
        for outlet, array in self._arrays.items():
            if outlet in keys:
                sink(outlet, array)
        return self._outputs


def off(factor: float) -> Callable[[Array], Array]:
    return lambda array: array * np.float32(factor)


def test_an_engine_that_has_no_layer_of_the_model(tmp_path: Path) -> None:
    model = net(tmp_path / "a.xml", nothing)
    found = compare(model, Engine(model, X, {"last": off(2)}, knows=False), X)
    assert found.verdict == Verdict("unknown", reason="no layer has a counterpart")


def test_an_engine_whose_optimisation_changes_outputs(tmp_path: Path) -> None:
    model = net(tmp_path / "a.xml", nothing)
    found = compare(model, Engine(model, X, optimised=1.5), X)
    assert (found.verdict.cause, found.verdict.suspects) == ("optimisation", ())
    assert "that of engine is at fault" in found.verdict.reason
    assert found.optimisation == {"model": 0.0, "engine": pytest.approx(1 / 3, rel=1e-3)}
    assert found.as_dict()["optimisation"]["by"] == "engine"


def test_tensors_of_another_precision(tmp_path: Path) -> None:
    """They are compared in the type of the model's own ones."""
    model = net(tmp_path / "a.xml", product(WEIGHTS, "p"))
    found = compare(model, Engine(model, X, {"first": lambda array: array.astype(np.float64)}), X, every=True)
    assert found.verdict == Verdict("equal")
    assert found.layers is not None
    assert [(item.layer, item.differs) for item in found.layers.layers] == [
        ("first", False),
        ("p", False),
        ("last", False),
    ]


def test_errors_that_grow_in_an_engine(tmp_path: Path) -> None:
    """The first layer is within the tolerance, and what follows is right for its inputs: none errs by itself."""
    made = Net()
    at = made.layer("Tanh", [made.parameter("x", "2,4")], name="first")
    at = made.layer("Multiply", [at, made.constant(f32(50))], name="times")
    made.result(made.layer("Exp", [at], name="exp"))
    model = load(made.save(tmp_path / "a.xml"))
    larger = off(1.0005)
    changed = {"first": larger, "times": larger, "exp": lambda array: np.asarray(array ** np.float32(1.0005))}
    found = compare(model, Engine(model, X, changed), X)
    assert found.verdict == SMALL
    assert found.layers is not None
    assert [(item.layer, item.errs, item.differs) for item in found.layers.layers] == [
        ("first", False, False),
        ("times", False, False),
        ("exp", False, True),
    ]
    assert found.layers.culprit is not None
    assert found.layers.culprit.own is not None
    with pytest.raises(NothingToBlame, match="no layer is to blame: each layer agrees for equal inputs"):
        blame(model, Engine(model, X, changed), X)  # type: ignore[arg-type]


def test_an_optimisation_within_the_tolerance() -> None:
    rounding = Verdict("different", cause="rounding", reason="as written, the outputs agree within the tolerances")
    sides = {"model": ([X[0]], [X[0]]), "other": ([X[0]], [X[0] * f32(1.0001)])}
    assert diagnose_optimisation(sides, Tolerance()) == rounding


def of_size(least: int, seen: list[int]) -> Callable[[object], Ask]:
    """The answers of an engine that errs in cases of ``least`` layers or more."""

    def ask(case: Case) -> Answers:
        count = len(layers_of(case.model))
        seen.append(count)
        right = f32([1, 2])
        return Answers((right,), (right * 2 if count >= least else right,))

    return lambda _settings: ask


@pytest.mark.parametrize(("least", "layers"), [(1, ("tanh1",)), (2, ("exp0", "tanh1")), (5, None), (9, ("tanh1",))])
def test_a_fault_that_needs_several_layers(
    least: int, layers: tuple[str, ...] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The case is the layer to blame, then layers before it too, then the smallest part of the model that shows it."""
    seen: list[int] = []
    monkeypatch.setattr("irrun.debugging.blaming.of_openvino", of_size(least, seen))
    model = net(tmp_path / "a.xml", chain("Exp", "Tanh", "Sigmoid"))
    found = blame(model, Engine(model, X, {"tanh1": off(1.5)}, optimised=1.5), X)  # type: ignore[arg-type]
    assert (found.kind, found.layer, found.reproduces) == ("layer", "tanh1", least < 9)
    assert seen[0] == 1
    if layers is not None:
        assert found.layers == layers
    else:
        assert len(found.layers) == 5
    assert (_text(found).splitlines()[-1] == SILENT) == (least == 9)


def test_an_optimisation_that_no_layer_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine errs in products of three layers or more, and not layer by layer."""
    monkeypatch.setattr("irrun.debugging.blaming.of_openvino", of_size(3, []))
    model = net(tmp_path / "a.xml", chain("Exp", "Tanh", "Sigmoid"))
    found = blame(model, Engine(model, X, optimised=1.5), X)  # type: ignore[arg-type]
    assert (found.kind, found.sides, found.reproduces) == ("optimisation", ("irrun", "engine"), True)
    assert len(found.layers) == 3
    assert [item.cause for item in found.verdict.suspects] == ["optimisation"]
    line = _text(found).splitlines()[1]
    assert line == f"irrun and engine differ where they optimise {', '.join(found.layers)}: max 2, relative 0.5"


def test_an_optimisation_that_is_not_there(tmp_path: Path) -> None:
    """The outputs as usual are those of the layers one by one, on either side."""
    model = net(tmp_path / "a.xml", nothing)
    verdict = Verdict("different", cause="optimisation", reason="why")
    with pytest.raises(NothingToBlame, match=r"^no layer is to blame: why$"):
        _blame_optimisation(model, X, Tolerance(), {}, verdict)

"""Passes and kernels of users: where they apply, what info tells of them, and what is wrong with others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irrun
from irrun.document.writer import Writer
from irrun.model.config import ConfigError
from irrun.optimize import Rewriter
from irrun.optimize.added import Kernel, Pass
from irrun.runtime.tiers import has_kernels
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32
from tests.optimize import own_passes
from tests.optimize.own_passes import DropAbs, OwnClamp

X = np.array([[-3, -0.5, 2]], np.float32)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Write x -> Abs -> Abs -> Clamp -> Result, with a dynamic first dim."""
    ir = Writer("net")
    fact = Fact(F32, Shape.parse("?,3"))
    end = ir.parameter("x", F32, fact.shape)
    for index in range(2):
        (end,) = ir.layer("Abs", "opset1", [end], [fact], name=f"abs{index}")
    (end,) = ir.layer("Clamp", "opset1", [end], [fact], {"min": "1", "max": "2"}, name="clamp")
    ir.result(end, "y")
    ir.save(tmp_path / "net.xml")
    return tmp_path / "net.xml"


def compiled(path: Path, *sources: Any, **config: Any) -> Any:
    return irrun.compile_model(path, config={"EXTENSIONS": list(sources), **config})


def steps(model: Any) -> list[str]:
    return [step.node.type for step in model._engine.plan.steps]


@pytest.mark.parametrize("tier", ["numpy", "compiled"])
def test_a_kernel_computes_for_one_model(path: Path, tier: str) -> None:
    if tier == "compiled" and not has_kernels():
        pytest.skip("compiled kernels are those of irrun-kernels")
    for source in (OwnClamp, own_passes, own_passes.__file__):
        assert compiled(path, source, TIER=tier)(X)[0].tolist() == [[102, 101, 102]]
    assert compiled(path, OwnClamp, TIER=tier, OPTIMIZE=False)(X)[0].tolist() == [[102, 101, 102]]
    assert compiled(path, TIER=tier)(X)[0].tolist() == [[2, 1, 2]]
    model = irrun.read_model(path)
    model.reshape([2, 3])
    assert compiled(model, OwnClamp, TIER=tier)(np.ones((2, 3)))[0].tolist() == [[101] * 3] * 2


def test_a_pass_rewrites_the_graph(path: Path) -> None:
    settings = {"TIER": "numpy", "OPTIMIZE": {"disable": ["fuse-elementwise"]}}
    assert steps(compiled(path, **settings)) == ["Abs", "Abs", "Clamp"]
    assert steps(compiled(path, DropAbs, **settings)) == ["Abs", "Clamp"]
    both = compiled(path, own_passes, **settings)
    assert (steps(both), both(X)[0].tolist()) == (["Abs", "OwnClamp::Clamp"], [[102, 101, 102]])
    settings["OPTIMIZE"] = {"disable": ["fuse-elementwise", "drop-abs"]}
    assert steps(compiled(path, DropAbs, **settings)) == ["Abs", "Abs", "Clamp"]
    assert steps(compiled(path, DropAbs, TIER="numpy", OPTIMIZE=False)) == ["Abs", "Abs", "Clamp"]


def test_those_of_a_core_count_for_what_it_compiles(path: Path) -> None:
    core = irrun.Core()
    core.add_extension(own_passes)
    model = core.compile_model(path, "CPU", {"TIER": "numpy", "OPTIMIZE": {"disable": ["fuse-elementwise"]}})
    assert (steps(model), model(X)[0].tolist()) == (["Abs", "OwnClamp::Clamp"], [[102, 101, 102]])
    assert irrun.Core().compile_model(path, "CPU")(X)[0].tolist() == [[2, 1, 2]]


@pytest.fixture
def _extended() -> Iterator[None]:
    irrun.extend(own_passes)
    yield
    irrun.unextend(own_passes)


@pytest.mark.usefixtures("_extended")
def test_what_extend_added_counts_for_every_model(path: Path) -> None:
    assert irrun.compile_model(path)(X)[0].tolist() == [[102, 101, 102]]


class _Fails(DropAbs):
    """Before: After: Proof:"""

    name = "fails"

    def run(self, graph: Rewriter) -> None:
        raise KeyError(next(graph.nodes("Abs")).name)


class _Changes(DropAbs):
    """Before: After: Proof:"""

    name = "changes"

    def run(self, graph: Rewriter) -> None:
        graph.remove([next(graph.nodes("Abs")).id])


class _Smaller(OwnClamp):
    def run(self, op: Any, data: Any) -> Any:
        return super().run(op, data)[:, :1]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (_Fails, r"the pass fails fails at tests/optimize/test_added\.py:\d+: KeyError: 'abs0' \[IR805\]"),
        (_Changes, r"the pass changes fails at .*test_added\.py:\d+: EditError: .abs1. consumes an output of"),
    ],
)
def test_a_fault_of_a_pass(path: Path, source: type[Pass], message: str) -> None:
    with pytest.raises(irrun.IRError, match=message):
        compiled(path, source)


def test_a_fault_of_a_kernel(path: Path) -> None:
    what = r'layer "clamp" \(Clamp\): Clamp\.run at .*:\d+ returns an array of float32\[1, 1\], expected f32\[\?,3\]'
    with pytest.raises(irrun.IRError, match=what):
        compiled(path, _Smaller)(X)


def declared(base: type, doc: str = "Before: After: Proof:", **facts: Any) -> type:
    return type("Mine", (base,), {"__doc__": doc, "run": lambda *_: None, **facts})


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (declared(Pass, name="Mine"), 'the pass Mine has the name "Mine", expected one of its own in kebab case'),
        (declared(Pass, name="fuse-matmul"), 'has the name "fuse-matmul", expected one of its own'),
        (declared(Pass, name="mine", before="fuse-matmull"), 'runs before "fuse-matmull"; did you mean fuse-matmul'),
        (declared(Pass, "Before: After:", name="mine"), "the pass Mine has no Proof: in its docstring"),
        (declared(Kernel, operation="Clampp", opset=1), "no operation Clampp in opset1; did you mean Clamp"),
        (declared(Kernel, operation="Clamp"), "no operation Clamp in opsetNone"),
        (declared(Kernel, operation="Loop", opset=5), "the kernel Mine is one of Loop, whose values irrun alone keeps"),
        (declared(Kernel, operation="ReadValue", opset=6), "is one of ReadValue, whose values irrun alone keeps"),
        (declared(Kernel, operation="Clamp", opset=1, run=None), "the kernel Mine has no method run"),
    ],
)
def test_unusable(path: Path, source: type, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        compiled(path, source)

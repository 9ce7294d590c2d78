"""Operations of users: where they are known, how they run on both tiers, and what is wrong with others."""

from __future__ import annotations

import pickle
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

import irrun.model
from irrun.document.writer import Writer
from irrun.ops import Op, extending, op, registry
from irrun.ops.available import Operations, operations_of
from irrun.ops.importing import ExtensionError, load, portable
from irrun.ops.operation import DECLARED
from irrun.runtime.tiers import has_kernels
from irrun.tensor import Array, Fact, Shape
from irrun.tensor.element_type import F32
from tests.ops import own_operations
from tests.ops.own_operations import Add, SoftShrink

EXAMPLE = Path(__file__).parents[2] / "examples" / "extension"
SHAPE = Shape([64, 128])


def between(path: Path) -> Path:
    """Write x -> ReLU -> SoftShrink -> Add of a domain, with x -> Exp -> Result."""
    ir = Writer("net")
    x = ir.parameter("x", F32, SHAPE)
    fact = Fact(F32, SHAPE)
    (before,) = ir.layer("Tanh", "opset1", [x], [fact])
    (own,) = ir.layer("SoftShrink", "extension", [before], [fact], {"lambd": "0.25"})
    (both,) = ir.layer("Add", "test.domain", [own, x], [fact])
    (after,) = ir.layer("Exp", "opset1", [both], [fact])
    ir.result(after)
    ir.save(path)
    return path


def expected(x: Array) -> Array:
    own = np.sign(np.tanh(x)) * np.maximum(np.abs(np.tanh(x)) - 0.25, 0)
    return np.asarray(np.exp((own + x) / 2), dtype=np.float32)


@pytest.mark.parametrize(("tier", "optimize"), [("numpy", False), ("numpy", True), ("compiled", True)])
def test_runs_between_layers_of_irrun(tmp_path: Path, tier: str, optimize: bool) -> None:
    if tier == "compiled" and not has_kernels():
        pytest.skip("compiled kernels are those of irrun-kernels")
    model = irrun.model.load(between(tmp_path / "net.xml"), extensions=[own_operations])
    compiled = irrun.model.build(model, {"TIER": tier, "OPTIMIZE": optimize})
    for seed in range(4):
        x = np.random.default_rng(seed).normal(size=(64, 128)).astype(np.float32)
        np.testing.assert_allclose(compiled(x)[0], expected(x), rtol=1e-5, atol=1e-6)
    assert compiled.executor.last == tier


def test_known_only_where_given(tmp_path: Path) -> None:
    path = between(tmp_path / "net.xml")
    before = {type: dict(versions) for type, versions in DECLARED.items()}
    with_it = irrun.model.load(path, extensions=[SoftShrink, Add])
    without = irrun.model.load(path)
    assert {type: dict(versions) for type, versions in DECLARED.items()} == before
    own = [
        type(node.op).__name__ for node in with_it.bound.graph.ordered() if node.version in ("extension", "test.domain")
    ]
    assert own == ["SoftShrink", "Add"]
    assert [node.type for node in with_it.bound.graph.ordered() if node.version == "test.domain"] == [
        "test.domain::Add"
    ]
    with pytest.raises(irrun.IRError, match=r"no operation Add in test\.domain; it is in opset1"):
        irrun.model.build(without)
    with pytest.raises(registry.UnknownOperation):
        registry.resolve("SoftShrink")


def test_linted_like_a_built_in_operation(tmp_path: Path) -> None:
    path = between(tmp_path / "net.xml")
    assert [item.code for item in irrun.lint(path, extensions=[own_operations])] == []
    path.write_text(path.read_text().replace('lambd="0.25"', 'lambda="-1"'))
    assert [item.message for item in irrun.lint(path, extensions=[own_operations])] == [
        "SoftShrink has no attribute lambda; did you mean lambd?"
    ]
    assert [item.message for item in irrun.lint(path)] == ["no operation Add in test.domain; it is in opset1"]
    path.write_text(path.read_text().replace('lambda="-1"', 'lambd="-1"'))
    assert [item.code for item in irrun.lint(path, extensions=[own_operations])] == ["IR306"]
    path.write_text(path.read_text().replace('lambd="-1"', 'lambd="1"').replace("SoftShrink", "SoftShrnk"))
    (found,) = irrun.lint(path, asked=["IR314"], extensions=[own_operations], codes=["IR314"])
    assert found.message.startswith("SoftShrnk of extension is an operation of a library")


def test_resolved() -> None:
    known = operations_of([own_operations])
    assert known.resolve("softshrink") is own_operations.SoftShrink
    assert known.resolve("SoftShrink", "extension") is own_operations.SoftShrink
    assert known.resolve("Add").opset == 1 or known.resolve("Add") is own_operations.Add
    assert known.resolve("Add", "opset3").opset == 1
    with pytest.raises(registry.UnknownOperation, match="no operation SoftShrnk; did you mean SoftShrink"):
        known.resolve("SoftShrnk")
    with pytest.raises(registry.UnknownOperation, match="no operation SoftShrink in opset8; it is in extension"):
        known.resolve("SoftShrink", "opset8")
    types = [cls.type for cls in known.declarations()]
    assert types == sorted(types)
    assert {"SoftShrink", "Ends", "Abs"} <= set(types)
    assert "SoftShrink" not in {cls.type for cls in Operations().declarations()}


def test_a_file(tmp_path: Path) -> None:
    before = set(sys.modules)
    model = irrun.model.load(EXAMPLE / "model.xml", extensions=[EXAMPLE / "my_ops.py"])
    x = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_allclose(irrun.model.build(model)(x)[0], np.maximum(x - 0.25, 0) * (x > 0.25))
    assert load(EXAMPLE / "my_ops.py") is load(EXAMPLE / "my_ops.py")
    changed = tmp_path / "my_ops.py"
    changed.write_text((EXAMPLE / "my_ops.py").read_text())
    first = load(changed)
    changed.write_text(changed.read_text().replace("SoftShrink", "HardShrink"))
    assert load(changed) is not first
    for name in set(sys.modules) - before:
        if name.startswith("irrun_extension_"):
            del sys.modules[name]


FINE = dedent(
    '''
    from irrun.ops import Op, Out, attr, op

    @op("Mine", opset="extension")
    class Mine(Op):
        """Mine."""

        def infer(self): ...
        def run(self): ...
    '''
)

BROKEN = [
    ("def", r":1 cannot be imported: SyntaxError: "),
    ("\nimport nothing_like_it\n", r":2 cannot be imported: ModuleNotFoundError: No module named 'nothing_like_it'"),
    ("raise SystemError('no')", r":1 cannot be imported: SystemError: no"),
    (
        FINE.replace('"extension"', "8"),
        "Mine is declared in opset 8, which is OpenVINO's; expected a domain of its own",
    ),
    (FINE.replace('"extension"', '"opset8"'), "Mine is declared in opset opset8, which is OpenVINO's"),
    (FINE.replace("def run", "def ran"), "Mine of extension has no method run"),
    (FINE.replace('"""Mine."""', "pass"), "Mine of extension has no docstring, which irrun ops prints"),
    (
        FINE.replace('"""Mine."""', '"""Mine."""\n    a: list = attr()'),
        "the declaration of Mine of extension cannot be",
    ),
    (
        FINE + FINE.replace("class Mine", "class More"),
        r"Mine of extension is declared twice, at .*own\.py:8 and .*own\.py:17",
    ),
]


@pytest.mark.parametrize(("text", "message"), BROKEN)
def test_a_file_that_cannot_be_used(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "own.py"
    path.write_text(text)
    with pytest.raises(ExtensionError, match=message):
        operations_of([path])


def test_what_is_no_extension(tmp_path: Path) -> None:
    with pytest.raises(ExtensionError, match=re.escape(f"{tmp_path / 'none.py'} cannot be read: No such file")):
        operations_of([tmp_path / "none.py"])
    (tmp_path / "ops.so").write_bytes(b"\x7fELF")
    with pytest.raises(ExtensionError, match=r"ops.so is a library that was written for OpenVINO, expected"):
        operations_of([tmp_path / "ops.so"])

    class Bare(Op):
        """Without a declaration."""

    with pytest.raises(ExtensionError, match=r'Bare is not declared, expected @op\("Bare", opset="extension"\)'):
        operations_of([Bare])


def test_twice_the_same_is_once() -> None:
    assert len(operations_of([SoftShrink, own_operations, SoftShrink]).own) == 3

    @op("SoftShrink", opset="extension")
    class Another(own_operations.SoftShrink):
        """Another one."""

    with pytest.raises(ExtensionError, match=r"SoftShrink of extension is declared twice, at .*my_ops\.py:\d+ and .*"):
        operations_of([SoftShrink, Another])


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="the system has no /dev/zero")
def test_a_device_is_not_read() -> None:
    with pytest.raises(ExtensionError, match="/dev/zero is not a Python file"):
        load(Path("/dev/zero"))


# -- for every model


@pytest.fixture
def _unextended() -> Iterator[None]:
    yield
    extending.unextend()


def cell(factor: int, module: str = "__main__") -> type[Op]:
    """Return the class that a cell of a notebook defines when it runs."""
    text = FINE.replace("def infer(self): ...", "def infer(self): return ()").replace("Out, ", "")
    space: dict[str, Any] = {"__name__": module, "FACTOR": factor}
    exec(text.replace('"""Mine."""', '"""Mine."""\n    factor = FACTOR'), space)
    made: type[Op] = space["Mine"]
    return made


@pytest.mark.usefixtures("_unextended")
def test_a_cell_that_runs_twice_replaces_its_class() -> None:
    for factor in (1, 2, 3):
        extending.extend(cell(factor))
        assert [vars(cls)["factor"] for cls in operations_of([]).own] == [factor]
    assert [vars(cls)["factor"] for cls in operations_of([cell(4)]).own] == [4]
    extending.unextend(cell(5))
    assert operations_of([]).own == ()


@pytest.mark.usefixtures("_unextended")
def test_two_sources_that_clash_are_both_named() -> None:
    extending.extend(cell(1))
    with pytest.raises(ExtensionError, match=r"Mine of extension is declared twice, at <string>:9 and <string>:9"):
        operations_of([cell(2, "other")])


@pytest.mark.usefixtures("_unextended")
def test_unextended() -> None:
    extending.extend(SoftShrink, own_operations)
    assert len(operations_of([]).own) == 3
    extending.unextend(own_operations)
    assert [cls.type for cls in operations_of([]).own] == ["SoftShrink"]
    with pytest.raises(ExtensionError, match=r"own_operations was not added, expected SoftShrink"):
        extending.unextend(own_operations)
    extending.unextend()
    with pytest.raises(ExtensionError, match="SoftShrink was not added; nothing was"):
        extending.unextend(SoftShrink)


# -- what files import


def test_a_file_imports_its_sibling(tmp_path: Path) -> None:
    for number in (1, 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "sibling_of_a_file.py").write_text(f"FACTOR = {number}\n")
        text = FINE.replace('"""Mine."""', '"""Mine."""\n    factor = sibling_of_a_file.FACTOR')
        (folder / "own.py").write_text("import sibling_of_a_file\n" + text)
    for number in (1, 2, 1):
        (cls,) = operations_of([tmp_path / str(number) / "own.py"]).own
        assert vars(cls)["factor"] == number
    assert not [path for path in sys.path if path.startswith(str(tmp_path))]


def test_a_fault_in_a_sibling_names_it(tmp_path: Path) -> None:
    (tmp_path / "sibling_with_a_fault.py").write_text("\n\nx = 1 / 0\n")
    (tmp_path / "own.py").write_text("import sibling_with_a_fault\n")
    with pytest.raises(ExtensionError, match=r"own\.py cannot be imported: .*sibling_with_a_fault\.py:3: Zero"):
        operations_of([tmp_path / "own.py"])


def test_what_travels(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(FINE.replace("def infer(self): ...", "def infer(self): return ()").replace("Out, ", ""))
    sent = pickle.loads(pickle.dumps(portable(path, travels=True)))
    path.unlink()
    assert [cls.type for cls in operations_of([sent]).own] == ["Mine"]
    assert portable(path, travels=False) == str(path)
    assert portable(own_operations, travels=True) == own_operations.__name__
    assert portable(sys.modules[SoftShrink.__module__], travels=False) == str(EXAMPLE / "my_ops.py")
    with pytest.raises(ExtensionError, match=r"own\.py cannot be read: No such file"):
        portable(path, travels=True)

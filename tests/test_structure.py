"""The structure of the code base."""

from __future__ import annotations

import ast
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import irrun
from irrun.ops.registry import declarations
from irrun.runtime.tiers import can_compile
from tests.cases import all_cases, all_models

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "irrun"
ORDER = (
    "diagnostics",
    "jobs",
    "tensor",
    "kernels",
    "ops",
    "document",
    "graph",
    "inference",
    "optimize",
    "runtime",
    "model",
    "properties",
    "api",
    "op",
    "passes",
    "preprocess",
    "linter",
    "schema",
    "cli",
)
STANDARD_IN_KERNELS = {
    "__future__",
    "collections",
    "collections.abc",
    "concurrent.futures",
    "contextlib",
    "ctypes",
    "dataclasses",
    "functools",
    "itertools",
    "math",
    "mmap",
    "os",
    "pathlib",
    "sys",
    "threading",
    "time",
    "typing",
    "weakref",
}
NEED_NUMBA = (
    *("irrun.kernels.compiled", "irrun.runtime.lowering"),
    *(
        "irrun.runtime.arena",
        "irrun.runtime.instance",
        "irrun.runtime.partial",
        "irrun.runtime.program",
        "irrun.runtime.workers",
    ),
)


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def imports(path: Path) -> set[str]:
    """Return the modules that a file imports, including those under TYPE_CHECKING."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found.add(node.module)
    return found


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_one_way(path: Path) -> None:
    folder = path.relative_to(PACKAGE).parts[0]
    if folder not in ORDER:
        return
    allowed = set(ORDER[: ORDER.index(folder) + 1])
    for name in imports(path):
        parts = name.split(".")
        if parts[0] == "irrun" and len(parts) > 1:
            assert parts[1] in allowed, f"{folder} imports {name}"
        if folder == "document":
            assert not name.startswith("irrun.ops"), f"document imports {name}"
        if folder == "kernels" and parts[0] in ("llvmlite", "numba"):
            assert path.parent.name == "compiled", f"a kernel of NumPy imports {name}"
        elif folder == "kernels" and path.parent.name != "compiled" and parts[0] not in ("irrun", "numpy"):
            assert name in STANDARD_IN_KERNELS, f"a kernel imports {name}"


def test_kernels_know_only_arrays() -> None:
    for path in (PACKAGE / "kernels").rglob("*.py"):
        assert not {name for name in imports(path) if name.startswith("irrun") and "kernels" not in name}, path.name


def test_every_operation_has_cases() -> None:
    covered = {(case.type, case.opset) for case in (*all_cases(), *all_models())}
    assert {(cls.type, cls.opset) for cls in declarations()} - covered == set()


def test_a_module_is_named_like_its_operation() -> None:
    """The registry finds an operation by the name of its module, without importing all the others."""
    for cls in declarations():
        assert cls.__module__.rpartition(".")[2].replace("_", "") == cls.type.lower(), cls


def test_every_operation_is_documented() -> None:
    for cls in declarations():
        summary = cls.spec.summary
        assert summary.endswith("."), f"{cls.type}-{cls.opset}: {summary!r}"
        assert len(summary) < 200, f"{cls.type}-{cls.opset}"


def test_generated_files_are_fresh() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "generate.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.returncode) == ("", 0), f"run python tools/generate.py\n{done.stderr}"


def test_public_surface() -> None:
    assert irrun.__all__ == [
        "AsyncInferQueue",
        "AxisSet",
        "AxisVector",
        "CompiledModel",
        "ConstOutput",
        "Coordinate",
        "CoordinateDiff",
        "Core",
        "Diagnostic",
        "Dimension",
        "DiscreteTypeInfo",
        "IRError",
        "InferRequest",
        "Input",
        "InputError",
        "InternalError",
        "Layout",
        "Model",
        "Node",
        "OVAny",
        "OVDict",
        "Op",
        "Output",
        "PartialShape",
        "ProfilingInfo",
        "RTMap",
        "Shape",
        "Strides",
        "Symbol",
        "Tensor",
        "TensorVector",
        "Type",
        "VariableState",
        "Version",
        "__version__",
        "compile_model",
        "exceptions",
        "get_batch",
        "get_version",
        "helpers",
        "layout_helpers",
        "lint",
        "op",
        "passes",
        "preprocess",
        "properties",
        "read_model",
        "save_model",
        "serialize",
        "set_batch",
        "shutdown",
        "tensor_from_file",
        "utils",
    ]
    for name in irrun.__all__:
        assert getattr(irrun, name) is not None


def test_no_print_and_no_exit_below_the_command_line() -> None:
    for path in modules():
        if "cli" in path.relative_to(PACKAGE).parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert called not in {"print", "sys.exit", "exit"}, f"{path}: {called}"


def test_every_package_is_importable() -> None:
    names = [module.name for module in pkgutil.walk_packages(irrun.__path__, "irrun.") if "__main__" not in module.name]
    assert len(names) > 100
    for name in names:
        if can_compile() or not name.startswith(NEED_NUMBA):
            __import__(name)

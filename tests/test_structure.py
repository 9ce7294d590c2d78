"""The structure of the code base."""

from __future__ import annotations

import ast
import importlib.util
import pkgutil
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import irrun
from irrun.ops.registry import declarations
from irrun.runtime.tiers import has_kernels
from tests.cases import all_cases, all_models
from tests.conftest import require_operations
from tests.processes import ROOT, python

PACKAGE = ROOT / "irrun"
TABLE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
ORDER = tuple(re.findall(r"^\| `(\w+)/` \|", TABLE, re.MULTILINE))
"""The folders of the table, each of which imports from those before it only."""
ORDER_IN_OPENVINO = ("values", "properties", "nodes", "models", "opsets", "running")
"""The rooms of ``irrun.openvino`` that its modules are made from; functions may import from later ones."""
STANDARD_IN_KERNELS = {
    "__future__",
    "collections",
    "collections.abc",
    "concurrent.futures",
    "contextlib",
    "ctypes",
    "dataclasses",
    "functools",
    "heapq",
    "itertools",
    "math",
    "mmap",
    "os",
    "pathlib",
    "re",
    "resource",
    "struct",
    "sys",
    "threading",
    "threadpoolctl",
    "time",
    "typing",
    "unicodedata",
    "weakref",
}
NEED_KERNELS = (
    *(
        "irrun.runtime.lowering",
        "irrun.runtime.packing",
        "irrun.runtime.instance",
        "irrun.runtime.program",
        "irrun.runtime.workers",
    ),
)


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def statements(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield statements and those inside of them, without their expressions."""
    for node in body:
        yield node
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            yield from statements(getattr(node, field, ()))


def imports(path: Path) -> set[str]:
    """Return the modules that a file imports, including those under TYPE_CHECKING."""
    found: set[str] = set()
    for node in statements(ast.parse(path.read_text(encoding="utf-8")).body):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found.add(node.module)
    return found


def at_import(path: Path) -> set[str]:
    """Return the modules that a file imports when it is imported."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return {node.module for node in body if isinstance(node, ast.ImportFrom) and node.module is not None}


def test_the_table_of_folders_is_that_of_the_package() -> None:
    found = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert sorted(ORDER) == sorted(found)
    assert sorted(path.name for path in PACKAGE.glob("*.*")) == ["__init__.py", "__main__.py", "py.typed"]


def wrong_imports(path: Path) -> Iterator[str]:
    """Say which imports of a file point the wrong way."""
    place = path.relative_to(PACKAGE)
    folder = place.parts[0]
    allowed = set(ORDER[: ORDER.index(folder) + 1] if folder in ORDER else ORDER)
    for name in sorted(imports(path)):
        parts = name.split(".")
        if parts[0] == "irrun" and len(parts) == 1 and path != PACKAGE / "__init__.py":
            yield f"{place} imports the package itself"
        if parts[0] == "irrun" and len(parts) > 1 and parts[1] not in allowed:
            yield f"{place} imports {name}"
        if folder == "document" and name.startswith("irrun.ops"):
            yield f"{place} imports {name}"
        if folder == "kernels" and parts[0] not in ("irrun", "numpy") and name not in STANDARD_IN_KERNELS:
            yield f"{place}, a kernel, imports {name}"


def test_imports_point_one_way() -> None:
    assert len(modules()) > 900
    assert [fault for path in modules() for fault in wrong_imports(path)] == []


def test_importing_the_package_imports_nothing_of_it() -> None:
    assert not [name for name in at_import(PACKAGE / "__init__.py") if name.startswith("irrun")]


@pytest.mark.parametrize("folder", ORDER_IN_OPENVINO)
def test_imports_in_openvino_point_one_way(folder: str) -> None:
    later = tuple(f"irrun.openvino.{name}" for name in ORDER_IN_OPENVINO[ORDER_IN_OPENVINO.index(folder) + 1 :])
    for path in (PACKAGE / "openvino" / folder).rglob("*.py"):
        assert not [name for name in at_import(path) if name.startswith(later)], path.name


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


@pytest.mark.rest
def test_generated_files_are_fresh() -> None:
    done = python(ROOT / "tools" / "generate.py", "--check")
    assert (done.stdout, done.returncode) == ("", 0), f"run python tools/generate.py\n{done.stderr}"


def test_public_surface() -> None:
    names = (
        "AsyncInferQueue CompiledModel Core Diagnostic GenerationConfig IRError InferRequest InputError InternalError "
        "Layout Model PartialShape Shape Tensor TextEmbeddingPipeline TextPipeline TextRerankPipeline Tokenizer Type "
        "__version__ compile_model distributed extend generation lint openvino read_model save_model serialize "
        "unextend"
    )
    assert sorted(irrun.__all__) == names.split()
    for name in irrun.__all__:
        assert getattr(irrun, name) is not None


def test_type_checkers_know_every_name() -> None:
    """mypy reads the names of OpenVINO's API, which are imported on first use, from a block for it alone."""
    body = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8")).body
    block = next(node for node in body if isinstance(node, ast.If))
    declared = {
        alias.asname or alias.name for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert {*irrun.__all__, *irrun.openvino.__all__} - declared == set()


def test_names_of_openvino() -> None:
    names = (
        "AsyncInferQueue AxisSet AxisVector CompiledModel ConstOutput Coordinate CoordinateDiff Core Dimension "
        "DiscreteTypeInfo Extension InferRequest Input Layout Model Node OVAny OVDict Op OpExtension Output "
        "PartialShape ProfilingInfo RTMap RemoteContext RemoteTensor Shape Strides Symbol Tensor TensorVector Type "
        "VAContext VASurfaceTensor VariableState Version __version__ compile_model convert_model exceptions "
        "experimental frontend get_batch get_version helpers layout_helpers op package_utils passes preprocess "
        "properties read_model save_model serialize set_batch shutdown stand_in tensor_from_file tools utils "
    )
    assert sorted(irrun.openvino.__all__) == names.split()
    for name in {*irrun.openvino.__all__, "opset1", "opset17"} - {"__version__"}:
        assert getattr(irrun.openvino, name) is getattr(irrun, name)


def test_opsets_are_modules() -> None:
    from irrun.openvino.opset13 import relu

    module = importlib.import_module("irrun.openvino.opset13")
    assert module is irrun.openvino.opset13
    assert module.relu is relu
    assert "relu" in dir(module)
    assert importlib.util.find_spec("irrun.openvino.opset18") is None
    with pytest.raises(AttributeError, match="opset13 has no rleu; did you mean relu"):
        _ = module.rleu
    with pytest.raises(AttributeError, match="has no attribute 'opset18'"):
        _ = irrun.opset18


def test_no_print_and_no_exit_below_the_command_line() -> None:
    for path in modules():
        text = path.read_text(encoding="utf-8")
        if "cli" in path.relative_to(PACKAGE).parts or not re.search(r"\b(print|exit)\s*\(", text):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert called not in {"print", "sys.exit", "exit"}, f"{path}: {called}"


def test_every_package_is_importable() -> None:
    names = [module.name for module in pkgutil.walk_packages(irrun.__path__, "irrun.") if "__main__" not in module.name]
    assert len(names) > 100
    for name in names:
        if has_kernels() or not name.startswith(NEED_KERNELS):
            __import__(name)


def test_an_operation_that_is_asked_for_exists() -> None:
    require_operations(["Clamp"])
    with pytest.raises(pytest.UsageError, match=r"^--op: no operation Clam; did you mean Clamp\?$"):
        require_operations(["Clamp", "Clam"])


def test_a_public_class_name_means_one_thing() -> None:
    """Operations and rules are named by what they declare, and what imitates OpenVINO as there."""
    apart = ("irrun/ops/", "irrun/openvino/", "irrun/linter/_rules/")
    found: dict[str, list[str]] = {}
    for root in (PACKAGE, ROOT / "kernels" / "irrun_kernels", ROOT / "kernels" / "building"):
        for path in sorted(root.rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if name.startswith(apart) and not name.startswith("irrun/ops/_declared/fused/"):
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found.setdefault(node.name, []).append(name)
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}

"""The page ``docs/openvino-api.md``: which names of OpenVINO's Python API irrun has."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, Final

import irrun.openvino
from irrun.model.config import ACCEPTED, known_settings
from irrun.openvino.importing.absent import ABSENT
from irrun.ops.registry import LATEST
from tests.lab import records
from tests.lab.openvino_programs import running as openvino_programs
from tests.lab.openvino_tests import functions as openvino_tests
from tests.openvino.departures import DEPARTURES

PAGE: Final = records.ROOT / "docs" / "openvino-api.md"
NAMES: Final = records.DATA / "openvino-api.json"

CLASSES: Final = (
    *("Core", "Model", "Node", "Output", "Input", "ConstOutput", "CompiledModel", "InferRequest", "AsyncInferQueue"),
    *("Tensor", "Type", "Shape", "PartialShape", "Dimension", "Layout", "ProfilingInfo", "RTMap", "OVAny"),
    *("op.Parameter", "op.Constant", "op.Result", "op.assign", "op.read_value"),
    *("op.if_op", "op.loop", "op.tensor_iterator", "op.util.Variable", "op.util.VariableInfo"),
    *("op.util.SliceInputDescription", "op.util.ConcatOutputDescription", "Symbol", "TensorVector", "Op"),
    *("passes.Manager", "passes.Matcher", "passes.MatcherPass", "passes.ModelPass", "passes.GraphRewrite"),
    *("preprocess.PrePostProcessor", "preprocess.InputInfo", "preprocess.InputTensorInfo", "preprocess.InputModelInfo"),
    *("preprocess.PreProcessSteps", "preprocess.OutputInfo", "preprocess.OutputTensorInfo"),
    *("preprocess.OutputModelInfo", "preprocess.PostProcessSteps", "preprocess.ColorFormat"),
    *("preprocess.ResizeAlgorithm", "preprocess.PaddingMode"),
)
MODULES: Final = (
    "",
    "op",
    "op.util",
    "passes",
    "preprocess",
    "properties",
    "properties.hint",
    "properties.device",
    "properties.log",
    "properties.streams",
    "properties.intel_cpu",
    "properties.intel_auto",
    "layout_helpers",
    "exceptions",
    "helpers",
    "utils",
)
OPSETS: Final = range(1, LATEST + 1)


def openvino_names() -> dict[str, list[str]]:
    """Return the names of OpenVINO's classes, modules and opsets."""
    import openvino
    import openvino.exceptions
    import openvino.helpers
    import openvino.op.util
    import openvino.passes
    import openvino.preprocess
    import openvino.properties.device
    import openvino.properties.hint
    import openvino.utils

    found = {name: _public(_resolve(openvino, name)) for name in CLASSES}
    for name in MODULES:
        module = _resolve(openvino, name) if name else openvino
        found[f"module {name}".strip()] = _public(module)
    for number in OPSETS:
        opset = getattr(openvino, f"opset{number}")
        found[f"opset{number}"] = [name for name in _public(opset) if inspect.isfunction(getattr(opset, name))]
    return found


def _public(holder: Any) -> list[str]:
    return sorted(name for name in dir(holder) if not name.startswith("_"))


def _resolve(module: Any, path: str) -> Any:
    for part in path.split("."):
        module = getattr(module, part)
    return module


def files() -> Iterator[tuple[Path, str]]:
    yield PAGE, page(json.loads(NAMES.read_text(encoding="utf-8")))


def page(names: Mapping[str, Sequence[str]]) -> str:
    """Return the page for the names of OpenVINO's API."""
    missing = {holder: [name for name in members if not _has(holder, name)] for holder, members in names.items()}
    total, absent = sum(map(len, names.values())), sum(map(len, missing.values()))
    lines = [
        "# OpenVINO's Python API and irrun's",
        "",
        "`tools/generate.py` makes this page by looking up every name of OpenVINO's API in `irrun.openvino`.",
        "`import irrun.openvino as ov` takes the place of `import openvino as ov`: it has",
        f"{total - absent} of {total} names. The tests call both with the same arguments and compare what they",
        "return or raise. `import irrun as ov` offers the names of the main module too, such as `ov.opset13`.",
        "",
        "## Run a program that imports openvino",
        "",
        "```",
        "python -m irrun.openvino program.py arguments",
        "python -m irrun.openvino -m module arguments",
        "python -m irrun.openvino -c 'import openvino; print(openvino.Core().available_devices)'",
        "```",
        "",
        "`python -m irrun.openvino` takes the arguments of `python`, and runs the program, and the Python processes",
        "that it starts, with irrun in place of OpenVINO. In a notebook, call `stand_in` before the first",
        "`import openvino`:",
        "",
        "```python",
        "import irrun.openvino",
        "",
        "irrun.openvino.stand_in()",
        "import openvino as ov  # irrun.openvino",
        "from openvino.preprocess import PrePostProcessor  # irrun.openvino.preprocess",
        "```",
        "",
        "`openvino.Model` and `irrun.openvino.Model` are then one class. A module that irrun does not have raises an",
        "ImportError with the reason; classes of other frameworks and devices can be imported, and say why they cannot",
        "be used. `convert_model` reads an IR. `openvino.__version__` and `get_version()` are the release of OpenVINO",
        "whose API this is, such as `2026.4.1-0-irrun-0.1.0`; `irrun.__version__` is that of irrun. An installed",
        "OpenVINO is not changed; its `openvino.tools`, which has benchmark_app, and",
        "`openvino.preprocess.torchvision` use irrun, too.",
        "`openvino.runtime`, the name that the main module had until release 2025, is the same module as `openvino`.",
        "",
        "## Give a model other shapes",
        "",
        "`Model.reshape` and `set_batch` relax sizes that an exporter wrote down, under OpenVINO's conditions, also in",
        "bodies. Each change computes the same for the shapes that the model has:",
        "",
        "| layers | changed to | conditions |",
        "|---|---|---|",
        "| Reshape to one axis | `[-1]` | the pattern is a constant |",
        "| Reshape to two axes, then MatMul | `[-1,K]` or `[K,-1]` | the pattern is a constant, the size `K` of the "
        "other factor is static, and that is no Reshape, and no Transpose except of the last two axes |",
        "| Reshape to `[-1,K]`, MatMul, Reshape to `[1,S,O]` | `[0,0,K]` and `[0,S,O]` | weights and patterns are "
        "constants, a bias adds to the last axis only, and the axes between are those of the input |",
        "| LSTMCell with constant states `[1,H]` | states `[N,H]` | the cell may be in a TensorIterator; LSTMSequence "
        "is refused, as in OpenVINO |",
        "",
        "OpenVINO also replaces a StridedSlice beside a Squeeze by one that takes the first sample of a larger batch;",
        "irrun does not, since the others would be lost. A shape that does not fit is a RuntimeError, and the model",
        "stays as it was.",
        "",
        "## Classes",
        "",
        "| class | names | missing |",
        "|---|---|---|",
        *(_row(name, names[name], missing[name]) for name in CLASSES),
        "",
        "## Modules",
        "",
        "| module | names | missing |",
        "|---|---|---|",
        *(_row(f"openvino.{name}".rstrip("."), names[key], missing[key]) for name, key in _modules()),
        "",
        "Of the missing names:",
        "",
        *_reasons({name for names in missing.values() for name in names}),
        "",
        "## Builders",
        "",
        "| opset | builders | missing |",
        "|---|---|---|",
        *(_row(f"opset{number}", names[f"opset{number}"], missing[f"opset{number}"]) for number in OPSETS),
        "",
        "## Settings",
        "",
        "`compile_model` and `set_property` refuse a setting that does not exist. These have an effect:",
        "",
        ", ".join(f"`{name}`" for name in known_settings() if name not in ACCEPTED) + ".",
        "",
        "These are accepted, but have little or no effect here:",
        "",
        ", ".join(f"`{name}`" for name in sorted(ACCEPTED)) + ".",
        "",
        "## Differences",
        "",
        "| call | difference |",
        "|---|---|",
        *(f"| {call} | {reason} |" for call, reason in DEPARTURES.items()),
        "",
        *openvino_tests.section(),
        "",
        *openvino_programs.section(),
        "",
        "## In addition to OpenVINO's names",
        "",
        "* `Model.diagnostics` are the findings of reading and inference, `Model.graph` is the networkx graph, and",
        "  `Model.facts` is what inference knows.",
        "* `CompiledModel.plan` is the plan.",
        "* `InferRequest.observers` see every step of an inference.",
        "* `read_model(…, extensions=[…])` and `Core.add_extension` take operations in Python",
        "  ([extensions](extending.md)).",
        "* `IRError`, `InputError` and `InternalError` are RuntimeErrors; an `IRError` has `diagnostics`.",
        "* `lint` checks a file.",
    ]
    return "\n".join(lines) + "\n"


def _modules() -> Iterator[tuple[str, str]]:
    for name in MODULES:
        yield name, f"module {name}".strip()


def _has(holder: str, name: str) -> bool:
    try:
        module = holder.removeprefix("module").strip()
        found = _resolve(irrun.openvino, module) if module else irrun.openvino
        found = next(iter(found)) if isinstance(found, type) and issubclass(found, Enum) else found
        return hasattr(found, name) or name in getattr(found, "__annotations__", {})
    except AttributeError:
        return False


def _reasons(missing: Iterable[str]) -> Iterator[str]:
    """Yield a line for each reason, with the names that are missing for it."""
    by_reason: dict[str, list[str]] = {}
    for name in sorted(missing):
        by_reason.setdefault(ABSENT.get(name, "not built"), []).append(f"`{name}`")
    for reason, names in by_reason.items():
        yield f"* {', '.join(names)}: {reason}"


def _row(title: str, names: Sequence[str], missing: Sequence[str]) -> str:
    return f"| `{title}` | {len(names)} | {', '.join(f'`{name}`' for name in missing)} |"

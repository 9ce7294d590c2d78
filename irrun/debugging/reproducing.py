"""A folder that reproduces a fault: minimal models, inputs, both answers, and a page for a report."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from irrun.debugging.answers import names_of
from irrun.debugging.blames import Blame
from irrun.debugging.cases import layers_of
from irrun.debugging.cutting import save
from irrun.debugging.faults import DebugError
from irrun.debugging.layers import Tolerance
from irrun.debugging.metrics import Errors
from irrun.debugging.reducing import write
from irrun.diagnostics.version import __version__
from irrun.document.replacing import replacing
from irrun.evaluation.files.saving import save_arrays
from irrun.graph import Graph
from irrun.model import Loaded
from irrun.tensor import Array

PAGE: Final = "README.md"
SILENT: Final = "no part of the model reproduces the difference by itself"
_FEW: Final = 8


def write_folder(found: Blame, folder: Path) -> list[Path]:
    """Write ``model.xml``, its inputs as ``model.npz``, ``other.xml``, both answers and ``README.md``; return paths.

    DebugError where the case does not show the fault: nothing is written then.
    """
    if not found.reproduces:
        raise DebugError(f"{folder} is not written: {SILENT}")
    folder.mkdir(parents=True, exist_ok=True)
    paths = write(found.case, folder / "model.xml")
    if len(found.case.models) > 1:
        save(found.case.models[1], folder / "other.xml")
        paths.append(folder / "other.xml")
    names = [port.any_name for port in found.case.model.outputs]
    for side, arrays in (("first", found.answers.ours), ("second", found.answers.theirs)):
        path = folder / f"{side}_answer.npz"
        save_arrays(path, names_of(arrays, names))
        paths.append(path)
    page = folder / PAGE
    with replacing(page) as file:
        file.write(text(found).encode(errors="backslashreplace"))
    return [*paths, page]


def text(found: Blame) -> str:
    """Format what was found as a page of Markdown."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Blame) -> Iterator[str]:
    first, second = found.sides
    yield f"# {found.type} `{found.layer}`: {first} and {second} differ"
    yield ""
    yield _summary(found)
    yield ""
    yield "## Reproduce"
    yield ""
    yield "```"
    yield from _commands(found)
    yield "```"
    yield ""
    yield "## Layers"
    for name, model in zip((first, second), found.case.models, strict=False):
        yield ""
        if len(found.case.models) > 1:
            yield f"In {name}:"
            yield ""
        yield from _layers(model)
    if found.constants:
        yield ""
        yield "Constants that differ: " + ", ".join(f"`{name}`" for name in found.constants)
    yield ""
    yield "## Inputs"
    yield ""
    ports = found.case.model.inputs
    yield from _arrays([port.any_name for port in ports], found.case.inputs or ())
    yield ""
    yield "## Answers"
    yield ""
    names = [port.any_name for port in found.case.model.outputs]
    for side, arrays in ((first, found.answers.ours), (second, found.answers.theirs)):
        yield f"{side}:"
        yield ""
        yield from _arrays(names, arrays)
        yield ""
    yield "## Versions"
    yield ""
    yield from _versions()


def _summary(found: Blame) -> str:
    index, errors = found.answers.worst
    names = [port.any_name for port in found.case.model.outputs]
    name = names[index] if index < len(names) else str(index)
    if errors is None:
        return f"The shapes of output `{name}` differ for the same inputs."
    return f"For the same inputs, output `{name}` differs by {_numbers(errors)}."


def _numbers(errors: Errors) -> str:
    ulp = "" if errors.ulp is None else f", {errors.ulp:.3g} ulp"
    return f"at most {errors.max:.6g} (relative to the largest magnitude {errors.relative:.3g}{ulp})"


def _commands(found: Blame) -> Iterator[str]:
    given, limits = "-i model.npz", ""
    if found.tolerance != Tolerance():
        limits = f" --rtol {found.tolerance.rtol:g} --atol {found.tolerance.atol:g}"
    if found.kind == "precision":
        yield f"irrun debug precision model.xml --precision {found.sides[1]} {given}"
    elif len(found.case.models) > 1:
        yield f"irrun compare model.xml other.xml {given}{limits}"
    elif found.sides[1] == "OpenVINO":
        yield f"irrun compare model.xml --openvino {given}{limits}"
    else:
        yield f"irrun run model.xml {given} -o optimised.npz"
        yield f"irrun compare model.xml optimised.npz {given}{limits} --as-written"


def _layers(model: Loaded) -> Iterator[str]:
    graph: Graph = model.graph
    if not layers_of(model):
        yield "No layer: the outputs are the inputs."
        return
    yield "| layer | type | attributes | inputs | outputs |"
    yield "|---|---|---|---|---|"
    for id in layers_of(model):
        node = graph.node(id)
        data = ", ".join(f"{key}={value}" for key, value in (node.layer.data if node.layer else {}).items())
        sources = ", ".join(str(fact) for fact in model.facts.inputs(id) if fact is not None)
        outputs = ", ".join(str(model.facts[outlet]) for outlet in model.facts.outlets(id))
        yield f"| `{node.name}` | {node.type} {node.version} | {data} | {sources} | {outputs} |"


def _arrays(names: Sequence[str], arrays: Sequence[Array]) -> Iterator[str]:
    yield "| name | type | min | max | first elements |"
    yield "|---|---|---|---|---|"
    for index, array in enumerate(arrays):
        name = names[index] if index < len(names) else str(index)
        low, high = _bounds(array)
        some = ", ".join(f"{value:.6g}" if array.dtype.kind == "f" else str(value) for value in array.flat[:_FEW])
        yield f"| `{name}` | {array.dtype}{list(array.shape)} | {low} | {high} | {some} |"


def _bounds(array: Array) -> tuple[Any, Any]:
    if array.dtype.kind not in "fiu" or not array.size:
        return "", ""
    return f"{array.min():.6g}", f"{array.max():.6g}"


def _versions() -> Iterator[str]:
    yield f"* irrun {__version__}"
    yield f"* NumPy {np.__version__}, Python {platform.python_version()}"
    yield f"* {platform.system()} {platform.release()}, {platform.machine()}"
    for name in ("openvino", "onnxruntime"):
        try:
            yield f"* {name} {importlib.metadata.version(name)}"
        except importlib.metadata.PackageNotFoundError:
            continue

"""Seven targets that take arbitrary bytes and raise only for a fault of irrun.

The bytes are an ``.xml`` file, and after the first NUL byte its ``.bin`` file.
"""

from __future__ import annotations

import io
import math
import random
import tempfile
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

import irrun.model
from irrun.diagnostics import Diagnostic, IRError, Severity, formats
from irrun.diagnostics.requests import RequestError
from irrun.diagnostics.results import Results
from irrun.document.reader import document
from irrun.evaluation.files.arrays import read_array
from irrun.linter.apply import apply_fixes
from irrun.linter.catalogue import catalogue
from irrun.linter.check import Report
from irrun.model import InputError, Loaded
from irrun.model.port import Port
from irrun.model.random_inputs import random_input
from irrun.tensor import Array, Shape

Target = Callable[[bytes], None]

CONFIG: Final = {"MAX_MEMORY": "64MiB", "MAX_ITERATIONS": 200, "TIMEOUT": 5}
FORMATS: Final = ("full", "concise", "json", "sarif", "junit")
MOST_ELEMENTS: Final = 1 << 16
CONFIGS: Final = tuple(
    {**CONFIG, "OPTIMIZE": optimize, "TIER": tier, "TIMEOUT": 5 if tier == "numpy" else None}
    for tier in ("numpy", "compiled")
    for optimize in (False, True)
)
COMPILED_SHARE: Final = 0.02
"""The share of inputs that run on compiled kernels too, which takes seconds."""

SIZES: Final = (0, 1, 1, 2, 2, 3, 4, 5, 7, 8)
LARGEST_SIZE: Final = 64


def reader(data: bytes) -> None:
    """Read the document and locate every finding; reading the same bytes again finds the same."""
    found = _read(data)
    assert found == _read(data)


def _read(data: bytes) -> list[tuple[str, str, int, int]]:
    xml, weights = parts(data)
    try:
        read = document(xml, None, weights)
    except IRError as error:
        return [(item.code, item.message, 0, 0) for item in error.diagnostics]
    places = [read.source_map.locate(item.anchor) for item in read.diagnostics]
    return [
        (item.code, item.message, place.row, place.column) for item, place in zip(read.diagnostics, places, strict=True)
    ]


def weights(data: bytes) -> None:
    """Read every constant, and the weights as an array file."""
    model = _model(data)
    if model is not None:
        for fact in model.facts.of.values():
            if fact.constant is not None:
                assert fact.admits(fact.constant)
    for content in (parts(data)[1], data):
        with suppress(RequestError, ValueError):
            array = read_array(io.BytesIO(content), len(content), "the file")
            assert array.nbytes <= len(content)


def lint(data: bytes) -> None:
    """Check the file and print the findings in every kind of format."""
    report = _report(data)
    findings = report.findings()
    rules = catalogue(sorted({finding.diagnostic.code for finding in findings}))
    results = Results(findings, ["model.xml"], report.ports, rules, Path.cwd(), irrun.__version__, False, None)
    for name in FORMATS:
        formats.render(name, results).encode("utf-8", errors="backslashreplace")


def fix(data: bytes) -> None:
    """Apply fixes; a fixed file has nothing more to fix."""
    xml, binary = parts(data)

    def found(text: bytes) -> Sequence[Diagnostic]:
        return list(_report(text + b"\0" + binary))

    for unsafe in (False, True):
        outcome = apply_fixes(xml, found, unsafe=unsafe)
        again = apply_fixes(outcome.data, found, unsafe=unsafe)
        assert again.applied == ()


def infer(data: bytes) -> None:
    """Infer all shapes as written, and for small inputs."""
    model = _model(data)
    if model is None:
        return
    for size in (1, 2, -1):
        shapes = {
            port.any_name: [size] * (port.partial_shape.rank if port.partial_shape.rank is not None else 2)
            for port in model.inputs
        }
        with suppress(IRError, InputError):
            model = model.reshaped(shapes)
    assert all(str(port.partial_shape) for port in model.outputs)


def run(data: bytes) -> None:
    """Run the model as written and optimised: both refuse it, or the outputs have the same types and shapes."""
    made = [_outputs(data, optimize=optimize) for optimize in (False, True)]
    if made[0] is not None and made[1] is not None:
        for plain, fast in zip(*made, strict=True):
            assert (plain.dtype, plain.shape) == (fast.dtype, fast.shape)


def _outputs(data: bytes, *, optimize: bool) -> Sequence[Array] | None:
    model = _model(data)
    if model is None:
        return None
    try:
        compiled = irrun.model.build(model, {**CONFIG, "OPTIMIZE": optimize, "TIER": "numpy"})
        if sum(_least_elements(port.partial_shape) for port in compiled.inputs) > MOST_ELEMENTS:
            return None
        inputs = [random_input(port) for port in compiled.inputs]
        request = compiled.session()
        request.run(inputs)
        outputs = request.run(inputs)
    except (IRError, InputError):
        return None
    for port, array in outputs.to_dict().items():
        assert port.partial_shape.admits(array.shape), f"{array.shape} is not in {port.partial_shape}"
    return outputs.to_tuple()


def shapes(data: bytes) -> None:
    """Offer shapes that probably do not fit to a model made dynamic, on both tiers, as written and optimised.

    A plan refuses what inference refuses, and its outputs have the inferred shapes, for shapes that arrive first, after
    others, and again. Inference also refuses layers that no run computes, so a model that has any is not judged.
    """
    model, chosen = _model(data), random.Random(zlib.crc32(data))
    if model is None or not (model.inputs and model.outputs) or _has_errors(model) or _has_unused_layers(model):
        return
    offers = [[_offer(port, chosen) for port in model.inputs] for _ in range(2)]
    expected = [_inferred(data, offer) for offer in offers]
    with suppress(IRError, InputError):
        model = model.reshaped({port: _opened(port.partial_shape, chosen) for port in model.inputs})
    for settings in CONFIGS if chosen.random() < COMPILED_SHARE else CONFIGS[:2]:
        try:
            request = irrun.model.build(model, settings).session()
        except IRError:
            continue
        for index in (0, 1, 0):
            inputs = [random_input(port) for port in offers[index]]
            try:
                outputs = request.run(inputs).to_tuple()
            except (IRError, InputError):
                continue
            inferred = expected[index]
            assert inferred is not None, f"inference refuses {offers[index]}, but they run"
            for shape, array in zip(inferred, outputs, strict=True):
                assert _has(array, shape), f"{array.shape} is not in {shape}"


def _least_elements(shape: Shape) -> int:
    return math.prod(max(dim.lo, 1) for dim in shape.dims or ())


def _has_errors(model: Loaded) -> bool:
    return any(item.severity is Severity.ERROR for item in model.diagnostics)


def _has_unused_layers(model: Loaded) -> bool:
    graph = model.bound.graph
    return len(graph) > len(graph.dependencies())


def _offer(port: Port, chosen: random.Random) -> Port:
    """Return a port with sizes that are those of the port, or others."""
    rank = port.partial_shape.rank
    sizes = [chosen.choice(SIZES) for _ in range(chosen.randint(0, 5) if rank is None else rank)]
    for axis, dim in enumerate(port.partial_shape.dims or ()):
        if dim.is_static and dim.lo <= LARGEST_SIZE and chosen.random() < 0.5:
            sizes[axis] = dim.lo
    return Port(port.index, port.node_name, port.names, port.element_type, Shape(sizes))


def _has(array: Array, shape: Shape) -> bool:
    """Return whether a result has an inferred shape; a loop without iterations makes unknown sizes 0."""
    return shape.admits(array.shape) or (array.size == 0 and shape.rank == array.ndim and shape.size.lo == 0)


def _opened(shape: Shape, chosen: random.Random) -> Shape:
    """Return a shape with unknown sizes, or of dynamic rank."""
    return Shape.unknown(None if chosen.random() < 0.1 else shape.rank)


def _inferred(data: bytes, offer: Sequence[Port]) -> list[Shape] | None:
    """Return the shapes of the outputs for the shapes of an offer; None where these are refused."""
    model = irrun.model.load(*parts(data))
    try:
        model = model.reshaped({port: port.partial_shape for port in offer})
        irrun.model.build(model, CONFIGS[0])
    except IRError:
        return None
    return [port.partial_shape for port in model.outputs]


def parts(data: bytes) -> tuple[bytes, bytes]:
    """Return the ``.xml`` and the ``.bin``."""
    xml, _, binary = data.partition(b"\0")
    return xml, binary


def packed(path: Path) -> bytes:
    """Return a file and its weights as one input."""
    weights = path.with_suffix(".bin")
    return path.read_bytes() + b"\0" + (weights.read_bytes() if weights.exists() else b"")


def _model(data: bytes) -> Loaded | None:
    try:
        with np.errstate(all="raise"):
            return irrun.model.load(*parts(data))
    except IRError:
        return None


def _report(data: bytes) -> Report:
    xml, binary = parts(data)
    path = _folder() / "model.bin"
    path.write_bytes(binary)
    return irrun.lint(path.with_suffix(".xml"), path, data=xml, target_precision="f16")


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="irrun-fuzz-"))


TARGETS: Final[dict[str, Target]] = {
    "reader": reader,
    "weights": weights,
    "lint": lint,
    "fix": fix,
    "infer": infer,
    "run": run,
    "shapes": shapes,
}

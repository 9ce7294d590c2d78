"""Types, names and means of inputs and outputs, and refused files, compared with OpenVINO."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import irrun.model
from irrun.diagnostics import Severity
from irrun.document.writer import Handle, Writer
from irrun.linter import lint
from irrun.tensor import ElementType, Fact, Shape
from irrun.tensor.element_type import BF16, BOOLEAN, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64
from tests.engines import need

WORKER = Path(__file__).with_name("interface_worker.py")
VERSIONS = ("10", "11")


class Case(NamedTuple):
    """A file, and values for its first input if it is to be run."""

    name: str
    xml: str
    bin: bytes = b""
    values: list[float] | None = None


def parameter(ir: Writer, name: str, names: str = "", type: ElementType = F32, shape: tuple[int, ...] = (3,)) -> Handle:
    data = {"shape": ",".join(map(str, shape)), "element_type": type.name}
    return ir.layer("Parameter", "opset1", [], [Fact(type, Shape(shape))], data, name=name, names=[names])[0]


def relu(ir: Writer, source: Handle, name: str, names: str = "") -> Handle:
    return ir.layer("ReLU", "opset1", [source], [source.fact], name=name, names=[names])[0]


def typed(version: str, type: ElementType, values: list[float]) -> Case:
    ir = Writer("typed", version)
    x = parameter(ir, "x", "image", type)
    pattern = ir.constant(np.array([len(values)]), I64, name="pattern")
    data = {"special_zero": "false"}
    ir.result(ir.layer("Reshape", "opset1", [x, pattern], [x.fact], data, name="y", names=["flat"])[0], "r")
    is_run = version == "10" and type is not BF16  # NumPy has no bf16 to hand to OpenVINO
    return Case(f"{type} in version {version}", ir.text, ir.weights, values if is_run else None)


def chain(version: str, layers: tuple[str, str, str], names: tuple[str, str] = ("", ""), output: str = "") -> Case:
    """Return a chain of a Parameter, a ReLU and a Result, with tensor names for the first two and output names."""
    ir = Writer("chain", version)
    ir.result(relu(ir, parameter(ir, layers[0], names[0]), layers[1], names[1]), layers[2])
    text = ir.text.replace('type="Result"', f'type="Result" output_names="{output}"') if output else ir.text
    return Case(f"{layers} {names} {output} in version {version}", text)


def wide(version: str, inputs: tuple[tuple[str, str], ...], outputs: tuple[tuple[str, str], ...]) -> Case:
    """Return a case whose output n depends on input n, or else on the last; as pairs of layer name and tensor names."""
    ir = Writer("wide", version)
    handles = [parameter(ir, name, names) for name, names in inputs]
    for index, (name, names) in enumerate(outputs):
        ir.result(relu(ir, handles[min(index, len(handles) - 1)], name, names), f"r{index}")
    return Case(f"{inputs} {outputs} in version {version}", ir.text)


def split(version: str, names: tuple[str, str], ports: tuple[int, int] = (0, 1)) -> Case:
    ir = Writer("split", version)
    x, axis = parameter(ir, "x", shape=(4,)), ir.constant(np.array(0), I64)
    half = Fact(F32, Shape([2]))
    parts = ir.layer("Split", "opset1", [x, axis], [half, half], {"num_splits": "2"}, name="halves", names=names)
    for index, port in enumerate(ports):
        ir.result(parts[port], f"r{index}")
    return Case(f"split {names} {ports} in version {version}", ir.text, ir.weights)


def direct(version: str, names: str) -> Case:
    ir = Writer("direct", version)
    x = parameter(ir, "x", names)
    ir.result(x, "r")
    ir.result(relu(ir, x, "y"), "s")
    return Case(f"a Parameter {names!r} that feeds a Result in version {version}", ir.text)


def mean(shape: tuple[int, ...], pre_process: str, bin: bytes = b"", version: str = "10") -> Case:
    ir = Writer("mean", version)
    ir.result(relu(ir, parameter(ir, "x", shape=shape), "y"), "r")
    values = [2.0 + index for index in range(int(np.prod(shape)))]
    text = ir.text.replace("</edges>", f"</edges>{pre_process}")
    return Case(f"{pre_process} of {shape} in version {version}", text, bin, values)


def numbers(*values: float, reference: str = ' reference-layer-name="x"') -> str:
    channels = "".join(f'<channel id="{index}"><mean value="{value}"/></channel>' for index, value in enumerate(values))
    return f"<pre-process{reference}>{channels}</pre-process>"


def images(size: int, *offsets: int) -> str:
    channels = [f'<channel><mean offset="{offset}" size="{size}"/></channel>' for offset in offsets]
    return f"<pre-process>{''.join(channels)}</pre-process>"


TYPES: list[tuple[ElementType, list[float]]] = [
    (F32, [1.5, -2, 0]),
    (F16, [1.5, -2, 0]),
    (BF16, [1.5, -2, 0]),
    (F64, [1.5, -2, 1 / 3]),
    (I64, [5, -6, 2**40 + 7]),
    (I32, [5, -6, 2**31 - 1]),
    (I16, [5, -6, 2**15 - 1]),
    (I8, [5, -6, 127]),
    (U64, [5, 6, 2**40 + 7]),
    (U32, [5, 6, 2**32 - 1]),
    (U16, [5, 6, 2**16 - 1]),
    (U8, [5, 6, 255]),
    (BOOLEAN, [0, 1, 1]),
]
IMAGE = np.arange(8, dtype=np.float32).tobytes()
CASES = [
    *(typed(version, type, values) for version in VERSIONS for type, values in TYPES),
    *(
        case
        for version in VERSIONS
        for case in (
            chain(version, ("x", "y", "r")),
            chain(version, ("a", "a", "a")),
            chain(version, ("a", "b", "a")),
            chain(version, ("a", "b", "b")),
            chain(version, ("x", "y", "r"), ("tx", "ty,tz")),
            chain(version, ("x", "y", "r"), ("x", "y")),
            chain(version, ("x", "y", "r"), ("y", "q")),
            chain(version, ("x", "y", "r"), ("q", "x")),
            chain(version, ("x", "y", "r"), ("q", "q")),
            chain(version, ("x", "y", "r"), output="z"),
            wide(version, (("a", ""), ("a", "")), (("s", ""),)),
            wide(version, (("a", "n"), ("b", "n")), (("s", ""),)),
            wide(version, (("a", "b"), ("b", "n")), (("s", ""),)),
            wide(version, (("a", "n"), ("b", "n"), ("c", "n_1")), (("s", "n"), ("t", ""), ("u", "n,m"))),
            wide(version, (("a", ""),), (("y", ""), ("y", ""))),
            wide(version, (("a", ""),), (("y", "n"), ("z", "n"))),
            wide(version, (("a", ""),), (("y", "z"), ("z", "n"))),
            split(version, ("", "")),
            split(version, ("u", "w")),
            split(version, ("u", "u")),
            split(version, ("", ""), (0, 0)),
            split(version, ("u", ""), (0, 0)),
            direct(version, ""),
            direct(version, "u"),
            mean((1, 3), numbers(0.5, 0.25, 0.125), version=version),
        )
    ),
    mean((3, 1, 1), numbers(0.5, 0.25, 0.125)),
    mean((1, 3, 1, 1), numbers(0.5, 0.25, 0.125, reference=' reference-layer-name=" x "')),
    mean((1, 3, 1, 1, 1), numbers(0.5, 0.25, 0.125, reference="")),
    mean((3,), numbers(0.5, 0.25, 0.125)),
    mean((1, 3, 1, 1, 1, 1), numbers(0.5, 0.25, 0.125)),
    mean((1, 3), numbers(0.5, 0.25)),
    mean((1, 3), numbers(0.5, 0.25, 0.125, 1)),
    mean((1, 3), numbers(0.5, 0.25, 0.125, reference=' reference-layer-name="q"')),
    mean((1, 3), '<pre-process reference-layer-name="x"/>'),
    mean((1, 3), '<pre-process reference-layer-name="x"><channel id="0"/></pre-process>'),
    mean((1, 1), '<pre-process><channel id="0"><mean/></channel></pre-process>'),
    mean((1, 1), '<pre-process><channel><mean value=".5"/><scale value="2"/></channel></pre-process>'),
    mean((1, 2, 2, 2), images(16, 0, 16), IMAGE),
    mean((2, 2, 2), images(16, 16, 0), IMAGE),
    mean((1, 2, 2, 2), images(8, 0, 16), IMAGE),
    mean((1, 2, 2, 2), images(16, 0, 20), IMAGE),
]


@pytest.fixture(scope="module")
def answers() -> dict[str, dict[str, Any]]:
    """OpenVINO's answer to each case, by name."""
    need("openvino")
    jobs = [{"xml": case.xml, "bin": (case.bin or b"\0").hex(), "values": case.values} for case in CASES]
    done = subprocess.run(
        [sys.executable, str(WORKER)], input=json.dumps(jobs), capture_output=True, text=True, timeout=300, check=True
    )
    return dict(zip([case.name for case in CASES], json.loads(done.stdout), strict=True))


def test_agrees_with_openvino(answers: dict[str, dict[str, Any]], tmp_path: Path, subtests: pytest.Subtests) -> None:
    for case in CASES:
        with subtests.test(case=case.name):
            agrees(case, answers[case.name], tmp_path / "model.xml")


def agrees(case: Case, answer: dict[str, Any], path: Path) -> None:
    path.write_text(case.xml, encoding="utf-8")
    path.with_suffix(".bin").write_bytes(case.bin)
    found = [item for item in lint(path) if item.severity is Severity.ERROR]
    assert bool(found) == ("refused" in answer), (found, answer)
    if found:
        assert len(found) == 1
        return
    model = irrun.model.load(path)
    for kind, ports in (("inputs", model.inputs), ("outputs", model.outputs)):
        assert [[str(port.element_type), sorted(port.names)] for port in ports] == answer[kind]
    if case.values is not None:
        port = model.inputs[0]
        given = np.array(case.values).astype(port.element_type.external).reshape(port.shape)
        np.testing.assert_array_equal(irrun.model.build(model)([given])[0].reshape(-1), answer["values"])


def test_cases_have_names_of_their_own() -> None:
    assert len({case.name for case in CASES}) == len(CASES)

"""The models of ONNX's own backend suite, as OpenVINO converts them, and the verdict on each."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import irrun.model
from irrun.tensor import ElementType
from tests.lab import oracle
from tests.lab.oracle import Answer

WORKER = Path(__file__).with_name("worker.py")
KINDS = ("node", "simple", "pytorch-converted", "pytorch-operator", "real")
RANDOM, DRAWN = {"RandomUniform", "Multinomial"}, "the numbers are drawn at random"
BF16_RTOL = 2**-6
"""Two units in the last place of bf16, which ONNX's own runner allows."""


@dataclass(frozen=True)
class Verdict:
    """The verdict on one case, ``KIND/NAME``.

    ``refused`` is the reason for having no IR. ``optimized``, ``as_written`` and ``openvino`` name the first difference
    from the outputs that ONNX publishes, for irrun with and without optimisation and for the CPU plugin; "" without
    one. ``alike`` is True if the outputs of irrun and of the plugin are equal. Random numbers are not compared.
    """

    name: str
    refused: str = ""
    optimized: str = ""
    as_written: str = ""
    openvino: str = ""
    alike: bool = False
    findings: Sequence[str] = ()

    @property
    def kind(self) -> str:
        return self.name.partition("/")[0]

    @property
    def irrun(self) -> str:
        return self.optimized or self.as_written


def convert(root: Path, *, every: int = 1) -> list[Path]:
    """Convert every n-th case, have the plugin run them, and return their folders in order.

    Existing folders are kept.
    """
    subprocess.run([sys.executable, str(WORKER), str(root), str(every)], check=True)
    oracle.ask(path.parent for path in sorted(root.glob("*/*/model.xml")))
    return sorted(path.parent for path in root.glob("*/*/case.json"))


def judge(folder: Path) -> Verdict:
    """Run one case in irrun, lint it, and compare the outputs."""
    name = f"{folder.parent.name}/{folder.name}"
    case = json.loads((folder / "case.json").read_text(encoding="utf-8"))
    if case["refused"]:
        return Verdict(name, case["refused"])
    path, native = folder / "model.xml", oracle.answer(folder)
    findings = [f"{item.message} [{item.code}]" for item in irrun.lint(path)]
    if any(layer.get("type") in RANDOM for layer in ET.parse(path).iter("layer")):
        return Verdict(name, optimized=DRAWN, as_written=DRAWN, openvino=DRAWN, findings=findings)
    expected = Answer(oracle.load(folder / "expected.npz"), case["types"])
    optimized, as_written = computed(path, True), computed(path, False)
    rtol, atol = case["rtol"], case["atol"]
    return Verdict(
        name,
        optimized=difference(optimized, expected, rtol, atol),
        as_written=difference(as_written, expected, rtol, atol),
        openvino=difference(native, expected, rtol, atol),
        alike=not difference(optimized, native, rtol, rtol),
        findings=findings,
    )


def computed(path: Path, optimize: bool) -> Answer:
    """Return the outputs of irrun for the inputs beside a model."""
    try:
        compiled = irrun.model.build(path, {"OPTIMIZE": optimize})
        outputs = compiled(oracle.load(path.with_name("inputs.npz"))).to_tuple()
    except (irrun.IRError, irrun.InputError) as error:
        return Answer(refused=str(error))
    types = [port.element_type for port in compiled.outputs]
    carried = [array.astype(type.dtype) for array, type in zip(outputs, types, strict=True)]
    return Answer(carried, [type.name for type in types])


def difference(got: Answer, want: Answer, rtol: float, atol: float) -> str:
    """Return the first difference between outputs by the rules of ONNX's own runner; "" without one."""
    if got.refused or want.refused:
        return got.refused or want.refused
    if len(got.outputs) != len(want.outputs):
        return f"{len(got.outputs)} outputs, expected {len(want.outputs)}"
    for index, (array, other) in enumerate(zip(got.outputs, want.outputs, strict=True)):
        type, kind = got.types[index], want.types[index]
        if array.shape != other.shape:
            return f"output {index} has the shape {list(array.shape)}, expected {list(other.shape)}"
        if type != kind:
            return f"output {index} is {type}, expected {kind}"
        if ElementType.named(type).is_float:
            close = np.isclose(array, other, max(rtol, BF16_RTOL) if type == "bf16" else rtol, atol, equal_nan=True)
        else:
            close = array == other
        if not close.all():
            at = tuple(np.argwhere(~close)[0].tolist())
            return f"output {index} has {array[at]} at {list(at)}, expected {other[at]}"
    return ""

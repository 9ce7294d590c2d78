"""The page ``docs/read-model.md``: the answers of OpenVINO's read_model and of irrun to faults in a small IR."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from irrun.document.writer import Writer
from irrun.linter import lint
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32, I64

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "read-model.md"
GUIDE = ROOT / "docs" / "linting.md"
BEGIN, END = "<!-- read_model: begin -->", "<!-- read_model: end -->"
HEAD = "| fault | read_model | irrun lint |"
READER = """
import sys
import openvino
model = openvino.Core().read_model(sys.argv[1])
print(" ".join(str(output.partial_shape) for output in model.outputs) or "nothing")
"""
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22e\nsize 448\n"
MOST_FINDINGS = 3
WIDEST = 120

Change = Callable[[str, bytes], tuple[str, bytes]]


class Fault(NamedTuple):
    """A fault: its name, the change that plants it, and True in ``shown`` if the guide to linting shows it."""

    name: str
    change: Change
    shown: bool = False


def net() -> tuple[str, bytes]:
    """Return a model of a Convolution, a ReLU and a Reshape: 1x3x8x8 to 1x64."""
    ir = Writer("net")
    x = ir.parameter("image", F32, Shape([1, 3, 8, 8]))
    pattern = ir.constant(np.array([0, -1]), I64, name="pattern")
    weights = ir.constant(np.linspace(-1, 1, 108, dtype=np.float32).reshape(4, 3, 3, 3), F32, name="weights")
    attributes = {
        "strides": "2, 2",
        "dilations": "1, 1",
        "pads_begin": "1, 1",
        "pads_end": "1, 1",
        "auto_pad": "explicit",
    }
    wide = Fact(F32, Shape([1, 4, 4, 4]))
    (y,) = ir.layer("Convolution", "opset1", [x, weights], [wide], attributes, name="conv1")
    (y,) = ir.layer("ReLU", "opset1", [y], [wide], name="relu1")
    flat = Fact(F32, Shape([1, 64]))
    (y,) = ir.layer("Reshape", "opset1", [y, pattern], [flat], {"special_zero": "true"}, name="flat")
    ir.result(y, "y")
    return ir.text, ir.weights


def text(old: str, new: str, after: str = "") -> Change:
    """Replace the first occurrence of ``old`` after the text ``after``."""

    def change(xml: str, weights: bytes) -> tuple[str, bytes]:
        at = xml.index(old, xml.index(after))
        return xml[:at] + new + xml[at + len(old) :], weights

    return change


def binary(make: Callable[[bytes], bytes]) -> Change:
    return lambda xml, weights: (xml, make(weights))


def without(*patterns: str) -> Change:
    """Delete all matches of some patterns."""

    def change(xml: str, weights: bytes) -> tuple[str, bytes]:
        for pattern in patterns:
            if re.search(pattern, xml, re.S) is None:
                raise ValueError(f"{pattern} is not in the file")
            xml = re.sub(pattern, "", xml, flags=re.S)
        return xml, weights

    return change


def misaligned(xml: str, weights: bytes) -> tuple[str, bytes]:
    """Move the f32 constant three bytes further."""
    return xml.replace('offset="16"', 'offset="19"'), weights[:16] + bytes(3) + weights[16:]


OUTPUT = '<port id="2" precision'
SHAPE = 'shape="4, 3, 3, 3"'
FAULTS = (
    Fault("a wrong `<dim>` on an output port", text("<dim>4</dim>", "<dim>5</dim>", OUTPUT), shown=True),
    Fault("a wrong `<dim>` on an input port", text("<dim>8</dim>", "<dim>9</dim>", 'name="conv1"')),
    Fault("a wrong precision", text('precision="FP32"', 'precision="FP16"', OUTPUT)),
    Fault("`strides` deleted", text('strides="2, 2" ', ""), shown=True),
    Fault("`strides` misspelt", text("strides", "stridez"), shown=True),
    Fault("`pads_begin` deleted", text('pads_begin="1, 1" ', "")),
    Fault("an unknown attribute", text('auto_pad="explicit"', 'auto_pad="explicit" groups="2"'), shown=True),
    Fault("an unknown element", text("<output>", "<shapes /><output>", 'name="conv1"')),
    Fault("an extra attribute on `<net>`", text('version="11"', 'version="11" batch="1"')),
    Fault("an output with the tensor name of an input", text('id="2" ', 'id="2" names="image" ', 'name="flat"')),
    Fault("no layers", without(r"(?<=<layers>).*(?=</layers>)", r"(?<=<edges>).*(?=</edges>)")),
    Fault("no Result", without(r'<layer id="6".*?</layer>', r'<edge from-layer="5"[^>]*>')),
    Fault("a dim of 10^12", text('shape="1,3,8,8"', 'shape="1,3,8,1000000000000"')),
    Fault("a shape of rank 70", text('shape="1,3,8,8"', f'shape="{",".join(["1"] * 70)}"')),
    Fault("a Const whose size overflows 64 bits", text(SHAPE, 'shape="4194304, 4194304, 4194304"')),
    Fault("an f32 Const at byte 19", misaligned),
    Fault("an edge from a layer that does not exist", text('from-layer="3"', 'from-layer="77"'), shown=True),
    Fault("two layers with the same id", text('<layer id="4"', '<layer id="3"'), shown=True),
    Fault('`<net version="12">`', text('version="11"', 'version="12"')),
    Fault("an empty file", lambda _, weights: ("", weights)),
    Fault("a truncated `.bin`", binary(lambda weights: weights[:100]), shown=True),
    Fault("an offset outside of the `.bin`", text('offset="16"', 'offset="4000"')),
    Fault("a Git LFS pointer for a `.bin`", binary(lambda _: LFS)),
    Fault("an input without an edge", without(r'<edge from-layer="2"[^>]*>')),
    Fault("a cycle", text('from-layer="0" from-port="0"', 'from-layer="4" from-port="1"')),
    Fault("a size that does not match the shape", text('size="432"', 'size="430"'), shown=True),
    Fault("two constants that overlap", text('offset="0"', 'offset="8"'), shown=True),
    Fault("a letter instead of a number", text('strides="2, 2"', 'strides="a, b"')),
    Fault("a closing tag without `<`", text("</dim>", "/dim>"), shown=True),
    Fault("tags that do not match", text("</edges>", "</edge>")),
    Fault("a port without a precision", text(' precision="FP32"', "", OUTPUT)),
    Fault("an operation in the wrong case", text('type="ReLU"', 'type="Relu"')),
)


def read_model(path: Path) -> str:
    """Return OpenVINO's answer to a file: the shapes of its outputs, or the last line of its message."""
    ran = subprocess.run([sys.executable, "-c", READER, str(path)], capture_output=True, text=True, check=False)
    if ran.returncode == 0:
        return f"accepts it; the outputs are {ran.stdout.strip()}"
    if ran.returncode < 0:
        return f"the process dies of signal {-ran.returncode}"
    lines = [line.strip() for line in ran.stderr.splitlines() if line.strip()]
    return lines[-1].replace(str(path.parent), "").removeprefix("RuntimeError: ")


def irrun(path: Path) -> list[str]:
    """Return the findings of irrun in a file, one per line."""
    return [
        f"{place.row}:{place.column} {found.severity}: {found.message} [{found.code}]"
        for found, place in ((item.diagnostic, item.place) for item in lint(path).findings())
    ]


def said(xml: str, weights: bytes, said_before: str | None = None) -> tuple[str, list[str]]:
    """Return the answers of OpenVINO and of irrun to a file. OpenVINO does not run if its answer is given."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.xml"
        path.write_text(xml, encoding="utf-8")
        path.with_suffix(".bin").write_bytes(weights)
        return read_model(path) if said_before is None else said_before, irrun(path)


def row(fault: Fault, sound: tuple[str, bytes], before: str | None = None) -> str:
    xml, weights = fault.change(*sound)
    if (xml, weights) == sound:
        raise ValueError(f"{fault.name}: nothing has changed")
    theirs, found = said(xml, weights, before)
    ours = [_cell(line) for line in found[:MOST_FINDINGS]]
    ours += [f"and {len(found) - MOST_FINDINGS} more"] if len(found) > MOST_FINDINGS else []
    return f"| {fault.name} | {_cell(theirs) if before is None else before} | {'<br>'.join(ours) or '—'} |"


def page(version: str, before: Mapping[str, str]) -> str:
    """Return the page.

    ``before`` holds the answers of OpenVINO by fault, as printed on the page; if it is empty, OpenVINO runs.
    """
    sound = net()
    if before:
        found = said(*sound, "")[1]
    else:
        theirs, found = said(*sound)
        found += [] if theirs == "accepts it; the outputs are [1,64]" else [theirs]
    if found:
        raise ValueError(f"the sound file is not: {found}")
    lines = [
        "# Responses of `read_model` and irrun to faulty files",
        "",
        "`python -m tests.lab read_model` makes this page. It plants each fault in one small IR and runs both on it:",
        f"`read_model` of OpenVINO {version}, and `irrun lint`. Without a fault the output is [1,64],",
        "and irrun has no finding.",
        "",
        HEAD,
        "|---|---|---|",
        *(row(fault, sound, before.get(fault.name) if before else None) for fault in FAULTS),
    ]
    return "\n".join(lines) + "\n"


def files() -> Iterator[tuple[Path, str]]:
    """Yield the page with the present findings of irrun, and the guide to linting with some of its rows.

    Does not need OpenVINO.
    """
    written = PAGE.read_text(encoding="utf-8")
    version = re.search(r"OpenVINO (\d[\d.]*\d)", written)
    before = {cells[1]: cells[2] for line in written.splitlines() if len(cells := _cells(line)) == 5}
    missing = [fault.name for fault in FAULTS if fault.name not in before]
    if version is None or missing:
        raise ValueError(f"{PAGE.name} has no rows for {missing}; python -m tests.lab read_model writes them")
    text = page(version[1], before)
    yield PAGE, text
    yield GUIDE, with_rows(GUIDE.read_text(encoding="utf-8"), text)


def with_rows(whole: str, text: str) -> str:
    """Return a text with some rows of the page between its marks."""
    shown = {fault.name for fault in FAULTS if fault.shown}
    rows = [line for line in text.splitlines() if len(cells := _cells(line)) == 5 and cells[1] in shown]
    head, _, rest = whole.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return "\n".join([head + BEGIN, HEAD, "|---|---|---|", *rows, END + tail])


def _cells(line: str) -> list[str]:
    """Return the cells of a row of a table, with the text before the first and after the last."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)]


def _cell(words: str) -> str:
    """Return a text as code in a cell of a table."""
    short = words if len(words) <= WIDEST else f"{words[:WIDEST]}…"
    return "`" + short.replace("|", "\\|").replace("`", "'") + "`"

"""The texts of attributes, and absent attributes, are read as OpenVINO reads them."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

import pytest

from irrun.ops import REFUSED, Legacy, OpError
from irrun.ops.attributes import AttributeOutOfRange, AttributeUnreadable, AttrSpec
from irrun.ops.declaration import ANYWHERE
from irrun.ops.registry import declarations, resolve
from irrun.tensor import ElementType, Shape
from tests.cases import Case
from tests.engines import need
from tests.nets import written
from tests.ops import harness
from tests.ops.test_faults import one_case_each

WORKER = Path(__file__).with_name("attribute_worker.py")
PORT = '<port id="{}" precision="FP32">{}</port>'

NUMBERS = (
    *("1", " 1 ", "+1", "1.0", "1.9", "-1", "", " ", "abc", "0x10", "1e1", "1f", "010", "1 2", "1,2", "--1", "- 1"),
    *("1e-3", ".5", "1.", "+.5", "0.1f", "1e", "1ex", "1.5.3", "1_0", "1e5f", "1E+0", "\t2", "inf", "-inf", "INF"),
    *("+inf", "infinity", "inff", "nan", "NaN", "-nan", "1e400", "99999999999999999999", "-9223372036854775808"),
    *("\u00a01", "1\u00a0", "\u20091", "\u0661", "1%", "1L", "1'0", "0b1", "1e-0", "(1)", "1/1", "1e39", "3.4e38"),
)
LISTS = ("1,1", " 1 , 1 ", "1,1,", "1,,1", ",1", "", " ", ",", "1, ", "1.0,1.0", "+1,1", "1;1", "1,a", "1.9,1", "inf,1")
LISTS += ("\u00a01,1", "1,\u00a01", "1\u00a0,1", "1\t,\t1", "1,\n1", "[1,1]", "1 1", "1,0x1", "1,\u0661")
WORDS = ("true", "True", "TRUE", "1", "0", "false", "yes", " true", "true ", "", "2", "t")
MODES = ("erf", "ERF", "Tanh", " tanh", "tanh ", "", "gelu")
RULES = ("none", "explicit", "Explicit", "numpy", "PDPD", " none", "bidirectional", "")
TYPES = ("f32", "F32", "FP32", "fp32", "i64", "I64", " f32", "boolean", "BOOL", "undefined", "dynamic", "nf4", "", "x")
SHAPES = ("1,2", " 1 , 2 ", "[1, 2]", "[1,2", "1,2]", "?", "-1", "1..2", "..2", "1..", "", "[]", "1,", "...", "[...]")
SHAPES += (
    "+1,2",
    "1,+2",
    "1..+2",
    "1 .. 2",
    "\u00a01,2",
    "1\u00a0,2",
    "1,2\u00a0",
    "1,\u0661",
    "1.0,2",
    "0x1,2",
    "a",
    "01,2",
)

MEANS_THE_SAME = {"clip": 0.0, "levels": 0, "spatial_bins_x": 0, "spatial_bins_y": 0}
"""Values that OpenVINO reads for absent attributes, which mean the same as ours."""

YOLO = 'axis="1" classes="3" end_axis="3" num="2" do_softmax="true" '
TEXTS: list[tuple[str, str, int, str, Sequence[str]]] = [
    ("Elu", "alpha", 1, "", NUMBERS),
    ("RegionYolo", "coords", 1, f'{YOLO} anchors="1" mask="0"', NUMBERS),
    ("RegionYolo", "mask", 1, f'{YOLO} anchors="1" coords="4"', LISTS),
    ("RegionYolo", "anchors", 1, f'{YOLO} mask="0" coords="4"', (*LISTS, *NUMBERS)),
    ("MatMul", "transpose_a", 2, "", WORDS),
    ("Gelu", "approximation_mode", 1, "", MODES),
    *((type, "auto_broadcast", inputs, "", RULES) for type, inputs in (("Add", 2), ("FakeQuantize", 5))),
    ("Convert", "destination_type", 1, "", TYPES),
    ("Parameter", "shape", 0, 'element_type="f32"', SHAPES),
    ("ReadValue", "variable_shape", 0, 'variable_id="v" variable_type="f32"', SHAPES),
]
EXACT: list[tuple[str, str, str, Sequence[str]]] = [
    ("Const", "offset", 'element_type="f32" shape="1" size="4"', ("0", " 4", "+4", "4 ", "4.0", "4f", "-4", "\u00a04")),
    ("Const", "shape", 'element_type="f32" offset="0" size="4"', ("1", "1, 1", "", "[1]", "?", "+1", "..0", "\u00a01")),
    ("Const", "element_type", 'shape="1" offset="0" size="4"', ("f32", "F32", "FP32")),
]


def net(type: str, data: str, inputs: int = 0, *, declared: bool = False) -> str:
    """Return the text of a model with a layer ``op`` of the latest version, fed by Parameters of [1,8,2,2].

    With ``declared``, its output has that shape too.
    """
    dims = "".join(f"<dim>{size}</dim>" for size in (1, 8, 2, 2))
    made = dims if declared else ""
    fed = "".join(PORT.format(index, dims) for index in range(inputs))
    layers = [
        f'<layer id="{index}" name="x{index}" type="Parameter" version="opset1">'
        f'<data shape="1,8,2,2" element_type="f32"/><output>{PORT.format(0, dims)}</output></layer>'
        for index in range(inputs)
    ]
    layers += [
        f'<layer id="{inputs}" name="op" type="{type}" version="{resolve(type).spec.version}"><data {data}/>',
        f"<input>{fed}</input>" if inputs else "",
        f"<output>{PORT.format(inputs, made)}</output></layer>",
        f'<layer id="{inputs + 1}" name="y" type="Result" version="opset1">',
        f"<input>{PORT.format(0, made)}</input></layer>",
    ]
    edges = [(index, 0, inputs, index) for index in range(inputs)] + [(inputs, inputs, inputs + 1, 0)]
    joined = "".join(f'<edge from-layer="{a}" from-port="{b}" to-layer="{c}" to-port="{d}"/>' for a, b, c, d in edges)
    return f'<net name="net" version="11"><layers>{"".join(layers)}</layers><edges>{joined}</edges></net>'


def asked(texts: Iterable[str]) -> list[dict[str, Any] | None]:
    """Return the attributes that OpenVINO reads from each IR, None where it refuses the IR."""
    need("openvino")
    command = [sys.executable, str(WORKER)]
    found = subprocess.run(command, input=json.dumps(list(texts)), capture_output=True, check=True, text=True)
    answers: list[dict[str, Any] | None] = json.loads(found.stdout)
    return answers


def same(ours: Any, theirs: Any) -> bool:
    """Return True if a value equals OpenVINO's, which may hold floats in single precision."""
    if isinstance(ours, ElementType):
        return bool(ours.name == theirs)
    if isinstance(ours, Shape):
        sizes = [] if ours.dims is None else [dim.lo if dim.is_static else -1 for dim in ours.dims]
        return sizes == theirs
    if isinstance(ours, tuple):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(ours, float):
        return math.isclose(ours, theirs, rel_tol=1e-7) or (math.isnan(ours) and math.isnan(theirs))
    return bool(ours == theirs or (isinstance(ours, str) and ours.lower() == theirs.lower()))


def test_texts_are_read_as_openvino_reads_them() -> None:
    asks = [(type, name, text, net(type, f"{data} {name}={quoteattr(text)}", inputs), False)
            for type, name, inputs, data, texts in TEXTS for text in texts]  # fmt: skip
    asks += [(type, name, text, net(type, f"{data} {name}={quoteattr(text)}"), True)
             for type, name, data, texts in EXACT for text in texts]  # fmt: skip
    wrong = []
    for (type, name, text, _, is_hidden), theirs in zip(asks, asked(item[3] for item in asks), strict=True):
        spec = attribute(type, name)
        try:
            ours = spec.read(text)
            if spec.exact:
                spec.check(ours)
            if isinstance(ours, Shape) and type == "Const" and not ours.is_static:
                ours = REFUSED
        except OpError:
            ours = REFUSED
        agrees = theirs is None if ours is REFUSED else theirs is not None and (is_hidden or same(ours, theirs[name]))
        if not agrees:
            wrong.append((type, name, text, ours, theirs))
    assert wrong == []


def attribute(type: str, name: str) -> AttrSpec:
    found = resolve(type).spec.attribute(name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("type", "name", "text", "value"),
    [
        ("Clamp", "min", "0f", 0.0),
        ("Clamp", "min", "-1E+0", -1.0),
        ("Clamp", "min", "-inf", -math.inf),
        ("Elu", "alpha", " 1.0 ", 1.0),
        ("Concat", "axis", "1.0", 1),
        ("MaxPool", "dilations", "1.0,1.0,", (1, 1)),
        ("MatMul", "transpose_a", "TRUE", True),
        ("MaxPool", "auto_pad", "SAME_UPPER", "same_upper"),
        ("Convert", "destination_type", "U8", ElementType.named("u8")),
        ("GRUCell", "activations", " sigmoid, tanh,", ("sigmoid", "tanh")),
    ],
)
def test_harmless_slack(type: str, name: str, text: str, value: object) -> None:
    assert attribute(type, name).parse(text) == value


@pytest.mark.parametrize(
    ("type", "name", "text", "read"),
    [
        ("Concat", "axis", "1,2", 1),
        ("Concat", "axis", "1.5", 1),
        ("Concat", "axis", "0x10", 0),
        ("Elu", "alpha", "1,5", 1.0),
        ("MaxPool", "kernel", "2.5, 2", (2, 2)),
        ("AvgPool", "exclude-pad", "yes", True),
        ("Select", "auto_broadcast", "Explicit", "none"),
        ("Broadcast", "mode", "none", "explicit"),
        ("Clamp", "min", "", None),
        ("ROIPooling", "method", "MAX", None),
        ("Convert", "destination_type", "FP32", None),
    ],
)
def test_what_is_not_understood(type: str, name: str, text: str, read: object) -> None:
    """The linter reports the text; execution uses the value that OpenVINO reads, unless OpenVINO refuses the text."""
    spec = attribute(type, name)
    with pytest.raises(AttributeUnreadable, match="is not"):
        spec.parse(text)
    if read is None:
        with pytest.raises(AttributeUnreadable):
            spec.read(text)
    else:
        assert spec.read(text) == read


def test_integers_that_openvino_holds_in_32_bits() -> None:
    """OpenVINO reads 4294967297 as 1: the attribute is out of range. Those of 64 bits take any integer."""
    held = {
        **dict.fromkeys(("MatrixNms", "MulticlassNms"), ("nms_top_k", "keep_top_k", "background_class")),
        **dict.fromkeys(("ROIAlign", "ROIAlignRotated"), ("pooled_h", "pooled_w", "sampling_ratio")),
        "DetectionOutput": ("background_label_id", "top_k", "keep_top_k", "num_classes"),
        "PSROIPooling": ("spatial_bins_x", "spatial_bins_y"),
    }
    found = dict.fromkeys(held, 0)
    for cls in declarations():
        for name in held.get(cls.type, ()):
            spec = cls.spec.attribute(name)
            if spec is None:
                continue
            found[cls.type] += 1
            spec.check(2**31 - 1)
            for value in (2**31, 2**32 + 1):
                with pytest.raises(AttributeOutOfRange, match=f"{name} is {value}, expected <= 2147483647"):
                    spec.check(value)
    assert found == {
        "MatrixNms": 3,
        "MulticlassNms": 6,
        "ROIAlign": 6,
        "ROIAlignRotated": 3,
        "DetectionOutput": 7,
        "PSROIPooling": 2,
    }
    attribute("ROIPooling", "pooled_h").check(2**32 + 1)
    assert attribute("DetectionOutput", "background_label_id").bounds[">="] == -(2**31)


def without(case: Case, name: str) -> str:
    """Return the IR of a case without an attribute."""
    ir, _ = harness.model(case)
    root = ElementTree.fromstring(ir.text)
    layer = next(layer for layer in root.iter("layer") if layer.get("type") == case.type)
    layer.set("name", "op")
    data = layer.find("data")
    assert data is not None
    data.attrib.pop(name, None)
    return ElementTree.tostring(root, encoding="unicode")


def optional_attributes() -> Iterator[tuple[Case, AttrSpec]]:
    """Yield the attributes that OpenVINO fills in where absent, from one case of each operation of an opset."""
    for case in one_case_each():
        present = written(harness.operation(case))
        for spec in harness.declaration(case).spec.attributes:
            if isinstance(case.opset, int) and spec.name in present and spec.absent not in (REFUSED, None):
                yield case, spec


@pytest.mark.rest
def test_absent_attributes_have_the_values_that_openvino_takes() -> None:
    asks = list(optional_attributes())
    assert len(asks) > 300
    wrong = []
    for (case, spec), theirs in zip(asks, asked(without(case, spec.name) for case, spec in asks), strict=True):
        if theirs is None or spec.name not in theirs or is_filled_in(spec, theirs[spec.name]):
            continue
        if not same(spec.absent, theirs[spec.name]) and MEANS_THE_SAME.get(spec.name) != theirs[spec.name]:
            wrong.append((str(case), spec.name, spec.absent, theirs[spec.name]))
    assert wrong == []


def is_filled_in(spec: AttrSpec, theirs: Any) -> bool:
    """Return True for a list of zeros or ones, with which OpenVINO extends an empty or shorter list."""
    return spec.kind == "ints" and set(theirs) <= {0, 1} and set(spec.absent) <= {0, 1}


def test_legacy_attributes_are_no_attributes_of_their_operations() -> None:
    """Attributes that are ignored on every layer are an exception: other operations declare some of them."""
    for cls in declarations():
        names = {name for legacy in cls.legacy for name in legacy.names}
        assert names.isdisjoint(spec.name for spec in cls.spec.attributes), cls
        assert names | {name for legacy in ANYWHERE for name in legacy.names} == cls.spec.ignored


def test_legacy_in_words() -> None:
    assert str(Legacy("x")) == "Model Optimizer"
    assert str(Legacy("x", since="2020.1", until="2021.2")) == "Model Optimizer, 2020.1 to 2021.2"
    assert str(Legacy("x", since="2020.1")) == "Model Optimizer, from 2020.1 on"
    assert str(Legacy("x", until="2021.2", writer="OpenVINO")) == "OpenVINO, up to 2021.2"

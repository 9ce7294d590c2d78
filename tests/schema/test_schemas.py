"""The generated schemas accept the files that OpenVINO reads and refuse faulty ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lxml import etree

import irrun
from tests.linter.snippets import examples
from tests.ops import harness
from tests.ops.test_faults import one_case_each

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")

ROOT = Path(__file__).resolve().parents[2]
MODELS = sorted((ROOT / "examples").rglob("*.xml"))
SOUND = [(path.stem, path.read_bytes()) for path in MODELS]
SOUND += [(item.name, item.data) for page in ("sound_files", "models") for item in examples(page)]
RNG = etree.RelaxNG(etree.parse(ROOT / "schemas" / "ir-v11.rng"))
XSD = etree.XMLSchema(etree.parse(ROOT / "schemas" / "ir-v11.xsd"))
DIGITS = (ROOT / "examples" / "digits" / "model.xml").read_text(encoding="utf-8")
WORDS = "enum", "type", "bool"


@pytest.mark.parametrize("data", [data for _, data in SOUND], ids=[name for name, _ in SOUND])
def test_sound_files_are_valid(data: bytes) -> None:
    document = etree.fromstring(data)
    assert RNG.validate(document), RNG.error_log
    assert XSD.validate(document), XSD.error_log


def test_every_operation_is_valid() -> None:
    for case in one_case_each():
        document = etree.fromstring(harness.model(case)[0].text.encode())
        assert RNG.validate(document), (str(case), RNG.error_log)
        assert XSD.validate(document), (str(case), XSD.error_log)


def test_words_are_valid_in_any_case() -> None:
    """Words that OpenVINO compares case-sensitively are an exception."""
    tried = 0
    for case in one_case_each():
        for spec in harness.declaration(case).spec.attributes:
            root = etree.fromstring(harness.model(case)[0].text.encode())
            data = layer(root, case.type).find("data")
            if spec.kind not in WORDS or data is None or spec.name not in data.attrib:
                continue
            word = data.attrib[spec.name].upper()
            is_other = word != data.attrib[spec.name]
            data.set(spec.name, word)
            assert RNG.validate(root) != (spec.exact and is_other), (str(case), spec.name)
            data.set(spec.name, f"{word}@")
            assert not RNG.validate(root), (str(case), spec.name)
            tried += 1
    assert tried > 150


def test_legacy_attributes_are_valid_where_they_were_left() -> None:
    for case in one_case_each():
        spec = harness.declaration(case).spec
        root = etree.fromstring(harness.model(case)[0].text.encode())
        element = layer(root, case.type)
        data = element.find("data")
        if data is None:
            data = etree.SubElement(element, "data")
        written = dict(data.attrib)
        for name in spec.ignored - {attribute.name for attribute in spec.attributes}:
            data.set(name, "anything")
        assert RNG.validate(root), (str(case), RNG.error_log)
        data.attrib.clear()
        data.attrib.update({**written, "flop": "0"})
        assert not RNG.validate(root), str(case)


def layer(root: etree._Element, type: str) -> etree._Element:
    found: etree._Element = next(item for item in root.iter("layer") if item.get("type") == type)
    return found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('type="SoftMax"', 'type="Softmax"'),
        ('type="SoftMax"', 'type="SOFTMAX"'),
        ('type="SoftMax" version="opset8"', 'type="SparseConv" version="extension"'),
        ('type="SoftMax" version="opset8"', 'type="SoftMax" version="my_operations"'),
        ('strides="', 'group="1" kernel="3,3" output_padding="0,0" strides="'),
        ('auto_pad="explicit"', 'auto_pad="EXPLICIT"'),
        ('pads_begin="1, 1"', 'pads_begin=" 1 ,1.0,"'),
        ('<net name="digits" version="11">', '<net name="digits" version="10">'),
        ("</edges>", '</edges><statistics/><meta_data><MO_version value="2021"/></meta_data>'),
        ("</edges>", '</edges><quantization_parameters version="2"><config>{}</config></quantization_parameters>'),
        ("<dim>8</dim>", "<dim> 8 </dim>"),
    ],
)
def test_what_openvino_reads_is_valid(old: str, new: str) -> None:
    assert old in DIGITS, old
    document = etree.fromstring(DIGITS.replace(old, new, 1).encode())
    assert RNG.validate(document), RNG.error_log
    assert XSD.validate(document), XSD.error_log


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('type="SoftMax"', 'type="Softmux"'),
        ('type="Const"', 'type="const"'),
        ('type="SoftMax" version="opset8"', 'type="SoftMax" version="opest8"'),
        ('strides="', 'stridez="'),
        ('auto_pad="explicit"', 'auto_pad="explict"'),
        ('auto_pad="explicit"', 'auto_pad=" explicit"'),
        ('pads_begin="1, 1"', 'pads_begin="1, a"'),
        ('pads_begin="1, 1"', 'pads_begin="1,, 1"'),
        ('precision="FP32"', 'precision="FP33"'),
        ("<dim>8</dim>", "<dim>eight</dim>"),
        ('version="opset8"', 'version="opset99"'),
        ("</edges>", "</edges><statistic/>"),
        ("</layer>", "<bias/></layer>"),
        ('<port id="0" precision="FP32"', '<port id="0"'),
    ],
)
def test_relax_ng_refuses(old: str, new: str) -> None:
    assert old in DIGITS, old
    assert not RNG.validate(etree.fromstring(DIGITS.replace(old, new, 1).encode()))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('from-layer="0"', 'from-layer="999"'),
        ('<layer id="1"', '<layer id="0"'),
        ("<edge ", "<egde "),
        ('<port id="0" precision="FP32"', '<port id="0"'),
    ],
)
def test_xsd_refuses(old: str, new: str) -> None:
    assert old in DIGITS
    assert not XSD.validate(etree.fromstring(DIGITS.replace(old, new, 1).encode()))


def test_report_is_valid() -> None:
    report = irrun.lint(ROOT / "examples" / "wrong_dims.xml").as_dicts()
    schema = json.loads((ROOT / "schemas" / "lint-report.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(report, schema)
    assert [(item["code"], item["declared"], item["inferred"]) for item in report] == [
        ("IR401", "[1,3,9,10]", "[1,3,9,9]"),
        ("IR401", "[1,5,18,18]", "[1,6,18,18]"),
    ]

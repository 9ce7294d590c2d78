"""The generated schemas accept the files that OpenVINO reads and refuse faulty ones."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from copy import deepcopy
from functools import cache
from pathlib import Path

import pytest
from lxml import etree

import irrun
from irrun.diagnostics import OpError
from irrun.ops.attributes import AttrSpec
from irrun.ops.available import BUILT_IN
from irrun.schema import patterns
from tests.cases import Case
from tests.linter.snippets import examples
from tests.loops import loop_model
from tests.ops import harness
from tests.ops.test_faults import one_case_each
from tests.plugins.tiers import Tier

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")

ROOT = Path(__file__).resolve().parents[2]
MODELS = sorted((ROOT / "examples").rglob("*.xml"))
SOUND = [(path.stem, path.read_bytes()) for path in MODELS]
SOUND += [(item.name, item.data) for page in ("sound_files", "models") for item in examples(page)]
SOUND.sort(key=lambda item: len(item[1]))
RNG = etree.RelaxNG(etree.parse(ROOT / "schemas" / "ir-v11.rng"))
XSD = etree.XMLSchema(etree.parse(ROOT / "schemas" / "ir-v11.xsd"))
DIGITS = (ROOT / "examples" / "digits" / "model.xml").read_text(encoding="utf-8")
WORDS = "enum", "type", "bool"


def test_sound_files_are_valid(tier: Tier, subtests: pytest.Subtests) -> None:
    assert SOUND
    for name, data in tier.part(SOUND, 15):
        with subtests.test(file=name):
            document = etree.fromstring(data)
            assert RNG.validate(document), RNG.error_log
            assert XSD.validate(document), XSD.error_log


@cache
def models() -> list[tuple[Case, bytes]]:
    """Return one case of each operation, with its model."""
    return [(case, harness.model(case)[0].text.encode()) for case in one_case_each()]


def layer(case: Case, text: bytes) -> etree._Element:
    """Return the layer of a case out of its model."""
    return next(item for item in etree.fromstring(text).iter("layer") if item.get("type") == case.type)


def with_data(case: Case, text: bytes) -> tuple[etree._Element, etree._Element]:
    """Return the layer of a case and its ``<data>``, which is added if there is none."""
    item = layer(case, text)
    data = item.find("data")
    return item, etree.SubElement(item, "data") if data is None else data


def net(layers: Iterable[etree._Element]) -> etree._Element:
    """Return a model of layers without edges."""
    root = etree.Element("net", name="net", version="11")
    etree.SubElement(root, "layers").extend(layers)
    etree.SubElement(root, "edges")
    return root


def is_valid(element: etree._Element) -> bool:
    return bool(RNG.validate(net([element])))


def assert_valid(layers: Sequence[tuple[str, etree._Element]]) -> None:
    """Validate all layers at once; look for the invalid ones only if there are some."""
    if not RNG.validate(net(deepcopy(item) for _, item in layers)):
        assert [name for name, item in layers if not is_valid(item)] == []
        raise AssertionError(RNG.error_log)


def test_every_operation_is_valid() -> None:
    """RELAX NG takes long for each layer: those that are alike in all models are validated once."""
    alike: dict[bytes, etree._Element] = {}
    for case, text in models():
        document = etree.fromstring(text)
        assert XSD.validate(document), (str(case), XSD.error_log)
        for item in document.iter("layer"):
            plain = deepcopy(item)
            for name in ("id", "name"):
                plain.attrib.pop(name)
            alike.setdefault(etree.tostring(plain), item)
    assert len(alike) > len(models()) > 200
    assert_valid([(item.get("type", ""), item) for item in alike.values()])
    first = etree.fromstring(models()[0][1])
    assert RNG.validate(first), RNG.error_log


def test_words_are_valid_in_any_case(tier: Tier) -> None:
    """Words that OpenVINO compares case-sensitively are an exception."""
    specs = [
        (case, text, spec)
        for case, text in models()
        for spec in harness.declaration(case).spec.attributes
        if spec.kind in WORDS and spec.name in with_data(case, text)[1].attrib
    ]
    assert len(specs) > 150
    for case, text, spec in tier.part(specs, 50):
        item, data = with_data(case, text)
        word = data.attrib[spec.name].upper()
        is_other = word != data.attrib[spec.name]
        data.set(spec.name, word)
        assert is_valid(item) != (spec.exact and is_other), (str(case), spec.name)
        data.set(spec.name, f"{word}@")
        assert not is_valid(item), (str(case), spec.name)


def test_legacy_attributes_are_valid_where_they_were_left() -> None:
    found = []
    for case, text in models():
        spec = harness.declaration(case).spec
        legacy = spec.ignored - {attribute.name for attribute in spec.attributes}
        item, data = with_data(case, text)
        data.attrib.update(dict.fromkeys(legacy, "anything"))
        if legacy:
            found.append((str(case), item))
    assert found
    assert_valid(found)


def test_legacy_attributes_are_not_valid_elsewhere(tier: Tier) -> None:
    for case, text in tier.part(models(), 70):
        item, data = with_data(case, text)
        data.set("flop", "0")
        assert not is_valid(item), str(case)


READ = [
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
]


def test_what_openvino_reads_is_valid(tier: Tier, subtests: pytest.Subtests) -> None:
    for old, new in tier.part(READ, 4):
        with subtests.test(old=old, new=new):
            assert old in DIGITS
            document = etree.fromstring(DIGITS.replace(old, new, 1).encode())
            assert RNG.validate(document), RNG.error_log
            assert XSD.validate(document), XSD.error_log


WRONG = [
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
    ('strides="1, 1"', 'strides="0, 1"'),
    ('strides="1, 1"', 'strides="1, -1"'),
    ('strides="1, 1"', 'strides="00"'),
    ("</edges>", "</edges><statistic/>"),
    ("</layer>", "<bias/></layer>"),
    ('<port id="0" precision="FP32"', '<port id="0"'),
]


def test_relax_ng_refuses(tier: Tier, subtests: pytest.Subtests) -> None:
    for old, new in tier.part(WRONG, 4):
        with subtests.test(old=old, new=new):
            assert old in DIGITS
            assert not RNG.validate(etree.fromstring(DIGITS.replace(old, new, 1).encode()))


WRONG_FOR_XSD = [
    ('from-layer="0"', 'from-layer="999"'),
    ('<layer id="1"', '<layer id="0"'),
    ("<edge ", "<egde "),
    ('<port id="2"', '<port id="1"'),
    ('<port id="0" precision="FP32"', '<port id="0"'),
]


def test_xsd_refuses(subtests: pytest.Subtests) -> None:
    for old, new in WRONG_FOR_XSD:
        with subtests.test(old=old, new=new):
            assert old in DIGITS
            assert not XSD.validate(etree.fromstring(DIGITS.replace(old, new, 1).encode()))


def test_numbers_keep_their_bounds() -> None:
    """The patterns accept what the declarations do, whichever way a number is spelt."""
    texts = ["0", "00", "0.0", "-0", "-0.", "1", "01", "+1", "1.0", "1f", "2", "10", "20", "-1", "-01", "-2", "-10"]
    texts += ["0.5", ".5", "-.5", "1e3", "0e3", "-1e-3", "0.001", "inf", "-inf", "nan", "a", " 1 ", " 0 "]
    specs = {
        (spec.kind, tuple(spec.bounds.items())): spec
        for cls in BUILT_IN.declarations()
        for spec in cls.spec.attributes
        if patterns.bounded(spec) is not None
    }
    assert len(specs) > 12
    for spec in specs.values():
        pattern = patterns.bounded(spec)
        assert pattern is not None
        for text in texts if "<=" not in spec.bounds or spec.kind in ("int", "ints") else ():
            for written in (
                (text, f"{text},7") if spec.kind.endswith("s") and spec.bounds.get("<=") is None else (text,)
            ):
                assert (re.fullmatch(pattern, written) is not None) == _is_within(spec, written), (spec, written)


def _is_within(spec: AttrSpec, text: str) -> bool:
    try:
        spec.check(spec.parse(text))
    except OpError:
        return False
    return True


def test_num_splits_are_at_least_one() -> None:
    ((case, text),) = [item for item in models() if item[0].type == "Split"]
    for number, is_sound in (("1", True), ("3", True), ("0", False), ("-2", False)):
        item, data = with_data(case, text)
        data.set("num_splits", number)
        assert is_valid(item) == is_sound, number


def test_ids_of_ports_and_of_layers_in_bodies_are_unique(tmp_path: Path) -> None:
    text = loop_model(tmp_path, 5, 100.0).read_text()
    assert XSD.validate(etree.fromstring(text.encode())), XSD.error_log
    inner = 'name="Convert_2"'
    for old, new in (
        (f'<layer id="2" {inner}', f'<layer id="1" {inner}'),
        ('<port id="4" precision="FP32">', '<port id="3" precision="FP32">'),
        ('<port id="1" precision="FP32" />', '<port id="0" precision="FP32" />'),
    ):
        assert old in text
        assert not XSD.validate(etree.fromstring(text.replace(old, new).encode())), new


def test_report_is_valid() -> None:
    report = irrun.lint(ROOT / "examples" / "wrong_dims.xml").as_dicts()
    schema = json.loads((ROOT / "schemas" / "lint-report.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(report, schema)
    assert [(item["code"], item["declared"], item["inferred"]) for item in report] == [
        ("IR401", "[1,3,9,10]", "[1,3,9,9]"),
        ("IR401", "[1,5,18,18]", "[1,6,18,18]"),
    ]

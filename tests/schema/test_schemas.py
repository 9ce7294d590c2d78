"""The generated schemas accept real files and refuse faulty ones."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from lxml import etree

import irrun

ROOT = Path(__file__).resolve().parents[2]
MODELS = sorted((ROOT / "examples").rglob("*.xml"))
RNG = etree.RelaxNG(etree.parse(ROOT / "schemas" / "ir-v11.rng"))
XSD = etree.XMLSchema(etree.parse(ROOT / "schemas" / "ir-v11.xsd"))
DIGITS = (ROOT / "examples" / "digits" / "model.xml").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_models_are_valid(path: Path) -> None:
    document = etree.parse(path)
    assert RNG.validate(document), RNG.error_log
    assert XSD.validate(document), XSD.error_log


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('type="SoftMax"', 'type="Softmax"'),
        ('strides="', 'stridez="'),
        ('auto_pad="explicit"', 'auto_pad="explict"'),
        ('pads_begin="1, 1"', 'pads_begin="1, a"'),
        ('precision="FP32"', 'precision="FP33"'),
        ("<dim>8</dim>", "<dim>eight</dim>"),
        ('version="opset8"', 'version="opset99"'),
    ],
)
def test_relax_ng_refuses(old: str, new: str) -> None:
    assert old in DIGITS
    assert not RNG.validate(etree.fromstring(DIGITS.replace(old, new, 1).encode()))


@pytest.mark.parametrize(
    ("old", "new"), [('from-layer="0"', 'from-layer="999"'), ('<layer id="1"', '<layer id="0"'), ("<edge ", "<egde ")]
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

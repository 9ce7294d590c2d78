"""A sample of ONNX's own test models as OpenVINO writes them: no finding, and the published outputs.

``tools/onnx_suite.py`` runs all of them.
"""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import irrun
from tests.oracle.onnx_suite import convert, judge
from tools import onnx_suite, records

EVERY, LEAST = 16, 100


@pytest.mark.skipif(not hasattr(os, "fork"), reason="OpenVINO may crash, and there is no fork")
def test_sample(tmp_path: Path) -> None:
    pytest.importorskip("onnx", reason="the ONNX wheel is not installed: there are no models")
    pytest.importorskip("openvino", reason="the OpenVINO wheel is not installed: nothing writes an IR")
    verdicts = [judge(folder) for folder in convert(tmp_path, every=EVERY)]
    converted = [item for item in verdicts if not item.refused]
    assert len(converted) >= LEAST
    assert {item.name: item.findings for item in converted if item.findings} == {}
    record = records.read(onnx_suite.RECORD)
    known = {*record["openvino only"], *record["neither"]}
    assert {item.name: item.irrun for item in converted if item.irrun and item.name not in known} == {}
    models = [tmp_path / item.name / "model.xml" for item in converted]
    verified = {str(path): irrun.lint(path).ports for path in models}
    assert verified == {str(path): len(ET.parse(path).findall(".//output/port")) for path in models}

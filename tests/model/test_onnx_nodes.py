"""A sample of ONNX's own test models as OpenVINO writes them: no finding, and the published outputs.

``python -m tests.lab onnx_suite`` runs all of them.
"""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import irrun
from tests.engines import need
from tests.lab import records
from tests.lab.onnx_suite.judging import convert, judge
from tests.lab.onnx_suite.page import RECORD

pytestmark = [
    pytest.mark.rest,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="OpenVINO may crash, and there is no fork"),
]
EVERY, LEAST = 32, 50


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The converted models. ONNX needs seven seconds to list its own, whatever their number."""
    need("onnx")
    need("openvino")
    return convert(tmp_path_factory.mktemp("onnx"), every=EVERY)


def test_sample(folders: list[Path]) -> None:
    verdicts = [judge(folder) for folder in folders]
    converted = [item for item in verdicts if not item.refused]
    assert len(converted) >= LEAST
    assert {item.name: item.findings for item in converted if item.findings} == {}
    record = records.read(RECORD)
    known = {*record["openvino only"], *record["neither"]}
    assert {item.name: item.irrun for item in converted if item.irrun and item.name not in known} == {}


def test_every_port_is_verified(folders: list[Path]) -> None:
    models = [path for folder in folders if (path := folder / "model.xml").exists()]
    assert len(models) >= LEAST
    verified = {str(path): irrun.lint(path).ports for path in models}
    assert verified == {str(path): len(ET.parse(path).findall(".//output/port")) for path in models}

"""A sample of ONNX's own test models, as OpenVINO writes them: no finding, and the published outputs."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import irrun

WORKER = Path(__file__).with_name("onnx_worker.py")
SEED, COUNT, LEAST = 7, 120, 150
CRASHES = 8
ELSEWHERE = {
    "test_div_int32_trunc": "it is written with m_pythondiv, by which integers are rounded down; the plugin does not",
    "test_bitshift_right_int8_negative_shift": "it is written as a division by zero",
    "test_bitshift_right_int32_negative_shift": "it is written as a division by zero",
    "test_maxpool_2d_ceil_output_size_reduce_by_one": "windows outside of the data, of which the page says nothing",
    "test_reduce_min_empty_set": "no elements: the page leaves the result undefined",
}
"""Models whose outputs are neither ONNX's nor OpenVINO's, and why."""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A folder for each model. OpenVINO runs in a process of its own: it may crash."""
    pytest.importorskip("onnx", reason="the ONNX wheel is not installed: there are no models")
    pytest.importorskip("openvino", reason="the OpenVINO wheel is not installed: nothing writes an IR")
    root = tmp_path_factory.mktemp("onnx")
    for _ in range(CRASHES):
        command = [sys.executable, str(WORKER), str(root), str(SEED), str(COUNT)]
        if subprocess.run(command, check=False, capture_output=True).returncode == 0:
            break
    return sorted(path.parent for path in root.glob("*/model.xml"))


def test_no_finding(folders: list[Path]) -> None:
    assert len(folders) >= LEAST
    found = {folder.name: [str(item.message) for item in irrun.lint(folder / "model.xml")] for folder in folders}
    assert {name: messages for name, messages in found.items() if messages} == {}


def test_every_port_is_verified(folders: list[Path]) -> None:
    verified = {folder.name: irrun.lint(folder / "model.xml").ports for folder in folders}
    written = {folder.name: len(ET.parse(folder / "model.xml").findall(".//output/port")) for folder in folders}
    assert verified == written


@pytest.mark.parametrize("optimize", [True, False])
def test_outputs(folders: list[Path], optimize: bool) -> None:
    wrong = [folder.name for folder in folders if folder.name not in ELSEWHERE and is_random(folder) is False]
    wrong = [name for name in wrong if not agrees(folders[0].parent / name, optimize)]
    assert wrong == []


def is_random(folder: Path) -> bool:
    kinds = {layer.get("type") for layer in ET.parse(folder / "model.xml").iter("layer")}
    return not kinds.isdisjoint({"RandomUniform", "Multinomial"})


def agrees(folder: Path, optimize: bool) -> bool:
    """Whether the outputs are those that ONNX publishes, or those of OpenVINO, which converts some otherwise."""
    with np.load(folder / "inputs.npz") as data:
        inputs = [data[name] for name in data.files]
    got = irrun.compile_model(folder / "model.xml", {"OPTIMIZE": optimize})(inputs).to_tuple()
    wanted = [path for path in (folder / "expected.npz", folder / "native.npz") if path.exists()]
    return any(_equal(got, path) for path in wanted)


def _equal(got: tuple[np.ndarray, ...], path: Path) -> bool:
    with np.load(path) as data:
        wanted = [data[name] for name in data.files]
    return all(
        one.shape == other.shape and np.allclose(one, other, rtol=1e-3, atol=1e-4, equal_nan=True)
        for one, other in zip(got, wanted, strict=True)
    )

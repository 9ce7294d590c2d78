"""The operation of a type and version: found as OpenVINO finds it, else a message with a suggestion."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from irrun.ops.operation import DECLARED
from irrun.ops.registry import LATEST, READ_AS, UnknownOperation, declarations, find, resolve, spelling, versions
from irrun.ops.releases import is_meant_as_number, number
from tests.engines import need

WORKER = Path(__file__).with_name("reading_worker.py")

AHEAD = {
    *("Atan2", "BevPoolV2", "Bincount", "BlockSparseAttention", "QwenSparseAttention", "RandomPoisson"),
}
"""Operations that have a specification page but are in no opset of OpenVINO yet."""

FORMER = {("LSTMSequence", opset) for opset in (1, 2, 3, 4)}
"""Operations that OpenVINO removed in 2022."""

SPELLINGS = {"Constant": "Const", "PRelu": "PReLU", "Relu": "ReLU", "Softmax": "SoftMax"}
"""Names of OpenVINO's classes with the different spelling of an IR."""


def numbered() -> set[str]:
    return {cls.type for cls in declarations() if isinstance(cls.opset, int)}


def test_every_opset_has_what_openvino_has_in_it() -> None:
    openvino = need("openvino")
    folder = Path(openvino.__file__).parent / "include" / "openvino" / "opsets"
    there = set()
    for opset in range(1, LATEST + 1):
        table = (folder / f"opset{opset}_tbl.hpp").read_text()
        names = re.findall(r"^_OPENVINO_OP_REG\((\w+),", table, re.MULTILINE)
        there |= {(SPELLINGS.get(name, name), opset) for name in names}
    assert len(there) > 2000
    pairs = {(type, opset) for type in numbered() - AHEAD for opset in range(1, LATEST + 1)}
    found = {(type, opset) for type, opset in pairs if find(type, f"opset{opset}") is not None}
    read_as = {(type, 1) for type, version in READ_AS if version == "opset1"}
    assert found == there | FORMER | read_as


@pytest.mark.rest
def test_versions_are_read_as_openvino_reads_them() -> None:
    need("openvino")
    types = sorted({type for type, _ in READ_AS})
    types += ["Clamp", "clamp", "Softmax", "SOFTMAX", "relu", "Reverse", "RNNCELL", "Constant", "constant", "const"]
    asked = ["opset0", "opset1", "opset2", "opset3", "opset6", "opset16", "opset17", "opset18"]
    asked += ["", "Opset1", "opset01", "ie_internal_opset", "type_relaxed_opset", "acme"]
    pairs = [(type, version) for type in types for version in asked]
    pairs += [(type, domain) for type in types if type != "RNNCELL" for domain in ("experimental", "extension")]
    answer = subprocess.run(
        [sys.executable, str(WORKER)], input=json.dumps(pairs), capture_output=True, text=True, check=True
    )
    read = {(type, version) for type, version in json.loads(answer.stdout)}
    assert read == {pair for pair in pairs if find(*pair) is not None}


@pytest.mark.parametrize(
    ("type", "version", "found"),
    [
        ("Relu", "opset1", "ReLU-1"),
        ("softmax", "opset7", "SoftMax-1"),
        ("SOFTMAX", "opset8", "SoftMax-8"),
        ("prelu", "opset4", "PReLU-1"),
        ("constant", "opset1", "Const-1"),
        ("parameter", "opset1", "Parameter-1"),
        ("MVN", "opset1", "MVN-2"),
        ("mvn", "opset6", "MVN-6"),
        ("ROIPooling", "opset1", "ROIPooling-2"),
        ("Proposal", "extension", "Proposal-4"),
        ("GRUCell", "experimental", "GRUCell-3"),
        ("RNNCell", "extension", "RNNCell-1"),
        ("ExperimentalDetectronTopKROIs", "experimental", "ExperimentalDetectronTopKROIs-6"),
        ("rms", "ie_internal_opset", "RMS-ie_internal_opset"),
        ("ShapeOf", "opset17", "ShapeOf-3"),
        ("ErfInv", "opset17", "ErfInv-17"),
        ("clamp", None, "Clamp-1"),
    ],
)
def test_found(type: str, version: str | None, found: str) -> None:
    cls = resolve(type, version)
    assert f"{cls.type}-{cls.opset}" == found


@pytest.mark.parametrize(
    ("type", "version", "attribute", "message"),
    [
        ("Clmap", "opset1", "type", "no operation Clmap in opset1; did you mean Clamp?"),
        ("Clmap", None, "type", "no operation Clmap; did you mean Clamp?"),
        ("const", "opset1", "type", "no operation const in opset1; did you mean Const?"),
        ("result", "opset1", "type", "no operation result in opset1; did you mean Result?"),
        ("Clamp", "opste1", "version", "no operation Clamp in opste1; did you mean opset1?"),
        ("Clamp", "Opset1", "version", "no operation Clamp in Opset1; did you mean opset1?"),
        ("Sharpen", "opset_1", "version", "no operation Sharpen in opset_1; did you mean opset1?"),
        ("Clamp", "opset18", "version", "opset18 is newer than opset17, the latest that irrun knows"),
        ("Clamp", "opset100", "version", "no opset opset100, expected opset1 to opset17"),
        ("Clamp", f"opset{'9' * 4000}", "version", f"no opset opset{'9' * 35}…, expected opset1 to opset17"),
        ("Clamp", "opset01", "version", "no opset opset01, expected opset1 to opset17"),
        ("Clamp", "8", "version", "no opset 8, expected opset1 to opset17"),
        ("Clamp", "", "version", "no opset of an empty name, expected opset1 to opset17"),
        ("Clamp", "extension", "version", "no operation Clamp in extension; it is in opset1"),
        ("HSwish", "opset1", "version", "no operation HSwish in opset1; it is in opset4"),
        ("SoftMax", "opset17", "version", "no operation SoftMax in opset17; it is in opset8"),
        ("Xor", "opset8", "version", "no operation Xor in opset8; it is in opset1"),
        ("RNNCell", "opset2", "version", "no operation RNNCell in opset2; it is in opset1"),
        ("RMS", "opset8", "version", "no operation RMS in opset8; it is in ie_internal_opset"),
    ],
)
def test_unknown(type: str, version: str | None, attribute: str, message: str) -> None:
    with pytest.raises(UnknownOperation) as caught:
        resolve(type, version)
    assert (caught.value.message, caught.value.attribute) == (message, attribute)


def test_a_type_is_found_by_the_name_of_its_module_alone() -> None:
    types = {cls.type for cls in declarations()}
    assert {spelling(type.swapcase()) for type in types - {"Const", "Result"}} == types - {"Const", "Result"}
    assert all(versions(type) == DECLARED[type] for type in types)
    assert versions("Sharpen") == {}


@pytest.mark.parametrize(
    ("version", "meant"),
    [
        *[
            (text, True)
            for text in ("opset1", "opset18", "opset", "Opset1", "opste1", "opst1", "oopset1", "1", "", "-")
        ],
        *[(text, False) for text in ("extension", "experimental", "acme", "custom_opset", "gpu_opset", "util", "ops")],
    ],
)
def test_a_version_is_meant_as_one_of_the_opsets(version: str, meant: bool) -> None:
    assert is_meant_as_number(version) is meant


@pytest.mark.parametrize(
    ("version", "expected"), [("opset8", 8), ("opset17", 17), ("opset0", None), ("opset01", None), ("extension", None)]
)
def test_number(version: str, expected: int | None) -> None:
    assert number(version) == expected
    assert number(f"opset{'1' * 5000}") is None

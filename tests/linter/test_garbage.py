"""Data that is no IR at all is one finding."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from irrun.linter.check import lint
from irrun.linter.files import expanded

SIZE = 2_000_000


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("data", "code", "part"),
    [
        (b"\x93\x01 & <a & b> <dim>5/dim> \xff" * 10, "IR102", "the file is not XML"),
        (b"<" * SIZE, "IR102", "the file is not XML"),
        (b"a" * SIZE, "IR102", "the file is not XML"),
        (b"<a>" * SIZE, "IR102", "the root element is <a>"),
        (b"<page>a & b</page>", "IR102", "the root element is <page>"),
        (b"\n" * SIZE, "IR101", "the file is empty"),
        (b'<net name="n" version="11"><layers>' + b"<" * SIZE, "IR101", "malformed XML"),
        (b'<net name="n" version="11"><layers>' + b"<layer>" * SIZE, "IR901", "nested more than"),
    ],
    ids=["binary", "brackets", "letters", "tags", "page", "lines", "brackets in a net", "layers in layers"],
)
def test_one_finding(data: bytes, code: str, part: str) -> None:
    (found,) = lint("model.xml", data=data)
    assert found.code == code
    assert part in found.message


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes on this system")
def test_a_pattern_passes_over_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.xml")
    (tmp_path / "model.xml").write_text("<net/>")
    found = expanded([str(tmp_path / "*.xml")])
    assert [item.path.name for item in found] == ["model.xml"]

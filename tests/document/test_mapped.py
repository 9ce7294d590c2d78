"""Weights files that are mapped into memory: pages that are released, copies in pieces, and files that change."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

import irrun.document.weights
from irrun.document.content import Content
from irrun.document.records import tensor_names
from irrun.document.weights import Weights, WeightsOutOfRange
from irrun.kernels.aligned import forget

SIZE = 3 << 20
DATA = np.random.default_rng(0).integers(0, 256, SIZE, dtype=np.uint8)


@pytest.fixture
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Weights:
    monkeypatch.setattr(irrun.document.weights, "COPIED", 16)
    path = tmp_path / "model.bin"
    path.write_bytes(DATA.tobytes())
    found = Weights(path)
    assert found.read(0, 4) is not None
    assert len(found.bytes) == SIZE
    return found


def test_ranges_of_a_mapped_file_are_copied_in_pieces(weights: Weights) -> None:
    content = Content(weights)
    assert content.add_range(8, SIZE - 16) == 0
    assert content.add(b"new") == SIZE - 16
    file = io.BytesIO()
    content.write(file)
    assert file.getvalue() == content.whole() == DATA[8:-8].tobytes() + b"new"


def test_the_whole_file_stays_in_its_place(weights: Weights) -> None:
    content = Content(weights)
    content.keep()
    assert (content.is_kept, content.add_range(5, 7)) == (True, 5)
    assert not Content().add_range(0, 0)
    assert Content().is_kept
    assert not Content(weights).is_kept


@pytest.mark.parametrize("is_there", [False, True])
def test_a_file_that_was_replaced(weights: Weights, is_there: bool) -> None:
    """The one that was mapped is still there for this process."""
    assert weights.path is not None
    weights.path.unlink()
    if is_there:
        weights.path.write_bytes(b"another one")
    assert weights.stream() is None
    content, file = Content(weights), io.BytesIO()
    content.add_range(0, SIZE)
    content.write(file)
    assert file.getvalue() == DATA.tobytes()


def test_a_file_that_was_cut(weights: Weights) -> None:
    assert weights.path is not None
    content = Content(weights)
    content.add_range(0, SIZE)
    with weights.path.open("r+b") as file:
        file.truncate(2 << 20)
    with pytest.raises(WeightsOutOfRange, match="read the model again"):
        content.write(io.BytesIO())


def test_a_range_without_a_file() -> None:
    content = Content()
    content.add_range(0, 4)
    with pytest.raises(WeightsOutOfRange, match=r"^the weights file is missing$"):
        content.write(io.BytesIO())


def test_pages_that_are_released_are_read_again(weights: Weights) -> None:
    """Pages of a part are released as well; less than a page, and memory of the process itself, stay as they are."""
    for part in (weights.bytes[5:-5], weights.bytes[10:20], DATA[:9].copy()):
        before = part.tobytes()
        forget(part)
        assert part.tobytes() == before
    weights.forget()
    assert weights.bytes.tobytes() == DATA.tobytes()


def test_commas_in_names() -> None:
    assert tensor_names("a\\,b,c,") == ("a,b", "c")
    assert tensor_names(None) == ()

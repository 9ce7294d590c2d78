"""Parameters and multiply-adds of published networks are those that the documentation of torchvision publishes."""

from __future__ import annotations

import json
import os
import tarfile
from pathlib import Path

import pytest

from irrun.model import load
from irrun.model.summary import summarize

FOLDER = Path(__file__).parent / "published"
FIGURES = json.loads((FOLDER / "figures.json").read_text(encoding="utf-8"))


def restored(name: str, folder: Path) -> Path:
    """Unpack a network; large weights, whose values nothing reads, are a hole in the file."""
    with tarfile.open(FOLDER / f"{name}.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    weights = (folder / "values.bin").rename(folder / "model.bin")
    os.truncate(weights, 1 << 29)
    return folder / "model.xml"


def test_at_least_twelve_networks_are_compared() -> None:
    assert len(FIGURES) >= 12
    assert {path.name.removesuffix(".tar.xz") for path in FOLDER.glob("*.tar.xz")} == FIGURES.keys()


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_the_published_ones(tmp_path: Path, name: str) -> None:
    """A batch norm after a convolution has two numbers for each channel, of which the converter leaves the bias."""
    published, found = FIGURES[name], summarize(load(restored(name, tmp_path)))
    assert found.parameters == published["parameters"] - published["folded"]
    assert round(found.flops.macs / 1e9, 3) == published["billions_of_macs"]
    assert found.flops.total == 2 * found.flops.macs
    assert not found.flops.assumed
    assert found.flops.unknown == ()

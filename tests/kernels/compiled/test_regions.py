"""Pooling of regions, against samples in f64."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irrun.model
from irrun.ops._declared.detection.roi_align import ROIAlignV3, ROIAlignV9
from irrun.tensor import Array
from irrun.tensor.element_type import I64
from tests.kernels.compiled.lowered import run
from tests.kernels.merged import merged
from tests.kernels.test_convolution import channels_last
from tests.nets import Net

BOXES = np.array([[0, 0, 7, 5], [3.5, 2.25, 30, 11], [-6.3, -9.1, 4, 3], [5, 5, 5, 5], [9, 8, 2, 3], [40, 40, 60, 60]])
BATCHES = np.array([0, 1, 0, 1, 0, 1])


def exact(x: Array, pooled: tuple[int, int], ratio: int, scale: float, aligned: str) -> Array:
    """The bins in f64, sample by sample."""
    before, after = {"asymmetric": (0, 0), "half_pixel_for_nn": (0, 0.5), "half_pixel": (0.5, 0.5)}[aligned]
    out = np.zeros((len(BOXES), x.shape[1], *pooled))
    for number, (box, batch) in enumerate(zip((BOXES + before) * scale - after, BATCHES, strict=True)):
        size = box[2:] - box[:2]
        bins = (np.maximum(size, 1) if aligned == "asymmetric" else size)[::-1] / pooled
        counts = [ratio or max(int(np.ceil(each)), 0) for each in bins]
        for row, column in np.ndindex(*pooled):
            samples = []
            for i, j in np.ndindex(*counts):
                y = box[1] + (row + (i + 0.5) / counts[0]) * bins[0]
                samples.append(
                    sampled(x[batch].astype(np.float64), y, box[0] + (column + (j + 0.5) / counts[1]) * bins[1])
                )
            if samples:
                out[number, :, row, column] = np.mean(samples, 0)
    return out


def sampled(image: Array, y: float, x: float) -> Array:
    _, height, width = image.shape
    if not (-1 <= y <= height and -1 <= x <= width):
        return np.zeros(len(image))
    y, x = min(max(y, 0), height - 1), min(max(x, 0), width - 1)
    top, left = int(y), int(x)
    bottom, right = min(top + 1, height - 1), min(left + 1, width - 1)
    rows = image[:, [top, bottom]][:, :, [left, right]]
    return np.asarray(np.array([1 - y + top, y - top]) @ rows @ np.array([1 - x + left, x - left]))


@merged()
@pytest.mark.parametrize("aligned", ["asymmetric", "half_pixel_for_nn", "half_pixel"])
@pytest.mark.parametrize("ratio", [0, 1, 3])
@pytest.mark.parametrize(("channels", "pooled"), [(1, (2, 3)), (20, (7, 1)), (64, (3, 3))])
def test_bins(aligned: Any, ratio: int, channels: int, pooled: tuple[int, int]) -> None:
    x = np.random.default_rng(0).standard_normal((2, channels, 10, 17), np.float32)
    boxes = BOXES.astype(np.float32)
    op = ROIAlignV9(
        pooled_h=pooled[0],
        pooled_w=pooled[1],
        sampling_ratio=ratio,
        spatial_scale=0.5,
        mode="avg",
        aligned_mode=aligned,
    )
    wanted = exact(x, pooled, ratio, 0.5, aligned)
    for data in (x, channels_last(x)):
        for batches in (BATCHES, BATCHES.astype(np.int32)):
            found = run(op, data, boxes, batches)
            assert found is not None
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=2e-5)


def test_the_older_version_is_asymmetric() -> None:
    x = np.random.default_rng(0).standard_normal((2, 5, 10, 17), np.float32)
    op = ROIAlignV3(pooled_h=2, pooled_w=2, sampling_ratio=2, spatial_scale=1.0, mode="avg")
    found = run(op, x, BOXES.astype(np.float32), BATCHES)
    assert found is not None
    np.testing.assert_allclose(found, exact(x, (2, 2), 2, 1, "asymmetric"), rtol=1e-5, atol=2e-5)


def test_scales_that_f32_rounds_sample_as_often_as_numpy() -> None:
    random = np.random.default_rng(0)
    x = random.standard_normal((1, 3, 40, 40), np.float32)
    corners = random.integers(0, 400, (200, 2)) / 10
    boxes = np.concatenate([corners, corners + random.integers(1, 300, (200, 2)) / 10], 1).astype(np.float32)
    op = ROIAlignV9(pooled_h=3, pooled_w=7, sampling_ratio=0, spatial_scale=0.7, mode="avg", aligned_mode="half_pixel")
    batches = np.zeros(200, np.int64)
    found = run(op, x, boxes, batches)
    assert found is not None
    np.testing.assert_allclose(found, op.run(x, boxes, batches), rtol=1e-5, atol=2e-5)


@merged()
@pytest.mark.bails_out("a kernel found values that it does not support")
@pytest.mark.parametrize(("box", "batch"), [([0, 0, np.nan, 1], 0), ([0, 0, 1, 3e9], 0), ([0, 0, 1, 1], 2)], ids=str)
def test_faults(tmp_path: Path, box: list[float], batch: int) -> None:
    net = Net()
    inputs = [net.parameter("x", "2,3,8,8"), net.parameter("b", "1,4"), net.parameter("i", "1", I64)]
    attributes = {"pooled_h": 2, "pooled_w": 2, "sampling_ratio": 2, "spatial_scale": 1.0, "mode": "avg"}
    made = net.layer("ROIAlign", [net.layer("Abs", inputs[:1], "2,3,8,8"), *inputs[1:]], "1,3,2,2", 3, **attributes)
    net.result(made)
    compiled = net.compile(tmp_path, TIER="compiled")
    given = {"x": np.ones((2, 3, 8, 8), np.float32), "b": np.array([box], np.float32), "i": np.array([batch])}
    with pytest.raises(irrun.IRError, match=r"a region has the coordinate|batch index"):
        compiled(given)

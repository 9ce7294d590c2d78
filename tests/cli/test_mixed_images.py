"""500 images of six formats and many sizes, two of them broken: the figures of a loop around OpenVINO.

In one process, in two of which one is killed, on Dask with a worker that is killed, and after an interrupt: bit by bit
the same figures.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pytest

from irrun.evaluation.batch.records import RECORDS
from tests import processes
from tests.cli import thousand
from tests.engines import need
from tests.nets import Net

PIL: Any = pytest.importorskip("PIL.Image", reason="Pillow is not installed, the extra images")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers are found in /proc of Linux")

COUNT: Final = 500
FORMATS: Final = ("png", "jpg", "bmp", "webp", "tiff", "gif")
SIDE: Final = 16
MEAN: Final = (120.0, 110.0, 100.0)
METRICS: Final = ("top1", "top2", "iou", "f1", "perplexity")


class Photos(NamedTuple):
    """A folder with images, labels and a model, and the names of the images that are not broken."""

    folder: Path
    good: tuple[str, ...]

    @property
    def options(self) -> list[object]:
        named = ("--color", "rgb", "--mean-values", ",".join(map(str, MEAN)), "--scale-values", "60")
        metrics = [item for name in METRICS for item in ("-m", name)]
        return [self.folder / "net.xml", "--labels", self.folder / "labels.csv", *named, *metrics]


def model(path: Path) -> Path:
    """x f32[?,3,16,16] -> Convolution -> ReLU -> mean -> MatMul -> scores of four classes."""
    net = Net()
    x = net.parameter("x", f"?,3,{SIDE},{SIDE}")
    convolved = net.layer("ReLU", [net.convolution(x, net.normal(8, 3, 3, 3))])
    pooled = net.layer("ReduceMean", [convolved, net.constant(np.array([2, 3]))], keep_dims=False)
    scores = net.layer("MatMul", [pooled, net.normal(8, 4)], transpose_a="false", transpose_b="false", tensor="scores")
    net.result(scores)
    return net.save(path)


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Photos:
    """Images of gray, colours and palettes; the labels are those of a coin with four sides."""
    folder = tmp_path_factory.mktemp("photos")
    (folder / "in").mkdir()
    random = np.random.default_rng(47)
    names = [f"{number // 100}/{number}.{FORMATS[number % len(FORMATS)]}" for number in range(COUNT)]
    for number, name in enumerate(names):
        path = folder / "in" / name
        path.parent.mkdir(exist_ok=True)
        height, width = random.integers(8, 40, 2)
        shape = (height, width) if number % 7 == 0 else (height, width, 3)
        PIL.fromarray((random.random(shape) * random.integers(50, 256)).astype(np.uint8)).save(path)
    broken = (names[100], names[301])
    for name in broken:
        (folder / "in" / name).write_bytes((folder / "in" / name).read_bytes()[:20])
    lines = [f"{name},{random.integers(4)}" for name in names]
    (folder / "labels.csv").write_text("\n".join(["name,label", *lines]))
    model(folder / "net.xml")
    return Photos(folder, tuple(name for name in names if name not in broken))


def figures_of_openvino(photos: Photos) -> dict[str, float]:
    """Return the metrics that a loop around OpenVINO finds, with Pillow, NumPy and nothing of irrun."""
    ov = need("openvino")
    compiled = ov.Core().compile_model(photos.folder / "net.xml", "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    labels = dict(line.rsplit(",", 1) for line in (photos.folder / "labels.csv").read_text().splitlines()[1:])
    scores = []
    for name in photos.good:
        with PIL.open(photos.folder / "in" / name) as opened:
            picture = opened.convert("RGB").resize((SIDE, SIDE), PIL.Resampling.BILINEAR)
        pixels = (np.asarray(picture, np.float32) - np.float32(MEAN)) / 60
        scores.append(compiled(pixels.transpose(2, 0, 1)[np.newaxis])[0][0].copy())
    found, truth = np.array(scores, np.float64), np.array([int(labels[name]) for name in photos.good])
    ranks = np.argsort(-found, axis=1)
    powers = np.exp(found - found.max(1, keepdims=True))
    chance = (powers / powers.sum(1, keepdims=True))[np.arange(len(truth)), truth]
    both = [np.sum((ranks[:, 0] == kind) & (truth == kind)) for kind in range(4)]
    each = [np.sum(ranks[:, 0] == kind) + np.sum(truth == kind) for kind in range(4)]
    return {
        "top1": float(np.mean(ranks[:, 0] == truth)),
        "top2": float(np.mean((ranks[:, :2] == truth[:, np.newaxis]).any(1))),
        "iou": float(np.mean([b / (e - b) for b, e in zip(both, each, strict=True)])),
        "f1": float(np.mean([2 * b / e for b, e in zip(both, each, strict=True)])),
        "perplexity": float(np.exp(-np.log(chance).mean())),
    }


def start(photos: Photos, *options: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "irrun", "evaluate", *photos.options, "--batch", photos.folder / "in"]
    return processes.start(
        *command, "--json", "--threads", "1", *options, env=processes.environment(IRRUN_TIER="numpy")
    )


def figures(process: subprocess.Popen[str], photos: Photos) -> dict[str, Any]:
    """Return the metrics of a command that has left out the two broken images and named them."""
    ended = processes.ended(process, 300)
    assert ended.returncode == 1, ended.stderr
    record: dict[str, Any] = json.loads(ended.stdout)
    assert len(record.pop("failed")) == COUNT - len(photos.good)
    assert ended.stderr.count("error: ") == COUNT - len(photos.good)
    assert f"warning: 2 inputs of {COUNT} failed" in ended.stderr
    assert {item["count"] for item in record.values()} == {len(photos.good)}
    return record


def begun(process: subprocess.Popen[str], outputs: Path) -> None:
    """Wait until some inputs are recorded, while most are left."""
    while thousand.recorded(outputs) < COUNT // 8:
        assert process.poll() is None, process.communicate()
        time.sleep(0.002)


@pytest.fixture(scope="module")
def alone(photos: Photos) -> dict[str, Any]:
    """The figures of one process."""
    return figures(start(photos, "--requests", "1"), photos)


@pytest.mark.rest
def test_one_process_agrees_with_openvino(photos: Photos, alone: dict[str, Any]) -> None:
    expected = figures_of_openvino(photos)
    assert {name: item["value"] for name, item in alone.items()} == pytest.approx(expected, rel=1e-5)
    assert 0.15 < expected["top1"] < 0.35


def a_process_killed(photos: Photos, out: Path) -> Iterator[subprocess.Popen[str]]:
    process = start(photos, "--jobs", "2", "--save", out)
    begun(process, out)
    os.kill(thousand.workers(process)[0], signal.SIGKILL)
    yield process


def a_worker_of_dask_killed(photos: Photos, out: Path) -> Iterator[subprocess.Popen[str]]:
    pytest.importorskip("distributed", reason="distributed is not installed, the extra distributed")
    with thousand.cluster() as started:
        process = start(photos, "--scheduler", started.scheduler_address, "--save", out)
        begun(process, out)
        os.kill(started.workers[0].pid, signal.SIGKILL)
        yield process


def an_interrupt(photos: Photos, out: Path) -> Iterator[subprocess.Popen[str]]:
    process = start(photos, "--requests", "2", "--save", out)
    begun(process, out)
    process.send_signal(signal.SIGINT)
    ended = processes.ended(process)
    assert (ended.returncode, ended.stdout) == (130, ""), ended
    assert ended.stderr.endswith("interrupted\n")
    assert COUNT // 8 <= thousand.recorded(out) < COUNT
    yield start(photos, "--save", out)


WAYS: Final = (a_process_killed, a_worker_of_dask_killed, an_interrupt)


@pytest.mark.rest
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_the_figures_are_the_same(
    photos: Photos,
    alone: dict[str, Any],
    tmp_path: Path,
    way: Callable[[Photos, Path], Iterator[subprocess.Popen[str]]],
) -> None:
    for process in way(photos, tmp_path / "out"):
        assert figures(process, photos) == alone
    lines = [json.loads(line) for line in (tmp_path / "out" / RECORDS).read_text().splitlines()]
    assert len({item["input"] for item in lines if item["status"] == "done"}) == len(photos.good)

"""The way from images to inputs: formats, colours, sizes, and options that do not fit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.cli.batch import fit
from irrun.diagnostics.requests import RequestError
from irrun.evaluation.files.images import FORMATS, read_image
from irrun.evaluation.files.preparing import Fit, Preparation, described, prepared
from irrun.model import Loaded, Port, load
from irrun.tensor import Array
from irrun.tensor.element_type import F32
from irrun.tensor.shape import Shape
from tests.cli.conftest import Run
from tests.nets import Net

PIL: Any = pytest.importorskip("PIL.Image", reason="Pillow is not installed, the extra images")
Picture = Callable[..., Path]


def port(shape: str) -> Port:
    return Port(0, "x", ["x"], F32, Shape.parse(shape))


def model(folder: Path, shape: str = "1,3,4,4", notes: Any = None) -> Loaded:
    net = Net(notes=notes)
    net.result(net.layer("Abs", [net.parameter("x", shape)], tensor="y"))
    return load(net.save(folder / "net.xml"))


@pytest.fixture
def picture(tmp_path: Path) -> Picture:
    """Save pixels and return the path."""

    def save(pixels: Any, name: str = "x.png", **options: Any) -> Path:
        path = tmp_path / name
        PIL.fromarray(np.asarray(pixels, np.uint8)).save(path, **options)
        return path

    return save


def image(path: Path, shape: str, how: Preparation = Preparation()) -> Array:  # noqa: B008
    return read_image(path, port(shape), how)


@pytest.mark.parametrize("suffix", [suffix for suffixes in FORMATS.values() for suffix in suffixes])
def test_formats(picture: Picture, suffix: str) -> None:
    """A flat image of each format, whose colours no codec changes by more than one step."""
    name = {value: name for name, values in FORMATS.items() for value in values}[suffix]
    PIL.init()
    if name not in PIL.SAVE:
        pytest.skip(f"this Pillow does not write {name}")
    gray = suffix in (".pgm", ".pbm")
    flat = np.full((8, 8) if gray else (8, 8, 3), 255 if gray else (200, 100, 50), np.uint8)
    path = picture(flat, f"x{suffix}", format=name)
    found = image(path, "1,3,8,8")[0, :, 4, 4]
    np.testing.assert_allclose(found, [255] * 3 if gray else [50, 100, 200], atol=3)


def test_the_order_of_colours(picture: Picture) -> None:
    path = picture(np.full((4, 4, 3), (1, 2, 3)))
    for color, expected in (("rgb", [1, 2, 3]), ("bgr", [3, 2, 1]), (None, [3, 2, 1])):
        assert image(path, "1,3,4,4", Preparation(color=color))[0, :, 0, 0].tolist() == expected
    means = Preparation(color="rgb", mean=(1, 1, 1), scale=(1, 2, 4))
    assert image(path, "1,4,4,3", means)[0, 0, 0].tolist() == [0, 0.5, 0.5]


@pytest.mark.parametrize(
    ("notes", "color"),
    [
        ({}, "bgr"),
        ({"model_info": {"reverse_input_channels": "True"}}, "rgb"),
        ({"model_info": {"reverse_input_channels": "YES", "embedded_processing": "True"}}, "bgr"),
        ({"model_info": {"reverse_input_channels": "False"}}, "bgr"),
        ({"model_info": "none"}, "bgr"),
    ],
)
def test_the_order_that_the_file_names(tmp_path: Path, notes: Any, color: str) -> None:
    loaded = model(tmp_path, notes=notes)
    assert prepared(Preparation(), loaded, loaded.inputs[0]).color == color
    assert prepared(Preparation(color="rgb"), loaded, loaded.inputs[0]).color == "rgb"


def test_crop(picture: Picture) -> None:
    """The centre as of torchvision's Resize and CenterCrop: 8 of 16 columns, or 4 in an image of half the size."""
    columns = np.repeat(np.arange(16, dtype=np.uint8)[np.newaxis] * 10, 8, axis=0)
    path = picture(columns)
    assert image(path, "1,1,8,8", Preparation(fit=Fit("crop")))[0, 0, 0].tolist() == list(range(40, 120, 10))
    assert image(path, "1,1,4,4", Preparation(fit=Fit("crop", 0.5)))[0, 0, 0].tolist() == [60, 70, 80, 90]


def test_letterbox(picture: Picture) -> None:
    path = picture(np.full((2, 4), 7))
    for amount, gray in ((None, 114), (0, 0)):
        found = image(path, "1,1,4,4", Preparation(fit=Fit("letterbox", amount)))[0, 0]
        assert found.tolist() == [[gray] * 4, [7] * 4, [7] * 4, [gray] * 4]
    colours = image(picture(np.full((4, 2, 3), 9)), "1,3,4,4", Preparation(fit=Fit("letterbox")))
    assert colours[0, :, 0].tolist() == [[114, 9, 9, 114]] * 3


@pytest.mark.parametrize(
    ("text", "expected"), [("stretch", Fit()), ("crop:0.875", Fit("crop", 0.875)), ("letterbox:0", Fit("letterbox", 0))]
)
def test_texts_of_a_fit(text: str, expected: Fit) -> None:
    assert fit(None, None, text) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["crop:0", "crop:2", "crop:x", "crop:nan", "stretch:1", "letterbox:256", "zoom", ""])
def test_texts_that_are_no_fit(text: str) -> None:
    with pytest.raises(Exception, match=r"is none of stretch, crop, crop:0\.875, letterbox and letterbox:114"):
        fit(None, None, text)  # type: ignore[arg-type]


def test_one_line_says_what_was_used(tmp_path: Path) -> None:
    how = Preparation(color="rgb", fit=Fit("crop"), mean=(1, 2, 3.5))
    loaded = model(tmp_path)
    assert described(how, loaded, port("1,3,4,8")) == "red first, cropped to 8x4, NCHW, mean 1,2,3.5"
    assert described(Preparation(scale=(255,)), loaded, port("?,?,1")) == "gray, in their own size, HWC, scale 255"
    noted = model(tmp_path, notes={"model_info": {"mean_values": "123 116 103", "scale_values": "58"}})
    assert described(Preparation(scale=(2,)), noted, port("1,3,4,4")) == (
        "blue first, resized to 4x4, NCHW, without the mean values that the file names, 123 116 103, scale 2"
    )


@pytest.mark.parametrize(
    ("shape", "how", "message"),
    [
        ("1,5,2,4", Preparation(), 'input "x" has 5 channels, expected 1 or 3 for images'),
        ("1,3,4,4", Preparation(mean=(1, 2)), "--mean-values has 2 values, expected 3, one for each channel"),
        ("1,3,4,4", Preparation(scale=(1, 0, 1)), "--scale-values has a 0, expected numbers to divide by"),
        ("1,3,4,4", Preparation(layout="NCH"), 'input "x" ([1,3,4,4]) is not an image of the layout NCH'),
        (
            "4,3,4,4",
            Preparation(),
            'input "x" is f32[4,3,4,4], and an image is one of 4; --batch-size 4 joins them, '
            "--shape 'x[1,3,4,4]' reshapes the model",
        ),
    ],
)
def test_options_that_do_not_fit_fail_before_the_run(
    picture: Picture, tmp_path: Path, run: Run, shape: str, how: Preparation, message: str
) -> None:
    loaded = model(tmp_path, shape)
    with pytest.raises(RequestError) as error:
        prepared(how, loaded, loaded.inputs[0])
    assert message in str(error.value)
    for number in range(3):
        picture(np.zeros((4, 4, 3)), f"{number}.png")
    given = {"mean-values": how.mean, "scale-values": how.scale, "layout": how.layout}
    options = [item for name, value in given.items() if value for item in (f"--{name}", ",".join(map(str, value)))]
    if how.layout:
        options = ["--layout", how.layout]
    result = run("run", tmp_path / "net.xml", "--batch", tmp_path / "*.png", "-o", tmp_path / "out", *options)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert message in result.stderr
    assert not (tmp_path / "out").exists()


def test_samples_that_are_no_pixels(tmp_path: Path) -> None:
    path = tmp_path / "x.tiff"
    PIL.fromarray(np.ones((4, 4), np.float32)).save(path)
    with pytest.raises(RequestError, match="it has floating-point samples, expected 8 or 16 bits"):
        image(path, "1,1,4,4")


@pytest.mark.parametrize(
    ("error", "reason"), [(RuntimeError("no frame\nat 3"), "no frame"), (MemoryError(), "MemoryError")]
)
def test_any_exception_of_a_decoder_is_a_fault_of_the_file(
    picture: Picture, monkeypatch: pytest.MonkeyPatch, error: Exception, reason: str
) -> None:
    path = picture(np.zeros((4, 4)))

    def decode(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(PIL.Image, "convert", decode)
    with pytest.raises(RequestError, match=f"cannot be read as an image: {reason}$"):
        image(path, "1,1,4,4")


def test_images_fill_a_fixed_batch(picture: Picture, tmp_path: Path, run: Run) -> None:
    """Five images in batches of two: the sixth place is filled, and dropped."""
    model(tmp_path, "2,1,2,2")
    for number in range(5):
        picture(np.full((2, 2), number), f"{number}.png")
    (tmp_path / "3.png").write_bytes(b"broken")
    given = ("--batch", tmp_path / "*.png", "-o", tmp_path / "out", "--batch-size", "2")
    result = run("run", tmp_path / "net.xml", *given)
    assert result.exit_code == 2
    assert "5 inputs done" not in result.stdout
    assert f"error: {tmp_path / '3.png'} cannot be read as an image" in result.stderr
    found = {number: np.load(tmp_path / "out" / f"{number}.npy") for number in (0, 1, 2, 4)}
    assert {number: array.tolist() for number, array in found.items()} == {
        number: [[[[number] * 2] * 2]] for number in found
    }


def test_notes_of_a_run(picture: Picture, tmp_path: Path, run: Run) -> None:
    model(tmp_path, "1,3,2,2", {"model_info": {"reverse_input_channels": "True"}})
    picture(np.full((2, 2, 3), (1, 2, 3)))
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("x.webp", "a.txt", "b.txt", "c.HEIC", "none"):
        (folder / name).write_bytes((tmp_path / "x.png").read_bytes())
    single = run("run", tmp_path / "net.xml", "-i", tmp_path / "x.png")
    assert f"note: image {tmp_path / 'x.png'}: red first, resized to 2x2, NCHW\n" in single.stderr
    many = run("run", tmp_path / "net.xml", "--batch", folder, "-o", tmp_path / "out")
    assert many.stderr.splitlines()[:2] == [
        "note: images: red first, resized to 2x2, NCHW",
        "note: skipped, as no inputs: 1 without suffix, 1 .heic, 2 .txt",
    ]
    assert np.load(tmp_path / "out" / "x.npy")[0, :, 0, 0].tolist() == [1, 2, 3]
    again = run("run", tmp_path / "net.xml", "--batch", folder, "-o", tmp_path / "out", "--color", "bgr")
    assert again.stdout.startswith("1 input done")
    assert np.load(tmp_path / "out" / "x.npy")[0, :, 0, 0].tolist() == [3, 2, 1]

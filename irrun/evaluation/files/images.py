"""Reads images: resized, cropped or padded to the input, in its order of colours, then mean and scale."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np

from irrun.diagnostics.installing import install
from irrun.diagnostics.requests import RequestError
from irrun.evaluation.files.preparing import COLOURS, PADDING, Preparation, axes
from irrun.model import Port
from irrun.tensor import Array

FORMATS: Final[Mapping[str, tuple[str, ...]]] = {
    "PNG": (".png",),
    "JPEG": (".jpg", ".jpeg", ".jpe", ".jfif"),
    "BMP": (".bmp", ".dib"),
    "WEBP": (".webp",),
    "TIFF": (".tif", ".tiff"),
    "GIF": (".gif",),
    "PPM": (".ppm", ".pgm", ".pbm", ".pnm"),
    "TGA": (".tga",),
    "JPEG2000": (".jp2", ".j2k"),
    "AVIF": (".avif",),
}
"""The formats that are decoded, whatever a file is called, with their suffixes: Pillow runs other programs for some."""

IMAGES: Final = frozenset(suffix for suffixes in FORMATS.values() for suffix in suffixes)

_DEEP: Final = ("I;16", "I;16B", "I;16L", "I;16N", "I")
"""Pillow's names for gray of 16 bits, which it would clip to 8."""


def read_image(path: Path, port: Port, how: Preparation, given: BinaryIO | None = None) -> Array:
    """Return an image as the value of an input; RequestError where either is not an image.

    ``given`` is the content of the file, if it was read already.
    """
    wanted = axes(how, port)
    channels = wanted["C"] or COLOURS
    picture = _decoded(path, channels, given)
    pixels = _pixels(picture, channels, wanted["H"], wanted["W"], how).astype(np.float32)
    mean, scale = np.asarray(how.mean or (0,), np.float32), np.asarray(how.scale or (1,), np.float32)
    pixels = (pixels - mean) / scale
    layout = "".join(wanted)
    array = pixels.transpose(["HWC".index(axis) for axis in layout if axis != "N"])
    array = np.expand_dims(array, layout.index("N")) if "N" in layout else array
    kind = port.element_type.external
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        array = np.clip(np.rint(array), limits.min, limits.max)
    return np.ascontiguousarray(array, dtype=kind)


def _decoded(path: Path, channels: int, given: BinaryIO | None) -> Any:
    """Return the picture in a file, upright, of 8 bits; any exception of a decoder is a fault of the file."""
    image, operations = _pillow(path)
    mode = "L" if channels == 1 else "RGB"
    image.init()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with image.open(given or path, formats=[name for name in FORMATS if name in image.OPEN]) as opened:
                upright = operations.exif_transpose(opened)
                if upright.mode == "F":
                    raise ValueError("it has floating-point samples, expected 8 or 16 bits")
                if upright.mode in _DEEP:
                    upright = image.fromarray((np.asarray(upright) // 256).astype(np.uint8))
                return upright.convert(mode)
    except image.UnidentifiedImageError:
        known = ", ".join(FORMATS)
        raise RequestError(f"{path} cannot be read as an image: it is none of {known}") from None
    except Exception as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise RequestError(f"{path} cannot be read as an image: {reason}") from None


def _pixels(picture: Any, channels: int, height: int | None, width: int | None, how: Preparation) -> Array:
    """Return the pixels as [height, width, channels], in the order of the colours."""
    picture = _fitted(picture, (width or picture.width, height or picture.height), how)
    array = np.asarray(picture)
    return array[..., np.newaxis] if channels == 1 else array[..., :: 1 if how.color == "rgb" else -1]


def _fitted(picture: Any, size: tuple[int, int], how: Preparation) -> Any:
    """Return a picture of a width and a height."""
    if how.fit.name == "stretch":
        return _resized(picture, size)
    ratios = [wanted / own for wanted, own in zip(size, picture.size, strict=True)]
    if how.fit.name == "crop":
        inner = tuple(math.floor(side / (how.fit.amount or 1)) for side in size)
        ratio = max(wanted / own for wanted, own in zip(inner, picture.size, strict=True))
        whole = tuple(max(int(own * ratio + 1e-9), side) for own, side in zip(picture.size, size, strict=True))
        left, top = (round((outer - side) / 2) for outer, side in zip(whole, size, strict=True))
        return _resized(picture, whole).crop((left, top, left + size[0], top + size[1]))
    inner = tuple(max(1, round(own * min(ratios))) for own in picture.size)
    from PIL import Image

    gray = round(PADDING if how.fit.amount is None else how.fit.amount)
    canvas = Image.new(picture.mode, size, gray if picture.mode == "L" else (gray,) * COLOURS)
    left, top = ((side - own) // 2 for side, own in zip(size, inner, strict=True))
    canvas.paste(_resized(picture, inner), (left, top))
    return canvas


def _resized(picture: Any, size: tuple[int, ...]) -> Any:
    from PIL import Image

    return picture if size == picture.size else picture.resize(size, Image.Resampling.BILINEAR)


def _pillow(path: Path) -> tuple[Any, Any]:
    try:
        from PIL import Image, ImageOps
    except ImportError:
        raise RequestError(f"{path} is an image, which needs Pillow; {install('images')}") from None
    import logging

    logger = logging.getLogger("PIL")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    return Image, ImageOps

"""Reads images as benchmark_app of OpenVINO does: resized, blue first, then mean and scale."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.diagnostics.installing import install
from irrun.diagnostics.requests import RequestError
from irrun.model import Port
from irrun.tensor import Array

IMAGES: Final = frozenset({".png", ".jpg", ".jpeg", ".bmp"})

_COLOURS: Final = 3
_FORMATS: Final = ("PNG", "JPEG", "BMP")
"""The formats that are decoded, whatever a file is called: Pillow runs other programs for some."""

_DEEP: Final = ("I;16", "I;16B", "I")
"""Pillow's names for gray of 16 bits, which it would clip to 8."""


class Preparation(NamedTuple):
    """The way from pixels to an input: (pixel - mean) / scale for each channel.

    ``layout`` is a permutation of NCHW or CHW; empty to guess it. ``mean`` and ``scale`` have one value, or one for
    each channel.
    """

    layout: str = ""
    mean: tuple[float, ...] = ()
    scale: tuple[float, ...] = ()


def read_image(path: Path, port: Port, how: Preparation) -> Array:
    """Return an image as the value of an input; RequestError where either is not an image."""
    sizes = _sizes(port)
    layout = how.layout.upper() or _guessed(sizes)
    if sorted(layout) not in (sorted("NCHW"), sorted("CHW")) or len(layout) != len(sizes):
        shape = port.partial_shape
        raise RequestError(
            f'input "{port.any_name}" ({shape}) is not an image of the layout {layout}; --layout names its axes'
        )
    wanted = dict(zip(layout, sizes, strict=True))
    channels = wanted["C"] or _COLOURS
    if channels not in (1, _COLOURS):
        raise RequestError(f'input "{port.any_name}" has {channels} channels, expected 1 or 3 for {path}')
    pixels = _pixels(path, channels, wanted["H"], wanted["W"]).astype(np.float32)
    for name, values in (("mean", how.mean), ("scale", how.scale)):
        if len(values) not in (0, 1, channels):
            raise RequestError(f"--{name}-values has {len(values)} values, expected {channels}, one for each channel")
    mean, scale = np.asarray(how.mean or (0,), np.float32), np.asarray(how.scale or (1,), np.float32)
    pixels = (pixels - mean) / scale
    array = pixels.transpose(["HWC".index(axis) for axis in layout if axis != "N"])
    array = array[np.newaxis] if "N" in layout else array
    array = np.moveaxis(array, 0, layout.index("N")) if "N" in layout else array
    kind = port.element_type.external
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        array = np.clip(np.rint(array), limits.min, limits.max)
    return np.ascontiguousarray(array, dtype=kind)


def _sizes(port: Port) -> list[int | None]:
    dims = port.partial_shape.dims
    return [] if dims is None else [dim.lo if dim.is_static else None for dim in dims]


def _guessed(sizes: list[int | None]) -> str:
    """Return the layout of an image by its sizes: channels are the axis of 1 or 3."""
    last = sizes[-1:] in ([1], [_COLOURS])
    first = sizes[-3:-2] in ([1], [_COLOURS])
    rest = "HWC" if last and not first else "CHW"
    return f"N{rest}" if len(sizes) == 4 else rest


def _pixels(path: Path, channels: int, height: int | None, width: int | None) -> Array:
    """Return the pixels as [height, width, channels], blue first."""
    image, operations = _pillow(path)
    mode = "L" if channels == 1 else "RGB"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with image.open(path, formats=_FORMATS) as opened:
                upright = operations.exif_transpose(opened)
                if upright.mode in _DEEP:
                    upright = image.fromarray((np.asarray(upright) // 256).astype(np.uint8))
                picture = upright.convert(mode)
    except image.UnidentifiedImageError:
        raise RequestError(f"{path} cannot be read as an image: it is not a PNG, JPEG or BMP file") from None
    except (OSError, ValueError, SyntaxError, MemoryError, image.DecompressionBombError) as error:
        raise RequestError(f"{path} cannot be read as an image: {error or 'not enough memory'}") from None
    size = (width or picture.width, height or picture.height)
    if size != picture.size:
        picture = picture.resize(size, image.Resampling.BILINEAR)
    array = np.asarray(picture)
    return array[..., np.newaxis] if channels == 1 else array[..., ::-1]


def _pillow(path: Path) -> tuple[Any, Any]:
    try:
        from PIL import Image, ImageOps
    except ImportError:
        raise RequestError(f"{path} is an image, which needs Pillow; {install('images')}") from None
    return Image, ImageOps

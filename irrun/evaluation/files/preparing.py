"""The way from images to an input: the layout, the order of colours, the size, and the numbers of each channel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from irrun.diagnostics.requests import RequestError
from irrun.evaluation.files.naming import with_batch
from irrun.model import Loaded, Port

COLORS: Final = ("bgr", "rgb")

FITS: Final = {"stretch": "resized to", "crop": "cropped to", "letterbox": "letterboxed to"}
PADDING: Final = 114.0
"""The gray beside a letterboxed image, as of YOLO."""

COLOURS: Final = 3


class Fit(NamedTuple):
    """The way to the size of an input.

    ``stretch`` resizes to it. ``crop`` cuts out the centre: ``amount`` is the share of the shorter side that is kept, 1
    by default. ``letterbox`` keeps the whole image, with the gray ``amount`` beside it, `PADDING` by default.
    """

    name: str = "stretch"
    amount: float | None = None


class Preparation(NamedTuple):
    """The way from pixels to an input: (pixel - mean) / scale for each channel.

    ``layout`` is a permutation of NCHW or CHW; empty to guess it. ``mean`` and ``scale`` have one value, or one for
    each channel, in the order of ``color``: ``bgr``, ``rgb``, or None for what the model says, else ``bgr``.
    """

    layout: str = ""
    mean: tuple[float, ...] = ()
    scale: tuple[float, ...] = ()
    color: str | None = None
    fit: Fit = Fit()


def prepared(how: Preparation, model: Loaded, port: Port, batch_size: int = 1) -> Preparation:
    """Return the preparation of images for an input of a model, with the order of colours that its notes name.

    RequestError where the options do not fit the input, or where an image cannot be its value.
    """
    count = axes(how, port).get("N") or 1
    if count not in (1, batch_size):
        text = with_batch(model, 1)
        what = f'input "{port.any_name}" is {port.element_type}{port.partial_shape}, and an image is one of {count}'
        raise RequestError(f"{what}; --batch-size {count} joins them{f', {text} reshapes the model' if text else ''}")
    return how._replace(color=how.color or _noted(model).color)


def axes(how: Preparation, port: Port) -> dict[str, int | None]:
    """Return the sizes of an input by the letters of its layout; RequestError where the options do not fit them."""
    sizes = _sizes(port)
    layout = how.layout.upper() or _guessed(sizes)
    if sorted(layout) not in (sorted("NCHW"), sorted("CHW")) or len(layout) != len(sizes):
        shape = port.partial_shape
        raise RequestError(
            f'input "{port.any_name}" ({shape}) is not an image of the layout {layout}; --layout names its axes'
        )
    wanted = dict(zip(layout, sizes, strict=True))
    channels = wanted["C"] or COLOURS
    if channels not in (1, COLOURS):
        raise RequestError(f'input "{port.any_name}" has {channels} channels, expected 1 or 3 for images')
    for name, values in (("mean", how.mean), ("scale", how.scale)):
        if len(values) not in (0, 1, channels):
            raise RequestError(f"--{name}-values has {len(values)} values, expected {channels}, one for each channel")
    if 0 in how.scale:
        raise RequestError("--scale-values has a 0, expected numbers to divide by")
    return wanted


class _Notes(NamedTuple):
    """The notes of OpenVINO's Model API on images, apart from those that the model follows by itself."""

    color: str = COLORS[0]
    mean_values: str = ""
    scale_values: str = ""


def _noted(model: Loaded) -> _Notes:
    info = model.notes.get("model_info")
    if not isinstance(info, Mapping) or _is_true(info, "embedded_processing"):
        return _Notes()
    color = "rgb" if _is_true(info, "reverse_input_channels") else COLORS[0]
    return _Notes(color, *(str(info.get(name) or "") for name in ("mean_values", "scale_values")))


def _is_true(info: Mapping[str, Any], name: str) -> bool:
    return str(info.get(name)).lower() in ("true", "yes", "1")


def described(how: Preparation, model: Loaded, port: Port) -> str:
    """Describe how images become an input of a model, as one line."""
    wanted = axes(how, port)
    order = "gray" if wanted["C"] == 1 else f"{'red' if how.color == 'rgb' else 'blue'} first"
    sizes = [wanted["W"], wanted["H"]]
    size = "in their own size" if None in sizes else f"{FITS[how.fit.name]} {sizes[0]}x{sizes[1]}"
    noted, numbers = _noted(model), []
    for name, values, other in (("mean", how.mean, noted.mean_values), ("scale", how.scale, noted.scale_values)):
        if values:
            numbers.append(f"{name} {','.join(f'{value:g}' for value in values)}")
        elif other:
            numbers.append(f"without the {name} values that the file names, {other}")
    return ", ".join([order, size, "".join(wanted), *numbers])


def _sizes(port: Port) -> list[int | None]:
    dims = port.partial_shape.dims
    return [] if dims is None else [dim.lo if dim.is_static else None for dim in dims]


def _guessed(sizes: list[int | None]) -> str:
    """Return the layout of an image by its sizes: channels are the axis of 1 or 3."""
    last = sizes[-1:] in ([1], [COLOURS])
    first = sizes[-3:-2] in ([1], [COLOURS])
    rest = "HWC" if last and not first else "CHW"
    return f"N{rest}" if len(sizes) == 4 else rest

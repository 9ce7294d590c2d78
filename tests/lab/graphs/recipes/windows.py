"""Recipes of operations that slide a window over spatial axes."""

from __future__ import annotations

from typing import Final

import numpy as np

from irrun.tensor.element_type import F32, FLOAT
from tests.lab.graphs.call import ABSENT, Call, Recipe
from tests.lab.graphs.grow import Tensor
from tests.lab.graphs.recipes.makers import data, fixed, ints, pick

_AUTO: Final = ("explicit", "explicit", "explicit", "same_upper", "same_lower", "valid")


def _image(tensor: Tensor) -> bool:
    return tensor.rank in (3, 4, 5) and tensor.array.size > 0


def _taps(call: Call) -> tuple[int, ...]:
    """The size of the window on each axis."""
    return tuple(call.draw.int(1, min(3, size)) for size in call.data.shape[2:])


def _dilations(call: Call) -> tuple[int, ...]:
    return tuple(
        call.draw.int(1, 2) if (taps - 1) * 2 < size else 1
        for taps, size in zip(call["taps"], call.data.shape[2:], strict=True)
    )


def _strides(call: Call) -> tuple[int, ...]:
    return tuple(call.draw.int(1, 3) for _ in call["taps"])


def _pads(call: Call) -> tuple[int, ...]:
    return tuple(call.draw.int(0, taps - 1) for taps in call["taps"])


WINDOW: Final[Recipe] = {
    "data": data(types=FLOAT, suits=_image),
    "taps": _taps,
    "strides": _strides,
    "dilations": _dilations,
    "pads_begin": _pads,
    "pads_end": _pads,
    "auto_pad": pick(*_AUTO),
}


def _kernel(call: Call) -> Tensor:
    return call.tensor(
        "kernel", shape=call["kernel_shape"], low=-1, high=1, constant=1 if call.draw.chance(0.8) else None
    )


def _group_shape(call: Call) -> tuple[int, ...]:
    channels = call.data.shape[1]
    groups = call.draw.pick([number for number in range(1, channels + 1) if channels % number == 0])
    depth = channels // groups
    filters = 1 if depth == 1 and call.draw.chance(0.7) else call.draw.int(1, 3)
    return (groups, filters, depth, *call["taps"])


def _transposed_group(call: Call) -> tuple[int, ...]:
    groups, filters, depth, *taps = _group_shape(call)
    return (groups, depth, filters, *taps)


def _output_padding(call: Call) -> tuple[int, ...]:
    return tuple(call.draw.int(0, stride - 1) for stride in call["strides"])


_TRANSPOSED: Final[Recipe] = {
    **WINDOW,
    "kernel": _kernel,
    "auto_pad": pick("explicit", "explicit", "valid"),
    "dilations": lambda c: tuple(c.draw.int(1, 2) for _ in c["taps"]),
    "output_shape": fixed(ABSENT),
    "output_padding": _output_padding,
}

_POOL: Final[Recipe] = {
    **WINDOW,
    "kernel": lambda c: c["taps"],
    "rounding_type": lambda c: c.draw.pick(c.spec.attribute("rounding_type").choices),
    "axis": lambda c: c.draw.int(0, c.data.rank - 1),
}


def _sizes(call: Call) -> list[int]:
    return [call.draw.int(1, 6) for _ in call["axes_listed"]]


def _axes(call: Call) -> list[int]:
    rank = call.data.rank
    return list(range(2, rank)) if call.draw.chance(0.8) else [rank - 1]


def _interpolate_mode(call: Call) -> str:
    rank, spatial = call.data.rank, call["axes_listed"] == list(range(2, call.data.rank))
    modes = ["nearest", "nearest"]
    if spatial:
        modes += ["linear_onnx", "linear", *(["cubic"] if rank == 4 else [])]
    return str(call.draw.pick(modes))


_RESIZED: Final[Recipe] = {
    "data": data(types=FLOAT, suits=_image),
    "axes_listed": _axes,
    "mode": _interpolate_mode,
    "antialias": fixed(False),
    "pads_begin": fixed(ABSENT),
    "pads_end": fixed(ABSENT),
    "cube_coeff": fixed(ABSENT),
    "coordinate_transformation_mode": pick("half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners"),
}


def _scales(call: Call) -> Tensor:
    """The scales that OpenVINO writes beside the sizes."""
    sizes = zip(call["new_sizes"], call["axes_listed"], strict=True)
    return call.grower.constant(F32, np.array([size / call.data.shape[axis] for size, axis in sizes], np.float32))


RECIPES: Final[dict[str, Recipe]] = {
    "Convolution": {
        **WINDOW,
        "kernel": _kernel,
        "kernel_shape": lambda c: (c.draw.int(1, 4), c.data.shape[1], *c["taps"]),
    },
    "GroupConvolution": {**WINDOW, "kernel": _kernel, "kernel_shape": _group_shape},
    "ConvolutionBackpropData": {
        **_TRANSPOSED,
        "kernel_shape": lambda c: (c.data.shape[1], c.draw.int(1, 3), *c["taps"]),
    },
    "GroupConvolutionBackpropData": {**_TRANSPOSED, "kernel_shape": _transposed_group},
    "MaxPool": _POOL,
    "AvgPool": _POOL,
    "AdaptiveAvgPool": {
        "data": data(types=FLOAT, suits=_image),
        "output_shape": ints("output_shape", lambda c: [c.draw.int(1, 4) for _ in c.data.shape[2:]], 1),
    },
    "AdaptiveMaxPool": {
        "data": data(types=FLOAT, suits=_image),
        "output_shape": ints("output_shape", lambda c: [c.draw.int(1, 4) for _ in c.data.shape[2:]], 1),
    },
    "Interpolate-4": {
        **_RESIZED,
        "new_sizes": _sizes,
        "sizes": ints("sizes", lambda c: c["new_sizes"]),
        "scales": _scales,
        "axes": ints("axes", lambda c: c["axes_listed"], 1),
        "shape_calculation_mode": fixed("sizes"),
    },
    "Interpolate-11": {
        "image": data("image", types=FLOAT, suits=_image),
        **{name: maker for name, maker in _RESIZED.items() if name != "data"},
        "new_sizes": _sizes,
        "scales_or_sizes": ints("scales_or_sizes", lambda c: c["new_sizes"]),
        "axes": ints("axes", lambda c: c["axes_listed"], 1),
        "shape_calculation_mode": fixed("sizes"),
    },
}

"""Products of matrices and convolutions as calls of one kernel: their operands as images, and their epilogue."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from irrun.kernels.casting import rounded
from irrun.kernels.elementwise import Elementwise
from irrun.ops._declared.convolution.spatial import Windows as Spatial
from irrun.ops._declared.fused.fused_products import FusedProduct
from irrun.runtime.lowering.builder import BF16_BITS, F32, U8, Builder, Unsupported, require_elements, require_f32
from irrun.runtime.lowering.conversions import emit_rounding
from irrun.runtime.lowering.copies import emit_copy, emit_padded
from irrun.runtime.packing import FORMS, cut_product
from irrun.runtime.symbolic import Number, largest
from irrun.runtime.view import Operand, View
from irrun.tensor import Array
from irrun.tensor.element_type import F32 as SINGLE
from irrun_kernels.epilogue import Epilogue
from irrun_kernels.host import LANES
from irrun_kernels.native import NOWHERE, Address
from irrun_kernels.pixels import Images, ImageWindows
from irrun_kernels.product import Product, integer_product, product
from irrun_kernels.scalars import UNARY
from irrun_kernels.tiling import padded_columns, padded_depth, panel_vectors


class Operands(NamedTuple):
    """The images, results and summand of products and windows, with the windows and the epilogue.

    Matrices are images of one row. Results are f32, bits of bf16 or bytes, or f32 and one of these.
    """

    x: Operand
    outs: Sequence[Operand]
    summand: Operand | None = None
    epilogue: Epilogue = Epilogue()
    geometry: ImageWindows = ImageWindows()

    @property
    def windows(self) -> ImageWindows:
        """The windows with the sizes of images and results."""
        out = self.outs[0]
        counts, sizes = ((1, *each.shape[2:])[-3:] for each in (out, self.x))
        return self.geometry._replace(images=out.shape[0], counts=counts, sizes=sizes)


class Steps(NamedTuple):
    """The elements from the data of a group to those of the next one, likewise of results and of biases."""

    x: Number
    out: Number
    bias: Number


class Factors(NamedTuple):
    """Right factors: ``weights`` [G, O, I, *K], which ``key`` tells from others that are made of the same ``source``.

    The source is an array of the model. Channels of groups follow each other, unless there are ``steps``. Windows may
    have some of the taps only, with others ``before`` and ``after`` them.
    """

    key: Hashable
    source: Array
    weights: Array
    steps: Steps | None = None
    before: int = 0
    after: int = 0


def emit_product(
    builder: Builder, factors: Factors, given: Operands, bias: Array | None = None, zero: int | None = None
) -> None:
    """Multiply the pixels that windows meet.

    Pixels outside of images have elements ``zero``, None where no window meets any.
    """
    form, geometry, weights = FORMS[given.x.dtype], given.windows, factors.weights
    groups, filters, depth = weights.shape[:3]
    taps, words = math.prod(geometry.taps), -(-depth // form.each)
    points = geometry.images * math.prod(geometry.counts)
    vectors = panel_vectors(filters)
    cut = cut_product(points, taps, words, filters, groups, has_tiles=form.has_tiles())
    panel_depth = padded_depth((factors.before + taps + factors.after) * words, form.is_padded)
    panels = builder.packed(
        (factors.key, form.each),
        factors.source,
        vectors,
        lambda: form.panels(weights.reshape(groups, filters, depth, -1).transpose(0, 3, 2, 1), vectors),
    )
    steps = factors.steps or Steps(depth, filters, filters)
    # Where no result is f32, sums are kept in the workspace.
    end = placed_epilogue(builder, given, 4 * LANES * vectors, builder.constant(bias))
    sums = 0 if end.out.start != NOWHERE else (cut.points + cut.rows) * end.out.pixel
    arguments = Product(
        x=images_of(builder, given.x),
        panels=panels,
        geometry=geometry,
        cut=cut,
        depth=words,
        panel_depth=panel_depth,
        filters=filters,
        epilogue=end,
        zeros=builder.constant(None if zero is None else np.full(form.each * words, zero), given.x.dtype),
        bf16=int(given.x.dtype == BF16_BITS),
        next_x=given.x.itemsize * steps.x,
        next_panels=4 * panel_depth * padded_columns(filters),
        next_out=steps.out,
        next_bias=4 * steps.bias,
        first_row=factors.before * words,
    )
    kernel = integer_product if given.x.dtype == U8 else product
    builder.call(kernel, arguments, groups * cut.tasks, cut.workspace + sums)


def placed_epilogue(builder: Builder, given: Operands, pixel: int, bias: Address = NOWHERE) -> Epilogue:
    """The epilogue with the addresses of results and summand.

    Without f32, a kernel computes these in its workspace, ``pixel`` bytes apart.
    """
    epilogue = given.epilogue._replace(out=Images(pixel=pixel), summand=images_of(builder, given.summand), bias=bias)
    outs: dict[str, Any] = {"out" if out.dtype == F32 else "rounded": images_of(builder, out) for out in given.outs}
    return epilogue._replace(**outs)


def has_epilogue(activation: Elementwise | None) -> bool:
    """Return whether kernels have an activation as their epilogue."""
    return activation is None or activation.name in UNARY


def epilogue(activation: Elementwise | None) -> Epilogue:
    """Return the epilogue of a kernel; Unsupported if it does not have the function."""
    if activation is None:
        return Epilogue()
    if activation.name == "clamp":
        return Epilogue(low=activation.parameters[0], high=activation.parameters[1])
    if not has_epilogue(activation):
        raise Unsupported(f"no epilogue {activation.name}")
    alpha, beta = (*activation.parameters, 0.0, 0.0)[:2]
    return Epilogue(function=UNARY.index(activation.name), alpha=alpha, beta=beta)


def emit_operands(op: FusedProduct, builder: Builder, data: Operand) -> tuple[View, Array]:
    """The data and weights of a product: f32 rounded to the precision, or bits of bf16 and f32 that packing rounds."""
    if data.dtype == BF16_BITS:
        require_elements(data)
        return builder.view(data), op.weights
    if op.precision is not SINGLE:
        return emit_rounding(builder, data, op.precision), op.rounded_weights
    require_f32(data, may_be_found=True)
    return builder.view(data), op.rounded_weights


def are_finite(op: FusedProduct) -> bool:
    """Return whether all weights of a product are finite in its precision."""
    extremes = np.array([op.weights.min(initial=0), op.weights.max(initial=0)], F32)
    return bool(np.isfinite(rounded(extremes, op.precision.name)).all())


def types(op: FusedProduct) -> list[np.dtype[Any]]:
    """The types of the outputs of a product."""
    return [F32] * op.floats + [BF16_BITS] * op.bf16


def as_images(x: Any) -> Any:
    """[N, C, W] as [N, C, 1, W]."""
    return x[:, :, None] if x.ndim == 3 else x


def as_pixels(rows: Any) -> Any:
    """Rows [M, C] as an image of one row."""
    return rows.T[None, :, None]


def images_of(builder: Builder, x: Operand | None) -> Images:
    """The address of images, and the strides of images, planes, rows and pixels."""
    return Images() if x is None else Images(builder.address(x), x.strides[0], *(0, *x.strides[2:])[-3:])


def has_channels_last(x: Operand) -> bool:
    """Return whether the channels of images are neighbours."""
    return x.strides[1] == x.itemsize or x.shape[1] == 1


def emit_channels_last(builder: Builder, x: Operand) -> View:
    """[N, C, *S] whose channels are neighbours: itself or a copy."""
    return builder.view(x) if has_channels_last(x) else emit_copy(builder, x, builder.images(x.shape, x.dtype))


def window_geometry(windows: Spatial, kernel: Sequence[int], x: Operand) -> tuple[ImageWindows, list[int]]:
    """The geometry of windows over up to three axes, and their numbers along each of at least two.

    Unsupported where images are cropped, or have no windows.
    """
    begins, ends, counts = windows.place(x.shape[2:], kernel)
    if any(pad < 0 for pad in (*begins, *ends)) or 0 in counts:
        raise Unsupported("negative pads, or images without windows")
    front = 3 - len(counts)
    taps, strides, dilations = ((*(1,) * front, *each) for each in (kernel, windows.strides, windows.dilations))
    geometry = ImageWindows(taps, strides, dilations, (*(0,) * front, *begins))
    return geometry, [*(1,) * (2 - len(counts)), *counts]


def emit_product_of_rows(
    builder: Builder, factors: Factors, given: Operands, bias: Array | None = None, zero: int = 0
) -> None:
    """Multiply all taps of a row at a time, of one group: they are neighbours in memory, one tap of more channels."""
    weights, taps = factors.weights, given.geometry.taps
    rows = np.moveaxis(weights, -1, 2).reshape(1, weights.shape[1], -1, *weights.shape[3:-1], 1)
    around = _emit_padding(builder, given.x, given.outs[0], given.geometry, zero)
    geometry = given.geometry._replace(taps=(*taps[:2], 1), begins=(0, 0, 0))
    emit_product(builder, factors._replace(weights=rows), given._replace(x=around, geometry=geometry), bias, zero)


def _emit_padding(builder: Builder, x: Operand, out: Operand, geometry: ImageWindows, outside: int) -> View:
    """The images with a number around them, as far as the windows of a result reach."""
    sizes, begins, reached = x.shape[2:], geometry.begins[5 - x.ndim :], []
    for axis in range(2, x.ndim):
        taps, step, dilation, begin = (each[axis + 3 - x.ndim] for each in geometry[:4])
        reach = (out.shape[axis] - 1) * step + (taps - 1) * dilation + 1
        reached.append(largest(reach, begin + x.shape[axis]))
    ends = [whole - begin - size for whole, begin, size in zip(reached, begins, sizes, strict=True)]
    if not any((*begins, *ends)) and (x.strides[1], x.strides[-1]) == (x.itemsize, x.itemsize * x.shape[1]):
        return builder.view(x)
    made = builder.images((*x.shape[:2], *reached), x.dtype)
    return emit_padded(builder, x, made, (0, 0, *begins), np.full(1, outside, x.dtype))

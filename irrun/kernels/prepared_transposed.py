"""Transposed convolution with constant weights: one matrix product, whose parts are added to the result."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irrun.kernels.convolution_blocks import matrix_of
from irrun.kernels.epilogue import Activation, Epilogue
from irrun.kernels.threads import Array, scratch


class PreparedTransposed:
    """Computes activation(transposed convolution of x + bias + summand) for 2D images and weights [I, O, KH, KW]."""

    def __init__(
        self,
        weights: Array,
        strides: Sequence[int],
        dilations: Sequence[int],
        bias: Array | None,
        activation: Activation | None,
    ) -> None:
        depth, self.filters, *self.kernel = weights.shape
        self.weights = np.ascontiguousarray(weights.transpose(0, 2, 3, 1)).reshape(depth, -1)
        self.strides = tuple(strides)
        self.dilations = tuple(dilations)
        self.bias = np.zeros(self.filters, weights.dtype) if bias is None else bias
        self.epilogue = Epilogue(None, activation)

    def __call__(self, x: Array, begins: Sequence[int], out: Array, summand: Array | None = None) -> Array:
        """Convolve x [N, I, H, W] into ``out`` [N, O, H, W], which is channels-last in memory, and return it.

        ``begins`` is the number of rows and columns cropped from the start of the full result.
        """
        images, target = x.transpose(0, 2, 3, 1), out.transpose(0, 2, 3, 1)
        extra = None if summand is None else summand.transpose(0, 2, 3, 1)
        for number, (image, part) in enumerate(zip(images, target, strict=True)):
            self._image(image, begins, part)
            self.epilogue.apply(part, None if extra is None else extra[number])
        return out

    def _image(self, image: Array, begins: Sequence[int], target: Array) -> None:
        """Compute the result of an image."""
        height, width = image.shape[:2]
        products = scratch("transposed", (height, width, *self.kernel, self.filters), image.dtype)
        np.matmul(matrix_of(image), self.weights, out=products.reshape(height * width, -1))
        target[...] = self.bias
        for y, x in np.ndindex(*self.kernel):
            from_rows, to_rows = self._places(0, y, height, target.shape[0], begins[0])
            from_columns, to_columns = self._places(1, x, width, target.shape[1], begins[1])
            part = target[to_rows, to_columns]
            part += products[from_rows, from_columns, y, x]

    def _places(self, axis: int, tap: int, size: int, wanted: int, begin: int) -> tuple[slice, slice]:
        """Return the slices of the input and of the output that a tap connects."""
        stride = self.strides[axis]
        offset = tap * self.dilations[axis] - begin
        start = max(-(offset // stride), 0)
        stop = max(min((wanted - 1 - offset) // stride + 1, size), start)
        first = start * stride + offset
        return slice(start, stop), slice(first, first + (stop - start) * stride, stride)

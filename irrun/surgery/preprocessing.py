"""Preprocessing of inputs as a part of the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from irrun.diagnostics import near_match
from irrun.model import InputError, Loaded
from irrun.model.arguments import find_port
from irrun.openvino.models.model import Model
from irrun.openvino.preprocess import ColorFormat, PrePostProcessor, ResizeAlgorithm
from irrun.openvino.values.types import of_element
from irrun.surgery.ends import loaded
from irrun.tensor.element_type import BY_NAME, F32

COLORS: Final = {item.name.lower().removesuffix("_single_plane"): item for item in ColorFormat if item.value}
RESIZES: Final = {item.name.lower().removeprefix("resize_"): item for item in ResizeAlgorithm}


@dataclass(frozen=True, slots=True)
class Preprocessing:
    """The tensor that the caller passes, and the steps to that of the model: type, colour, size, numbers, layout.

    ``type``, ``layout`` and ``color`` are those of the tensor that the caller passes; ``model_layout`` and
    ``model_color`` those of the model. ``resize`` names an algorithm: then images have any size, or ``size``, height
    and width. ``mean`` is subtracted, and ``scale`` divides: one number, or one for each channel.
    """

    type: str | None = None
    layout: str | None = None
    model_layout: str | None = None
    color: str | None = None
    model_color: str | None = None
    resize: str | None = None
    size: tuple[int, int] | None = None
    mean: Sequence[float] = ()
    scale: Sequence[float] = ()


def preprocess(model: Loaded, steps: Preprocessing, name: str | None = None) -> Loaded:
    """Return a model that preprocesses an input, the only one by default; InputError where the steps do not fit."""
    if name is None and len(model.inputs) != 1:
        raise InputError(f"the model has {len(model.inputs)} inputs, expected the name of one")
    index = find_port(model.inputs, 0 if name is None else name, "input").index
    made = Model.of(model)
    try:
        processor: Any = PrePostProcessor(made)
        _add(processor.input(index), steps, is_float=model.inputs[index].element_type.is_float)
        return loaded(processor.build())
    except RuntimeError as error:
        raise InputError(str(error).partition("\n")[0]) from None


def _add(input: Any, steps: Preprocessing, *, is_float: bool) -> None:
    tensor, inner, pre = input.tensor(), input.model(), input.preprocess()
    if steps.type is not None:
        if steps.type not in BY_NAME:
            raise InputError(f'no element type "{steps.type}"{near_match(steps.type, BY_NAME)}')
        tensor.set_element_type(of_element(BY_NAME[steps.type]))
    if steps.layout is not None:
        tensor.set_layout(steps.layout)
    if steps.model_layout is not None:
        inner.set_layout(steps.model_layout)
    if steps.color is not None:
        tensor.set_color_format(COLORS[steps.color])
    if steps.resize is not None and steps.size is None:
        tensor.set_spatial_dynamic_shape()
    elif steps.size is not None:
        tensor.set_spatial_static_shape(*steps.size)
    if is_float and steps.type is not None and not BY_NAME[steps.type].is_float:
        pre.convert_element_type(of_element(F32))
    if steps.model_color is not None:
        pre.convert_color(COLORS[steps.model_color])
    if steps.resize is not None:
        pre.resize(RESIZES[steps.resize])
    for add, values in ((pre.mean, steps.mean), (pre.scale, steps.scale)):
        if values:
            add(list(values) if len(values) > 1 else values[0])

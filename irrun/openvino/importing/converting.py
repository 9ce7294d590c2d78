"""``convert_model`` for models that need no conversion."""

from __future__ import annotations

import os
from typing import Any

from irrun.openvino.importing.absent import CONVERSION
from irrun.openvino.models.model import Model
from irrun.openvino.running.core import read_model


def convert_model(
    input_model: Any,
    input: Any = None,
    output: Any = None,
    example_input: Any = None,
    extension: Any = None,
    verbose: bool = False,
    share_weights: bool = True,
    dynamo: bool = False,
) -> Model:
    """Read an IR, or return a Model as it is; RuntimeError for models of other frameworks.

    An IR has the inputs and outputs that it has: RuntimeError for ``input`` and ``output``, which select others.
    ``extension`` is a Python file, module or class of operations, or a list of them. The other arguments concern
    conversions.
    """
    if input is not None or output is not None:
        raise RuntimeError("convert_model reads an IR as it is; Model.reshape gives its inputs other shapes")
    if isinstance(input_model, Model):
        return input_model
    if not isinstance(input_model, str | os.PathLike):
        raise RuntimeError(f"{type(input_model).__name__} is not the path of an IR: {CONVERSION}")
    extensions = [] if extension is None else extension if isinstance(extension, list) else [extension]
    return read_model(input_model, extensions=extensions)

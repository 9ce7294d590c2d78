"""The formulas of the models of ``docs/faults``, for which OpenVINO returns wrong numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import irrun.model

Array = npt.NDArray[Any]

FAULTS: Final = Path(__file__).resolve().parents[1] / "docs" / "faults"


def _softmax(x: Array) -> Array:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def _attention_over_its_queries(q: Array, k: Array, v: Array) -> Array:
    return (_softmax(-q @ k) @ v).transpose(0, 2, 1, 3)


def _product_with_transposed_weights(x: Array) -> Array:
    return x @ np.array([[[1.0, 3.0]], [[2.0, 4.0]]], np.float32)


def _bias_behind_a_mask(mask: Array) -> Array:
    return (1 - mask) * np.float32(-1e9) + np.array([[0.25, -0.5, 1.0, 2.0]], np.float32)


FORMULAS: Final[dict[str, Callable[..., Array]]] = {
    "attention_over_its_queries": _attention_over_its_queries,
    "product_with_transposed_weights": _product_with_transposed_weights,
    "bias_behind_a_mask": _bias_behind_a_mask,
}


def inputs_of(name: str) -> dict[str, Array]:
    """Return inputs that show the fault: a mask that hides nothing, random numbers elsewhere."""
    random = np.random.default_rng(0)
    return {
        port.any_name: np.ones(shape, np.float32)
        if port.any_name == "mask"
        else random.standard_normal(shape).astype(np.float32)
        for port in irrun.model.load(FAULTS / f"{name}.xml").inputs
        for shape in (tuple(map(int, port.shape)),)
    }

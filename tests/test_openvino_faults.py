"""Models for which OpenVINO returns wrong numbers: irrun returns those of the formula, on both tiers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest

import irrun.model

Array = npt.NDArray[Any]

DOCS: Final = Path(__file__).resolve().parents[1] / "docs"


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


def test_every_file_has_a_formula_and_a_section() -> None:
    text = (DOCS / "openvino-faults.md").read_text(encoding="utf-8")
    assert {path.stem for path in (DOCS / "faults").glob("*.xml")} == FORMULAS.keys()
    assert all(f"| [{name}](#{name.replace('_', '-')})" in text for name in FORMULAS)


@pytest.mark.parametrize("tier", ["numpy", "compiled"])
@pytest.mark.parametrize("name", FORMULAS)
def test_irrun_follows_the_formula(name: str, tier: str) -> None:
    compiled = irrun.model.build(irrun.model.load(DOCS / "faults" / f"{name}.xml"), {"TIER": tier})
    random = np.random.default_rng(0)
    inputs = {
        port.any_name: random.standard_normal(tuple(map(int, port.shape))).astype(np.float32)
        for port in compiled.inputs
    }
    (found,) = compiled.session().run(inputs).to_tuple()
    np.testing.assert_allclose(found, FORMULAS[name](**inputs), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("tier", ["numpy", "compiled"])
def test_nothing_hidden_leaves_the_bias(tier: str) -> None:
    compiled = irrun.model.build(irrun.model.load(DOCS / "faults" / "bias_behind_a_mask.xml"), {"TIER": tier})
    (found,) = compiled.session().run({"mask": np.ones((1, 4), np.float32)}).to_tuple()
    np.testing.assert_array_equal(found, [[0.25, -0.5, 1, 2]])

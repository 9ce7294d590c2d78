"""Settings that cannot be used, shapes and inputs in their several forms, and random inputs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irrun.model
from irrun.document.writer import Writer
from irrun.model.loaded import as_shape
from irrun.model.random_inputs import random_input
from irrun.tensor import ElementType, Shape
from irrun.tensor.element_type import BOOLEAN, BY_NAME, F32, I8, I32, STRING


def pair(folder: Path, first: ElementType = F32, shape: str = "2") -> Path:
    """Write a model that returns its two inputs, x and y."""
    ir = Writer("pair")
    for name, type in (("x", first), ("y", F32)):
        ir.result(ir.parameter(name, type, Shape.parse(shape)), f"{name}_out")
    ir.save(folder / "pair.xml")
    return folder / "pair.xml"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"TIMEOUT": 0}, "TIMEOUT is 0, expected a positive number or None"),
        ({"TIMEOUT": "soon"}, "TIMEOUT is 'soon', expected a positive number or None"),
        ({"OPTIMIZE": 1}, "OPTIMIZE is 1, expected True, False, or"),
        ({"OPTIMIZE": {"disable": "fold"}}, "expected True, False, or"),
        (
            {"OPTIMIZE": {"disable": ["fuse-atention"]}},
            'there is no pass "fuse-atention"; did you mean fuse-attention?',
        ),
        ({"EXECUTION_MODE_HINT": "FAST"}, "EXECUTION_MODE_HINT is 'FAST', expected PERFORMANCE or ACCURACY"),
        ({"TIER": "gpu"}, "TIER is 'gpu', expected auto, numpy or compiled"),
        ({"INFERENCE_NUM_THREADS": -1}, "INFERENCE_NUM_THREADS is -1, expected an integer of at least 0"),
        ({"INFERENCE_NUM_THREADS": "many"}, "INFERENCE_NUM_THREADS is 'many', expected an integer of at least 0"),
        ({"LOW_MEMORY": "maybe"}, "LOW_MEMORY is 'maybe', expected True or False"),
        ({"INFERENCE_PRECISION_HINT": "i8"}, "INFERENCE_PRECISION_HINT is 'i8', expected"),
    ],
    ids=str,
)
def test_settings_that_cannot_be_used(settings: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(irrun.model.config.ConfigError, match=re.escape(message)):
        irrun.model.build(pair(tmp_path), settings)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([np.zeros(2, np.float32)], "expected 2 inputs, got 1"),
        (np.zeros(2, np.float32), "one array is given, expected one for each of the 2 inputs"),
        ({5: np.zeros(2, np.float32)}, "there is no input 5; the model has 2"),
    ],
    ids=["too few", "one array", "no such index"],
)
def test_wrong_number_of_inputs(inputs: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(irrun.InputError, match=message):
        irrun.model.build(pair(tmp_path))(inputs)


def test_integers_outside_the_type(tmp_path: Path) -> None:
    compiled = irrun.model.build(pair(tmp_path, I8))
    other = np.zeros(2, np.float32)
    assert compiled({"x": np.array([-128, 127]), "y": other})[0].tolist() == [-128, 127]
    for value, outside in (([0, 128], 128), ([-129, 500], -129)):
        with pytest.raises(irrun.InputError, match=f'input "x" holds {outside}, expected i8, -128 to 127'):
            compiled({"x": np.array(value), "y": other})


def test_inputs_by_port(tmp_path: Path) -> None:
    compiled = irrun.model.build(pair(tmp_path))
    values = [np.array([1, 2], np.float32), np.array([3, 4], np.float32)]
    results = compiled(dict(zip(reversed(compiled.inputs), values, strict=True)))
    assert [results[port].tolist() for port in compiled.outputs] == [[3, 4], [1, 2]]


def test_shapes_in_every_form() -> None:
    for value in (Shape.parse("1,?,2..5"), "1,?,2..5", [1, -1, "2..5"], (1, None, "2..5")):
        assert str(as_shape(value)) == "[1,?,2..5]"


@pytest.mark.parametrize(
    ("type", "kind", "low", "high"),
    [(BOOLEAN, "b", 0, 1), (I32, "i", 0, 9), (BY_NAME["u2"], "u", 0, 3), (F32, "f", -9, 9)],
    ids=str,
)
def test_random_inputs(type: ElementType, kind: str, low: int, high: int, tmp_path: Path) -> None:
    port = irrun.model.build(pair(tmp_path, type, "3,50")).inputs[0]
    made = random_input(port, 7)
    assert (made.shape, made.dtype.kind) == ((3, 50), kind)
    assert low <= made.min() < made.max() <= high
    np.testing.assert_array_equal(made, random_input(port, 7))
    assert not np.array_equal(made, random_input(port, 8))


def test_random_words(tmp_path: Path) -> None:
    made = random_input(irrun.model.build(pair(tmp_path, STRING, "4")).inputs[0])
    assert all(len(word) == 5 and word.isalpha() and word.islower() for word in made.tolist())
    assert len(set(made.tolist())) == 4


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ("...", "has a dynamic rank, expected a shape for its random value"),
        ("4294967296,4294967296", "too many for a random"),
    ],
)
def test_random_inputs_that_cannot_be_made(shape: str, message: str, tmp_path: Path) -> None:
    loaded = irrun.model.load(pair(tmp_path, F32, shape))
    with pytest.raises(irrun.InputError, match=message):
        random_input(loaded.inputs[0])

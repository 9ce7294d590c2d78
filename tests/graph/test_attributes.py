"""Attributes of layers: execution uses the values that OpenVINO reads, whatever the linter reports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irrun.model
from irrun.linter import lint
from tests.ops.test_attributes import asked, net

X = np.arange(-4, 28, dtype=np.float32).reshape(1, 8, 2, 2)


def findings(text: str, tmp_path: Path) -> list[tuple[str, str]]:
    path = tmp_path / "model.xml"
    path.write_text(text, encoding="utf-8")
    return [(item.code, item.message) for item in lint(path)]


def output(text: str, inputs: int = 1) -> np.ndarray:
    found: np.ndarray = irrun.model.build(irrun.model.load(text.encode()))([X] * inputs)[0]
    return found


CLIPPED = np.clip(X, -1, 6)


@pytest.mark.parametrize(
    "data", ['min="-1" max="6" precision="FP32"', 'min="-1" max="6" PrimitivesPriority="cpu"', 'min="-1f" max="6.0"']
)
def test_what_means_nothing_is_silent(data: str, tmp_path: Path) -> None:
    text = net("Clamp", data, 1, declared=True)
    assert findings(text, tmp_path) == []
    np.testing.assert_array_equal(output(text), CLIPPED)


READ = [
    ('min="-1" max="6" note="relu6"', "Clamp has no attribute note", (-1, 6)),
    ('min="-1" max="6" mini="0"', "Clamp has no attribute mini", (-1, 6)),
    ('mim="-1" max="6"', "Clamp has no attribute mim; did you mean min?", (0, 6)),
    ('least="-1" max="6"', "Clamp has no attribute least, and lacks min, which it requires", (0, 6)),
    ('max="6"', "Clamp requires the attribute min", (0, 6)),
    ('min="-1,5" max="6"', 'min="-1,5" is not a number', (-1, 6)),
    ('min="-1" max="6e0.5"', 'max="6e0.5" is not a number', (-1, 6)),
]
REFUSED = ['min="" max="6"', 'min="-1" max="1e"', 'min="-1" max="1e400"', 'min="+inf" max="6"', 'min="7" max="six"']


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    """The attributes that OpenVINO reads, None where it refuses them, by the text of the attributes."""
    texts = [*(data for data, _, _ in READ), *REFUSED]
    return dict(zip(texts, asked(net("Clamp", data, 1, declared=True) for data in texts), strict=True))


@pytest.mark.parametrize(("data", "message", "bounds"), READ)
def test_what_runs_is_what_openvino_reads(
    data: str, message: str, bounds: tuple[float, float], answers: dict[str, Any], tmp_path: Path
) -> None:
    """Each fault is one finding; an unknown attribute is ignored, and an absent one has OpenVINO's default."""
    text = net("Clamp", data, 1, declared=True)
    assert [found for _, found in findings(text, tmp_path)] == [message]
    assert answers[data] == {"min": bounds[0], "max": bounds[1]}
    np.testing.assert_array_equal(output(text), np.clip(X, *bounds))


def test_a_word_that_is_no_boolean_counts_as_absent(tmp_path: Path) -> None:
    data = 'kernel="1,1" strides="1,1" pads_begin="0,1" pads_end="0,0" exclude-pad="'
    no, absent, yes = (net("AvgPool", f'{data}{word}"', 1) for word in ("false", "no", "TRUE"))
    assert findings(absent, tmp_path) == [("IR305", 'exclude-pad="no" is not true or false')]
    np.testing.assert_array_equal(output(absent), output(yes))
    assert np.isnan(output(yes)).any() or not np.array_equal(output(yes), output(no))


@pytest.mark.parametrize("data", REFUSED)
def test_what_openvino_refuses_does_not_run(data: str, answers: dict[str, Any], tmp_path: Path) -> None:
    text = net("Clamp", data, 1, declared=True)
    assert answers[data] is None
    assert [code for code, _ in findings(text, tmp_path)] == ["IR305"]
    with pytest.raises(irrun.IRError, match="is not a number"):
        irrun.model.build(irrun.model.load(text.encode()))


def test_a_required_attribute_without_a_default_is_demanded(tmp_path: Path) -> None:
    text = net("Split", 'num_split="2"', 1)
    assert findings(text, tmp_path)[0][0] == "IR302"
    with pytest.raises(irrun.IRError, match="did you mean num_splits"):
        irrun.model.build(irrun.model.load(text.encode()))


def test_legacy_attributes_belong_to_their_operation(tmp_path: Path) -> None:
    data = 'kernel="1,1" strides="1,1" pads_begin="0,0" pads_end="0,0" rounding_type="floor"'
    of_old, elsewhere = net("MaxPool", f'{data} eta="1.0"', 1), net("ReLU", 'output_padding="0,0"', 1)
    assert findings(of_old, tmp_path)[0] == ("IR302", "MaxPool has no attribute eta")
    assert findings(elsewhere, tmp_path)[0] == ("IR302", "ReLU has no attribute output_padding")


def test_a_default_of_openvino_may_be_what_the_specification_forbids(tmp_path: Path) -> None:
    """FakeQuantize without levels: OpenVINO reads 0, counts one step less without a sign, and so scales only."""
    text = net("FakeQuantize", "", 5, declared=True)
    assert findings(text, tmp_path) == [("IR303", "FakeQuantize requires the attribute levels")]
    limits = [np.full_like(X, limit) for limit in (-4, 28, -1, 1)]
    found = irrun.model.build(irrun.model.load(text.encode()))([X, *limits])[0]
    np.testing.assert_allclose(found, (X + 4) / 16 - 1, rtol=1e-6)
    with pytest.raises(irrun.IRError, match="levels is 1, expected >= 2"):
        irrun.model.build(irrun.model.load(text.replace("<data />", '<data levels="1"/>').encode()))

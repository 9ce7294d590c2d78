"""Departures that operations recognise in a layer, by its attributes and by what is known of its inputs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from irrun.ops._declared.sequence.lstm_cell import LSTMCellV1
from irrun.ops._declared.tokenizers.wordpiece_tokenizer import WordpieceTokenizer
from irrun.ops.registry import resolve
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32, I64


class Layer(NamedTuple):
    """A layer with facts of its inputs; the values of some inputs are computed at run time."""

    inputs: tuple[Fact, ...]
    varying: tuple[int, ...] = ()
    outputs: tuple[Fact, ...] = ()

    def varies(self, *ports: int) -> bool:
        return any(port in self.varying for port in ports)

    def is_constant(self) -> bool:
        return False


def fact(shape: str) -> Fact:
    return Fact(F32, Shape.parse(shape))


def known(*values: int) -> Fact:
    return Fact.of(I64, np.array(values, np.int64))


def shown(type: str, layer: Layer, **attributes: Any) -> list[str]:
    operation, _, version = type.partition("-")
    declared: Any = resolve(operation, f"opset{version}")
    op = declared(**attributes)
    found = (departure.found(op, layer) for departure in declared.spec.recognised)
    return [text for text in found if text is not None]


@pytest.mark.parametrize(
    ("data", "axes", "sizes", "expected"),
    [
        ("4,6", known(1), known(8), ["writes beyond its memory where signal_size 8 exceeds the 6 of axis 1"]),
        ("4,6", known(0, 1), known(4, 6), []),
        ("4,6", known(1), known(-1), []),
        ("4,6", known(5), known(8), []),
        ("...", known(1), known(8), []),
        ("4,6", Fact(I64, Shape([1])), known(8), []),
        ("4,6", known(1), Fact(I64, Shape([1])), []),
    ],
)
def test_signals_that_grow(data: str, axes: Fact, sizes: Fact, expected: list[str]) -> None:
    assert shown("RDFT-9", Layer((fact(data), axes, sizes))) == expected


@pytest.mark.parametrize(
    ("data", "varying", "is_shown"), [("?,5,4", (2,), True), ("?,5,4", (), False), ("1,5,4", (2,), False)]
)
def test_lengths_of_sequences(data: str, varying: tuple[int, ...], is_shown: bool) -> None:
    layer = Layer((fact(data), fact("?,1,3"), fact("?")), varying)
    what = f"ignores sequence_lengths of a RNNSequence whose data {Shape.parse(data)} are dynamic"
    assert shown("RNNSequence-5", layer, hidden_size=3, direction="forward") == ([what] if is_shown else [])


@pytest.mark.parametrize("order", ["fico", "ifco"])
def test_the_order_of_gates(order: str) -> None:
    op = LSTMCellV1(hidden_size=3, weights_format=order)
    found = [text for item in LSTMCellV1.spec.recognised if (text := item.found(op, Layer(()))) is not None]
    what = f'takes the gates in the order "fico" and ignores weights_format="{order}"'
    assert found == ([] if order == "fico" else [what])


def test_an_empty_word_is_the_token_that_follows() -> None:
    """OpenVINO reads beyond its end; at the end of all words it is unknown."""
    begins, ends = np.array([0, 2, 2], np.int32), np.array([2, 2, 4], np.int32)
    tokens = [b"un", b"##a", b"ab"]
    stops = np.cumsum([len(token) for token in tokens]).astype(np.int32)
    starts = (stops - [len(token) for token in tokens]).astype(np.int32)
    table = [starts, stops, np.frombuffer(b"".join(tokens), np.uint8), np.array(9)]
    rows = np.array([0, 2], np.int32), np.array([2, 3], np.int32)
    chars = np.frombuffer(b"unab", np.uint8)
    made = WordpieceTokenizer().run(*rows, begins, ends, chars, *table)
    assert made[2].tolist() == [0, 2, 2]
    last = WordpieceTokenizer().run(*rows, np.array([0, 2, 4], np.int32), np.array([2, 4, 4], np.int32), chars, *table)
    assert last[2].tolist() == [0, 2, 9]

from __future__ import annotations

import numpy as np

from irrun.kernels.text.ragged import shortened_pair
from irrun.ops import Array, Fact, In, Op, OpError, Out, attr, op
from irrun.ops._declared.tokenizers.ports import expect_count, expect_type, same_shape
from irrun.tensor.element_type import ANY, BOOLEAN, I32, NUMERIC, U8

_MODES = ("only_first", "only_second", "longest_first")


@op("Truncate", opset="extension")
class Truncate(Op):
    """Rows of one or two ragged tensors, cut to a number of elements, for two of them together.

    Mode "only_first" or "only_second" cuts that tensor to the whole number, "longest_first" leaves each half of it and
    what the other does not need. With one tensor the mode has no effect.
    """

    inputs = (
        In("begins", I32, "the first element of each row"),
        In("ends", I32, "the end of each row, exclusive"),
        In("data", NUMERIC | {BOOLEAN}, "the elements of all rows"),
        In(
            "more",
            ANY,
            "begins, ends and data of a second tensor; then max_length (i32), side (u8: left or right) and mode (u8: "
            "only_first, only_second, longest_first)",
            variadic=True,
        ),
    )
    outputs = (Out("truncated", ANY, "begins, ends and data of each tensor", variadic=True),)

    m_num_inputs: int = attr(0, doc="no effect")

    def infer(self, *inputs: Fact) -> tuple[Fact, ...]:
        expect_count(inputs, 0, (6, 9), self.type)
        found: list[Fact] = []
        for first in range(0, len(inputs) - 3, 3):
            expect_type(inputs[first], I32, "begins", first)
            expect_type(inputs[first + 1], I32, "ends", first + 1)
            rows = same_shape(*inputs[first : first + 2], input=first)
            found += (Fact(I32, rows), Fact(I32, rows), Fact(inputs[first + 2].type, inputs[first + 2].shape))
        if len(found) == 6 and found[0].shape.merge(found[3].shape) is None:
            what = f"both tensors must have the same number of rows, got {found[0].shape} and {found[3].shape}"
            raise OpError(what, input=3)
        last = len(inputs) - 3
        expect_type(inputs[last], I32, "max_length", last)
        for index, (name, words) in enumerate({"side": ("left", "right"), "mode": _MODES}.items(), last + 1):
            expect_type(inputs[index], U8, name, index)
            word = inputs[index].constant
            if word is not None:
                _word(word, name, words, index)
        return tuple(found)

    def run(self, *inputs: Array) -> tuple[Array, ...]:
        *tensors, length, side, mode = inputs
        last, longest = len(tensors), int(length.reshape(-1)[0])
        is_left = _word(side, "side", ("left", "right"), last + 1) == "left"
        kept = [tensors[at + 1].astype(np.int64) - tensors[at] for at in range(0, last, 3)]
        if len(kept) == 1:
            kept = [np.minimum(kept[0], longest)]
        else:
            kept = [*shortened_pair(kept[0], kept[1], longest, _word(mode, "mode", _MODES, last + 2))]
        found: list[Array] = []
        for at, size in zip(range(0, last, 3), kept, strict=True):
            begins, ends, data = tensors[at : at + 3]
            found += (ends - size if is_left else begins, ends if is_left else begins + size, data)
        return tuple(found)


def _word(value: Array, name: str, words: tuple[str, ...], input: int) -> str:
    text = value.tobytes().decode("utf-8", "replace")
    if text not in words:
        raise OpError(f"{name} is {text!r}, expected {', '.join(words[:-1])} or {words[-1]}", input=input)
    return text

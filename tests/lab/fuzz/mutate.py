"""Mutates an IR and its weights: values, elements and edges more often than single bytes."""

from __future__ import annotations

import random
import re
import struct
from collections.abc import Callable, Sequence
from typing import Final

from irrun.ops.registry import resolve
from tests.lab.fuzz.targets import parts

MOST_STEPS: Final = 4
LARGEST: Final = 1 << 18
"""Bytes of a mutant; seeds may be larger."""

NUMBERS: Final = (
    *(
        "-1",
        "0",
        "1",
        "2",
        "3",
        "7",
        "64",
        "65",
        "255",
        "256",
        "-2",
        "-128",
        "?",
        "1..",
        "2..5",
        "0.5",
        "1e-45",
        "1e400",
    ),
    *("2147483647", "2147483648", "-2147483648", "9223372036854775807", "9223372036854775808", "-9223372036854775809"),
    *("1000000000000000000", "4294967296", "nan", "inf", "-inf", "", " ", "true", "false", "0x10", "１", "1_0", "+1"),
)
WORDS: Final = (
    *(
        "f32",
        "f16",
        "bf16",
        "i64",
        "i32",
        "i4",
        "u1",
        "u4",
        "nf4",
        "boolean",
        "string",
        "dynamic",
        "FP32",
        "FP16",
        "I64",
    ),
    *("same_upper", "same_lower", "valid", "explicit", "floor", "ceil", "numpy", "bidirectional", "opset1", "opset13"),
    *("reflect", "symmetric", "cubic", "linear_onnx", "&lt;", "&#0;", "&#x1F600;", "'", "../../evil", "\ud7ff"),
)
TYPES: Final = (
    *(
        "Parameter",
        "Const",
        "Result",
        "Add",
        "MatMul",
        "Concat",
        "Reshape",
        "Transpose",
        "Gather",
        "Split",
        "Loop",
        "If",
    ),
    *("TensorIterator", "Broadcast", "Range", "Tile", "Pad", "Convolution", "MaxPool", "ReadValue", "Assign", "TopK"),
    *(
        "NonMaxSuppression",
        "LSTMSequence",
        "StridedSlice",
        "ShapeOf",
        "Convert",
        "FakeQuantize",
        "Interpolate",
        "Einsum",
    ),
)
_VALUE: Final = re.compile(rb'(?<==")[^"<]{0,200}(?=")')
_DIM: Final = re.compile(rb"(?<=<dim>)[^<]{0,40}(?=</dim>)")
_ELEMENTS: Final = tuple(
    re.compile(pattern, re.DOTALL)
    for pattern in (
        rb"<layer .{0,20000}?</layer>",
        rb"<port .{0,3000}?</port>",
        rb"<edge [^>]{0,300}/>",
        rb"<data [^>]{0,1000}/>",
        rb"<dim>[^<]{0,40}</dim>",
        rb"<body>.{0,30000}?</body>",
        rb"<port_map>.{0,3000}?</port_map>",
        rb"<(?:input|output) [^>]{0,300}/>",
        rb"<edge [^>]{0,100}/>\s*<edge [^>]{0,100}/>",
    )
)
_TYPE: Final = re.compile(rb'(?<=type=")[A-Za-z]{1,40}(?=")')
_EDGE_END: Final = re.compile(rb'(?<=-layer=")\d{1,9}(?=")|(?<=-port=")\d{1,9}(?=")')

assert all(resolve(type, "opset15") for type in TYPES)


class Mutator:
    """Makes mutants of seeds. The same seed number makes the same mutants."""

    def __init__(self, seeds: Sequence[bytes], number: int) -> None:
        self.seeds = seeds
        self.random = random.Random(number)

    def mutant(self) -> bytes:
        """Return a seed after one to a few changes."""
        return self.mutated(self.random.choice(self.seeds))

    def mutated(self, data: bytes) -> bytes:
        xml, weights = parts(data)
        for _ in range(self.random.randint(1, MOST_STEPS)):
            if weights and self.random.random() < 0.15:
                weights = self._weights(weights)
            else:
                xml = self.random.choices(_CHANGES, _SHARES)[0](self, xml)
        return xml[:LARGEST].replace(b"\0", b"") + b"\0" + weights

    def _pick(self, pattern: re.Pattern[bytes], xml: bytes) -> tuple[int, int] | None:
        """Return a match near a random place, or the first one."""
        at = self.random.randrange(len(xml) + 1)
        found = pattern.search(xml, at) or pattern.search(xml)
        return None if found is None else found.span()

    def _put(self, xml: bytes, span: tuple[int, int] | None, content: bytes) -> bytes:
        return xml if span is None else xml[: span[0]] + content + xml[span[1] :]

    def value(self, xml: bytes) -> bytes:
        span = self._pick(_VALUE, xml)
        if span is None:
            return xml
        text = xml[slice(*span)].decode("utf-8", errors="replace")
        listed = text.split(",")
        chosen = self.random.choice([NUMBERS, NUMBERS, WORDS])
        match self.random.randrange(5):
            case 0:
                listed[self.random.randrange(len(listed))] = self.random.choice(chosen)
            case 1:
                listed.insert(self.random.randrange(len(listed) + 1), self.random.choice(chosen))
            case 2:
                del listed[self.random.randrange(len(listed))]
            case 3:
                other = self._pick(_VALUE, xml)
                return self._put(xml, span, xml[slice(*other)] if other is not None else b"")
            case _:
                listed = [self.random.choice(chosen)]
        return self._put(xml, span, ",".join(listed).encode("utf-8", errors="replace"))

    def dim(self, xml: bytes) -> bytes:
        return self._put(xml, self._pick(_DIM, xml), self.random.choice(NUMBERS).encode())

    def type(self, xml: bytes) -> bytes:
        return self._put(xml, self._pick(_TYPE, xml), self.random.choice(TYPES).encode())

    def wire(self, xml: bytes) -> bytes:
        return self._put(xml, self._pick(_EDGE_END, xml), str(self.random.randrange(9)).encode())

    def element(self, xml: bytes) -> bytes:
        """Delete, repeat, move or exchange an element."""
        pattern = self.random.choice(_ELEMENTS)
        span = self._pick(pattern, xml)
        if span is None:
            return xml
        content = xml[slice(*span)]
        match self.random.randrange(4):
            case 0:
                return self._put(xml, span, b"")
            case 1:
                return self._put(xml, span, content * self.random.choice([2, 2, 3, 20]))
            case 2:
                other = parts(self.random.choice(self.seeds))[0]
                found = self._pick(pattern, other)
                return self._put(xml, span, content if found is None else other[slice(*found)])
        target = self._pick(pattern, xml)
        return xml if target is None else xml[: target[0]] + content + xml[target[0] :]

    def raw(self, xml: bytes) -> bytes:
        """Change bytes without regard to the structure."""
        at = self.random.randrange(len(xml) + 1)
        end = min(len(xml), at + self.random.choice([0, 1, 1, 4, 64]))
        match self.random.randrange(4):
            case 0:
                return xml[:at] + self.random.randbytes(self.random.choice([1, 2, 8])) + xml[end:]
            case 1:
                return xml[:at] + xml[end:]
            case 2:
                return xml[:at]
        return xml[:at] + xml[at:end] * self.random.choice([2, 3, 100]) + xml[end:]

    def _weights(self, weights: bytes) -> bytes:
        at = self.random.randrange(len(weights))
        match self.random.randrange(4):
            case 0:
                return weights[:at]
            case 1:
                return weights + self.random.randbytes(self.random.choice([1, 8, 100]))
            case 2:
                at -= at % 8
                number = self.random.choice([-1, 0, 1, 2**31, 2**62, 2**63 - 1, -(2**63), 10**18, 300_000_000])
                return weights[:at] + struct.pack("<q", number) + weights[at + 8 :]
        at -= at % 4
        number = self.random.choice([float("nan"), float("inf"), -float("inf"), 1e38, 1e-45, -0.0, -1.0])
        return weights[:at] + struct.pack("<f", number) + weights[at + 4 :]


_CHANGES: Final[Sequence[Callable[[Mutator, bytes], bytes]]] = (
    Mutator.value,
    Mutator.dim,
    Mutator.element,
    Mutator.wire,
    Mutator.type,
    Mutator.raw,
)
_SHARES: Final = (8, 3, 4, 2, 2, 2)

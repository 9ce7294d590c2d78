"""Random cases of operations on sequences, and conversions, by seed."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tests.cases import Case
from tests.ops.random_draws import Arg, Random, case, constants, generator, index

GATES: Final = {"RNN": 1, "GRU": 3, "LSTM": 4}
WORDS: Final = ("", "a", "bc", "dé", "日本", "longer text", "😀")


@generator("CTCGreedyDecoder-1")
def _decoder(random: Random) -> Case:
    steps, batch, classes = random.int(1, 9), random.int(1, 3), random.int(1, 4)
    lengths = random.source.integers(0, steps + 1, batch)
    mask = (np.arange(steps)[:, None] < lengths).astype(np.float32)
    given = {"ctc_merge_repeated": random.chance(0.5)}
    return case("CTCGreedyDecoder", 1, [random.array("f32", (steps, batch, classes)), (mask, "f32")], given)


@generator("CTCGreedyDecoderSeqLen-6")
def _decoder_with_lengths(random: Random) -> Case:
    batch, steps, classes = random.int(1, 3), random.int(1, 9), random.int(1, 4)
    lengths = random.source.integers(0, steps + 1, batch)
    given = {"merge_repeated": random.chance(0.5)}
    given |= {name: random.pick(("i32", "i64")) for name in ("classes_index_type", "sequence_length_type")}
    args = [random.array("f32", (batch, steps, classes)), index(random, lengths)]
    if random.chance(0.6):
        args.append((np.asarray(random.int(0, classes - 1), args[1][0].dtype), "int"))
    return case("CTCGreedyDecoderSeqLen", 6, args, given, constant=(2,) if random.chance(0.5) else (), outputs=2)


@generator("CTCLoss-4")
def _loss(random: Random) -> Case:
    batch, steps, classes = random.int(1, 3), random.int(1, 7), random.int(2, 5)
    lengths = random.source.integers(1, steps + 1, batch)
    counts = np.minimum(random.source.integers(1, steps + 1, batch), lengths)
    names = ("preprocess_collapse_repeated", "ctc_merge_repeated", "unique")
    given = {name: random.chance(0.5) for name in names}
    blank = random.int(0, classes - 1) if random.chance(0.5) else classes - 1
    labels = random.source.integers(0, classes - 1, (batch, steps))
    labels = np.where(labels >= blank, labels + 1, labels)
    kind = random.pick((np.int32, np.int64))
    args: list[Arg] = [random.array("f32", (batch, steps, classes))]
    args += [(item.astype(kind), "int") for item in (lengths, labels, counts)]
    if blank != classes - 1 or random.chance(0.3):
        args.append((np.asarray(blank, kind), "int"))
    return case("CTCLoss", 4, args, given, constant=constants(random, 1, len(args)), rtol=1e-3)


def _recurrent(random: Random, type: str) -> dict[str, Any]:
    count = {"RNN": 1, "GRU": 2, "LSTM": 3}[type]
    given: dict[str, Any] = {"clip": random.pick((0.0, 0.0, 0.7))}
    if random.chance(0.4):
        given["activations"] = tuple(random.pick(("sigmoid", "tanh", "relu")) for _ in range(count))
    else:
        given["activations"] = {"RNN": ("tanh",), "GRU": ("sigmoid", "tanh"), "LSTM": ("sigmoid", "tanh", "tanh")}[type]
    if type == "GRU":
        given["linear_before_reset"] = random.chance(0.5)
    return given


def _cell(type: str, opset: int) -> None:
    @generator(f"{type}Cell-{opset}")
    def _(random: Random) -> Case:
        batch, width, hidden = random.int(1, 4), random.int(1, 6), random.int(1, 6)
        given = _recurrent(random, type) | {"hidden_size": hidden}
        gates, kind = GATES[type], random.pick(("f32", "f32", "f16", "bf16"))
        biases = 4 if given.get("linear_before_reset") else gates
        args = [random.array(kind, (batch, width), -1, 1)]
        args += [random.array(kind, (batch, hidden), -1, 1) for _ in range(2 if type == "LSTM" else 1)]
        args += [random.array(kind, (gates * hidden, size), -1, 1) for size in (width, hidden)]
        first = len(args) - 2
        if random.chance(0.8):
            args.append(random.array(kind, (biases * hidden,), -1, 1))
        outputs = 2 if type == "LSTM" else 1
        return case(f"{type}Cell", opset, args, given, constant=tuple(range(first, len(args))), outputs=outputs)


for _type, _opset in (("RNN", 1), ("GRU", 3), ("LSTM", 4), ("LSTM", 1)):
    _cell(_type, _opset)


def _sequence(type: str) -> None:
    @generator(f"{type}Sequence-5")
    def _(random: Random) -> Case:
        batch, steps, width, hidden = random.int(1, 4), random.int(1, 6), random.int(1, 6), random.int(1, 6)
        direction = random.pick(("forward", "reverse", "bidirectional"))
        given = _recurrent(random, type) | {"hidden_size": hidden, "direction": direction}
        ways, gates = 2 if direction == "bidirectional" else 1, GATES[type]
        kind = random.pick(("f32", "f32", "f16", "bf16"))
        biases = 4 if given.get("linear_before_reset") else gates
        states = 2 if type == "LSTM" else 1
        args = [random.array(kind, (batch, steps, width), -1, 1)]
        args += [random.array(kind, (batch, ways, hidden), -1, 1) for _ in range(states)]
        args.append(index(random, random.source.integers(1, steps + 1, batch)))
        args += [random.array(kind, (ways, gates * hidden, size), -1, 1) for size in (width, hidden)]
        args.append(random.array(kind, (ways, biases * hidden), -1, 1))
        first = len(args) - 3
        weights = range(first, len(args))
        return case(f"{type}Sequence", 5, args, given, constant=weights, outputs=1 + states, atol=1e-4)


for _type in GATES:
    _sequence(_type)


@generator("Convert-1")
def _convert(random: Random) -> Case:
    kinds = ("f32", "f16", "bf16", "f64", "i32", "i64", "i16", "i8", "u8", "u16", "u32", "u64", "boolean")
    source, target = random.pick(kinds), random.pick(kinds)
    low = 0 if source[0] == "u" or target[0] == "u" else -99
    return case("Convert", 1, [random.array(source, random.shape(0, 4), low, 99)], {"destination_type": target})


@generator("ConvertLike-1")
def _convert_like(random: Random) -> Case:
    kinds = ("f32", "f16", "bf16", "i32", "i64", "i8", "u8", "boolean")
    source, target = random.pick(kinds), random.pick(kinds)
    low = 0 if source[0] == "u" or target[0] == "u" else -99
    args = [random.array(source, random.shape(0, 4), low, 99), random.array(target, random.shape(0, 2))]
    return case("ConvertLike", 1, args)


@generator("ConvertPromoteTypes-14")
def _promote(random: Random) -> Case:
    kinds = ("f32", "f16", "bf16", "f64", "i32", "i64", "i16", "i8", "u8", "u16", "u32", "u64", "boolean")
    args = [random.array(random.pick(kinds), random.shape(0, 3), 0, 9) for _ in range(2)]
    given: dict[str, Any] = {"promote_unsafe": True, "pytorch_scalar_promotion": random.chance(0.5)}
    given["u64_integer_promotion_target"] = random.pick(("f32", "f64", "i64"))
    return case("ConvertPromoteTypes", 14, args, given, outputs=2)


@generator("ScaledDotProductAttention-13")
def _attention(random: Random) -> Case:
    batch = tuple(max(size, 1) for size in random.shape(1, 2))
    queries, keys, width, depth = random.ints(4, 1, 5)
    stacks = [tuple(1 if random.chance(0.2) else size for size in batch) for _ in range(3)]
    kind = random.pick(("f32", "f32", "f16"))
    args = [random.array(kind, (*stacks[0], queries, width))]
    args += [random.array(kind, (*stack, keys, size)) for stack, size in zip(stacks[1:], (width, depth), strict=True)]
    given = {"causal": random.chance(0.3)}
    if random.chance(0.6):
        shape = (*(1 if random.chance(0.4) else size for size in batch), 1 if random.chance(0.3) else queries, keys)
        mask = random.array("boolean" if random.chance(0.5) else kind, shape)
        if mask[1] == "boolean":
            mask[0][..., 0] = True
        args.append(mask)
        if random.chance(0.5):
            args.append(random.array(kind, (), 0.1, 2))
    return case("ScaledDotProductAttention", 13, args, given, atol=1e-4)


@generator("StringTensorUnpack-15")
def _unpack(random: Random) -> Case:
    shape = random.shape(0, 3)
    words = np.empty(shape, object)
    words[...] = random.source.choice(np.array(WORDS, object), shape)
    return case("StringTensorUnpack", 15, [(words, "string")], outputs=3)


@generator("StringTensorPack-15")
def _pack(random: Random) -> Case:
    shape = random.shape(0, 3)
    symbols = np.frombuffer(b"some text to cut into words", np.uint8)
    begins = random.source.integers(0, len(symbols), shape)
    ends = np.minimum(begins + random.source.integers(0, 6, shape), len(symbols))
    kind = random.pick((np.int32, np.int64))
    args = [(np.asarray(item, kind), "int") for item in (begins, ends)]
    return case("StringTensorPack", 15, [*args, (symbols, "u8")])

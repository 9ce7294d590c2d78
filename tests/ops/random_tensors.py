"""Random cases of reductions, normalizations, matrix products and quantization, by seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from tests.cases import Case
from tests.ops.random_draws import FLOATS, WIDE, Arg, Random, case, generator


@generator("CumSum-3")
def _cum_sum(random: Random) -> Case:
    shape = random.shape(1)
    axis = np.asarray(random.int(-len(shape), len(shape) - 1), random.pick((np.int32, np.int64)))
    given = {"exclusive": random.chance(0.5), "reverse": random.chance(0.5)}
    args: list[Arg] = [random.array(random.pick((*FLOATS, *WIDE)), shape)]
    if random.chance(0.9):
        args.append((axis if random.chance(0.6) else axis.reshape(1), axis.dtype.name))
    return case("CumSum", 3, args, given, constant=(1,) if random.chance(0.5) else ())


@generator("SegmentMax-16")
def _segment_max(random: Random) -> Case:
    shape = random.shape(1)
    ids = np.sort(random.source.integers(0, 6, shape[0])).astype(random.pick((np.int32, np.int64)))
    args: list[Arg] = [random.array(random.pick(("f32", "f32", "i32")), shape), (ids, ids.dtype.name)]
    if random.chance(0.6):
        args.append((np.asarray(random.int(1, 8), ids.dtype), ids.dtype.name))
    given = {"fill_mode": random.pick(("zero", "lowest"))}
    return case("SegmentMax", 16, args, given, constant=(1, 2) if random.chance(0.5) else (2,))


def _reduction(type: str, opset: int, types: Sequence[str], low: float = -3, high: float = 3) -> None:
    @generator(f"{type}-{opset}")
    def _(random: Random) -> Case:
        shape = random.shape(1)
        axes = random.axes(len(shape), least=1)
        if axes.size == 1 and random.chance(0.3):
            axes = axes.reshape(())
        if random.chance(0.3):
            axes = axes.astype(np.int32)
        args = [random.array(random.pick(types), shape, low, high), (axes, axes.dtype.name)]
        return case(type, opset, args, {"keep_dims": random.chance(0.5)}, constant=(1,), atol=1e-4)


for _type in ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin"):
    _reduction(_type, 1, (*FLOATS, *WIDE), -2, 3)
_reduction("ReduceProd", 1, (*FLOATS, "i32"), 0.5, 1.8)
_reduction("ReduceL1", 4, (*FLOATS, "i32"))
_reduction("ReduceL2", 4, FLOATS)
for _type in ("ReduceLogicalAnd", "ReduceLogicalOr"):
    _reduction(_type, 1, ("boolean",))


@generator("BatchNormInference-5")
def _batch_norm(random: Random) -> Case:
    kind, shape = random.pick(FLOATS), random.shape(2)
    of_channels = [random.array(kind, shape[1:2], *bounds) for bounds in ((-2, 2), (-2, 2), (-1, 1), (0.1, 3))]
    given = {"epsilon": random.pick((1e-5, 0.1, 0.0))}
    return case("BatchNormInference", 5, [random.array(kind, shape), *of_channels], given, constant=(1, 2, 3, 4))


@generator("BatchNormInference-1")
def _batch_norm_v1(random: Random) -> Case:
    of = _batch_norm(random)
    data, gamma, beta, mean, variance = ((a, of.types.get(0, "f32")) for a in of.inputs if a is not None)
    return case("BatchNormInference", 1, [gamma, beta, data, mean, variance], of.attributes, constant=(0, 1, 3, 4))


@generator("GRN-1")
def _grn(random: Random) -> Case:
    data = random.array(random.pick(FLOATS), random.shape(2, 4))
    return case("GRN", 1, [data], {"bias": random.number(0.1, 3)})


@generator("GroupNormalization-12")
def _group_normalization(random: Random) -> Case:
    kind, groups, each = random.pick(FLOATS), random.int(1, 3), random.int(1, 3)
    shape = (random.int(1, 3), groups * each, *random.shape(1, 3))
    args = [random.array(kind, shape), *(random.array(kind, (groups * each,)) for _ in range(2))]
    given = {"num_groups": groups, "epsilon": random.pick((1e-5, 0.1))}
    return case("GroupNormalization", 12, args, given, constant=(1, 2), atol=1e-3)


@generator("LRN-1")
def _lrn(random: Random) -> Case:
    shape = random.shape(2)
    axes = np.asarray([1] if random.chance(0.5) or len(shape) == 2 else range(2, len(shape)), np.int64)
    given = {
        "alpha": random.number(0.01, 2),
        "beta": random.pick((0.75, 0.5, 1.2)),
        "bias": float(random.int(1, 3)),
        "size": random.pick((1, 3, 5)),
    }
    return case("LRN", 1, [random.array(random.pick(FLOATS), shape), (axes, "int64")], given, constant=(1,))


@generator("MVN-2")
def _mvn_v2(random: Random) -> Case:
    given: dict[str, Any] = {"normalize_variance": random.chance(0.6), "eps": random.pick((1e-5, 0.1))}
    given["across_channels"] = random.chance(0.5)
    data = random.array(random.pick(FLOATS), random.shape(3, 5))
    return case("MVN", 2, [data], given, atol=1e-3)


@generator("MVN-6")
def _mvn(random: Random) -> Case:
    shape = random.shape(2)
    axes = random.axes(len(shape), least=1)
    given = {
        "normalize_variance": random.chance(0.7),
        "eps": random.pick((1e-5, 0.1)),
        "eps_mode": random.pick(("inside_sqrt", "outside_sqrt")),
    }
    return case("MVN", 6, [random.array(random.pick(FLOATS), shape), (axes, "int64")], given, constant=(1,), atol=1e-3)


@generator("NormalizeL2-1")
def _normalize_l2(random: Random) -> Case:
    shape = random.shape(1, 4)
    axes = random.axes(len(shape), least=1)
    given = {"eps": random.pick((1e-6, 0.5)), "eps_mode": random.pick(("add", "max"))}
    return case("NormalizeL2", 1, [random.array(random.pick(FLOATS), shape), (axes, "int64")], given, constant=(1,))


@generator("MatMul-1")
def _mat_mul(random: Random) -> Case:
    rows, inner, columns = random.ints(3, 1, 6)
    one, other = random.broadcastable(random.shape(0, 3))
    given = {"transpose_a": random.chance(0.5), "transpose_b": random.chance(0.5)}
    a = (*one, inner, rows) if given["transpose_a"] else (*one, rows, inner)
    b = (*other, columns, inner) if given["transpose_b"] else (*other, inner, columns)
    kind = random.pick((*FLOATS, "i32"))
    args = [
        random.array(kind, (inner,) if random.chance(0.15) else a),
        random.array(kind, (inner,) if random.chance(0.15) else b),
    ]
    return case("MatMul", 1, args, given, constant=(1,) if random.chance(0.4) else (), atol=1e-3)


EQUATIONS: Final = (
    *("ab->ba", "ab->a", "ab->", "aab->ab", "ab,bc->ac", "ab,ab->ab", "ab,ab->", "abc,acd->abd", "abc,bad->dc"),
    *("a...,...b->...ab", "a...b->b...a", "...ab,...bc->...ac", "ab,bc,cd->ad", "ab,cd->abcd", "ba", "ab,bc", "aa->a"),
    *("a...->...", "ab...,b...->a...", "abcd,bade->ce", "aa->", "a,a,a->a", "...,...->...", "ab,b->b"),
)


@generator("Einsum-7")
def _einsum(random: Random) -> Case:
    equation = random.pick(EQUATIONS)
    sizes = {letter: random.int(1, 4) for letter in "abcde"}
    inner = random.shape(0, 2)
    args = []
    kind = random.pick((*FLOATS, "i32"))
    for part in equation.split("->")[0].split(","):
        shape: list[int] = []
        for letter in part.replace("...", "."):
            shape += inner[random.int(0, len(inner)) :] if letter == "." else [sizes[letter]]
        args.append(random.array(kind, shape))
    return case("Einsum", 7, args, {"equation": equation}, atol=1e-3)


@generator("Inverse-14")
def _inverse(random: Random) -> Case:
    size = random.int(1, 4)
    matrix, _ = random.array("f32", (*random.shape(0, 2), size, size), -1, 1)
    return case("Inverse", 14, [(matrix + 3 * np.eye(size, dtype=np.float32), "f32")], {"adjoint": False}, atol=1e-4)


@generator("GroupedMatMul-17")
def _grouped_mat_mul(random: Random) -> Case:
    groups, rows, inner, columns = random.ints(4, 1, 5)
    b = random.array("f32", (groups, columns, inner))
    if random.chance(0.5):
        return case("GroupedMatMul", 17, [random.array("f32", (groups, rows, inner)), b], atol=1e-4)
    ends = np.cumsum(random.source.integers(0, 4, groups)).astype(random.pick((np.int32, np.int64)))
    a = random.array("f32", (int(ends[-1]) + random.int(0, 1), inner))
    return case("GroupedMatMul", 17, [a, b, (ends, ends.dtype.name)], atol=1e-4)


@generator("FakeQuantize-1")
def _fake_quantize(random: Random) -> Case:
    shape = random.shape(1)
    ones = tuple(1 if random.chance(0.7) else size for size in shape)
    part = ones[random.int(0, len(ones)) :]
    given = {"levels": random.pick((2, 3, 16, 255, 256))}
    kind = random.pick(FLOATS[:4])
    bounds = ((-3, -0.1), (0.1, 3), (-3, 3), (-3, 3))
    args = [random.array(kind, shape), *(random.array(kind, part, *between) for between in bounds)]
    return case("FakeQuantize", 1, args, given, constant=(1, 2, 3, 4), atol=1e-4)


@generator("FakeConvert-13")
def _fake_convert(random: Random) -> Case:
    shape = random.shape(1, 4)
    part = tuple(1 if random.chance(0.5) else size for size in shape)
    args = [random.array("f32", shape, -99, 99), random.array("f32", part, 0.5, 4)]
    if random.chance(0.5):
        args.append(random.array("f32", part))
    given = {"destination_type": random.pick(("f8e4m3", "f8e5m2"))}
    return case("FakeConvert", 13, args, given, constant=(1, 2), rtol=1e-3)

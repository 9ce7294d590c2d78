"""Random cases of operations that sort, search or choose, by seed."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tests.cases import Case
from tests.ops.random_draws import TYPES, Arg, Random, case, data_of, generator, index, one_axis

NUMBERS: Final = ("f32", "f32", "f32", "f16", "bf16", "i32", "i32", "i64", "i8", "u8")


def distinct(random: Random, type: str, shape: tuple[int, ...]) -> Arg:
    """Return different numbers in random order, so that no two are equal."""
    count = int(np.prod(shape))
    values = random.source.permutation(count) - (0 if type[0] == "u" else count // 2)
    array, name = random.array(type, shape)
    return values.reshape(shape).astype(array.dtype), name


def _top_k(opset: int) -> None:
    @generator(f"TopK-{opset}")
    def _(random: Random) -> Case:
        shape = tuple(max(size, 1) for size in random.shape(1, 4))
        axis = one_axis(random, len(shape))
        given = {"axis": axis, "mode": random.pick(("min", "max")), "sort": random.pick(("value", "index"))}
        if opset > 1:
            given["index_element_type"] = random.pick(("i32", "i64"))
        kind = random.pick(NUMBERS)
        if opset == 11 and random.chance(0.5):
            data = random.array(kind, shape, 0, 3)
            data = (np.round(data[0]), kind)
            given["stable"] = True
        else:
            data = distinct(random, kind, shape)
        return case("TopK", opset, [data, index(random, random.int(1, shape[axis]))], given, constant=(1,), outputs=2)


for _opset in (1, 3, 11):
    _top_k(_opset)


def boxes_of(random: Random, batches: int, count: int, *, tidy: bool = True) -> Arg:
    first = random.source.uniform(0, 6, (batches, count, 2))
    sides = random.source.uniform(0.5, 5, (batches, count, 2))
    corners = np.concatenate([first, first + sides], axis=-1)
    if not tidy:
        flipped = random.source.random((batches, count, 1)) < 0.3
        corners = np.where(flipped, corners[..., [2, 3, 0, 1]], corners)
    return corners.astype(np.float32), "f32"


def scores_of(random: Random, *shape: int) -> Arg:
    scores, kind = distinct(random, "f32", shape)
    return ((scores - scores.min() + 1) / (scores.size + 1)).astype(np.float32), kind


def _suppression(opset: int) -> None:
    @generator(f"NonMaxSuppression-{opset}")
    def _(random: Random) -> Case:
        batches, classes, count = random.int(1, 3), random.int(1, 3), random.int(1, 12)
        given: dict[str, Any] = {"sort_result_descending": random.chance(0.5)}
        given["box_encoding"] = random.pick(("corner", "center"))
        if opset > 1:
            given["output_type"] = random.pick(("i32", "i64"))
        args = [boxes_of(random, batches, count, tidy=given["box_encoding"] == "center")]
        args += [scores_of(random, batches, classes, count), index(random, random.int(1, count + 1))]
        options = [random.pick((0.3, 0.5, 0.9)), random.pick((0.0, 0.2, 0.6)), 0.4]
        if opset < 5:
            # As many rows as the page says, so that none is -1.
            options, args[2] = [1.0], index(random, count)
        kept = random.int(1, 3 if opset == 9 else 2)
        args += [(np.asarray(item, np.float32), "f32") for item in options[:kept]]
        given |= {} if opset > 4 else {"box_encoding": "corner"}
        inputs = range(2, len(args))
        return case("NonMaxSuppression", opset, args, given, constant=inputs, outputs=3 if opset > 4 else 1)


for _opset in (1, 3, 4, 5, 9):
    _suppression(_opset)


@generator("NMSRotated-13")
def _rotated(random: Random) -> Case:
    batches, classes, count = random.int(1, 2), random.int(1, 2), random.int(1, 8)
    centers, sides = random.source.uniform(0, 6, (batches, count, 2)), random.source.uniform(1, 5, (batches, count, 2))
    angles = random.source.uniform(-3, 3, (batches, count, 1))
    boxes = np.concatenate([centers, sides, angles], axis=-1).astype(np.float32)
    options = [np.float32(random.pick((0.1, 0.3, 0.7))), np.float32(random.pick((0.0, 0.4)))]
    args: list[Arg] = [(boxes, "f32"), scores_of(random, batches, classes, count)]
    args += [index(random, random.int(1, count)), *((np.asarray(item), "f32") for item in options)]
    given = {"sort_result_descending": random.chance(0.5), "clockwise": random.chance(0.5)}
    given["output_type"] = random.pick(("i32", "i64"))
    return case("NMSRotated", 13, args, given, constant=(2, 3, 4), outputs=3)


def _shared(random: Random, classes: int) -> dict[str, Any]:
    return {
        "sort_result_type": random.pick(("score", "none", "classid")),
        "sort_result_across_batch": random.chance(0.5),
        "output_type": random.pick(("i32", "i64")),
        "score_threshold": random.pick((0.0, 0.15, 0.5)),
        "nms_top_k": random.pick((-1, -1, 3, 5)),
        "keep_top_k": random.pick((-1, -1, 2, 6)),
        "background_class": random.int(-1, classes - 1),
        "normalized": random.chance(0.6),
    }


def _multiclass(opset: int) -> None:
    @generator(f"MulticlassNms-{opset}")
    def _(random: Random) -> Case:
        batches, classes, count = random.int(1, 3), random.int(1, 4), random.int(1, 8)
        given = _shared(random, classes) | {"iou_threshold": random.pick((0.3, 0.6))}
        if opset == 9 and random.chance(0.4):
            numbers = random.source.integers(0, 4, batches)
            total = max(int(numbers.sum()), 1)
            numbers[0] += total - int(numbers.sum())
            args = [boxes_of(random, classes, total), scores_of(random, classes, total), index(random, numbers)]
        else:
            args = [boxes_of(random, batches, count), scores_of(random, batches, classes, count)]
        return case("MulticlassNms", opset, args, given, outputs=3)


_multiclass(8)
_multiclass(9)


@generator("MatrixNms-8")
def _matrix(random: Random) -> Case:
    batches, classes, count = random.int(1, 3), random.int(1, 4), random.int(1, 8)
    given = _shared(random, classes) | {
        "score_threshold": 0.0,
        "background_class": -1,
        "decay_function": random.pick(("linear", "gaussian")),
        "gaussian_sigma": random.pick((2.0, 0.5)),
        "post_threshold": random.pick((0.0, 0.1, 0.3)),
    }
    if given["sort_result_type"] == "classid":
        given["sort_result_across_batch"] = True
    args = [boxes_of(random, batches, count), scores_of(random, batches, classes, count)]
    return case("MatrixNms", 8, args, given, outputs=3)


@generator("SearchSorted-15")
def _search_sorted(random: Random) -> Case:
    lead = tuple(max(size, 1) for size in random.shape(0, 2))
    kind = random.pick(("f32", "f32", "i32", "i64", "f16", "i8", "u8"))
    sequence, _ = random.array(kind, (*lead, random.int(1, 7)) if random.chance(0.6) else (random.int(1, 7),))
    sequence = np.sort(np.round(sequence), axis=-1)
    values, _ = random.array(kind, (*lead, random.int(1, 5)))
    given = {"right_mode": random.chance(0.5), "output_type": random.pick(("i32", "i64"))}
    return case("SearchSorted", 15, [(sequence, kind), (np.round(values), kind)], given)


@generator("ExperimentalDetectronTopKROIs-6")
def _top_k_rois(random: Random) -> Case:
    count = random.int(1, 8)
    args = [random.array("f32", (count, 4)), distinct(random, "f32", (count,))]
    return case("ExperimentalDetectronTopKROIs", 6, args, {"max_rois": random.int(1, count)})


@generator("Bucketize-3")
def _bucketize(random: Random) -> Case:
    kinds = ("f32", "f32", "i32", "i64", "i8", "u8", "f16")
    data = random.array(random.pick(kinds), random.shape(0, 4))
    kind = random.pick(kinds)
    edges, _ = random.array(kind, (random.int(0, 6),))
    given = {"output_type": random.pick(("i32", "i64")), "with_right_bound": random.chance(0.5)}
    return case("Bucketize", 3, [(np.round(data[0]), data[1]), (np.sort(np.round(edges)), kind)], given)


@generator("NonZero-3")
def _non_zero(random: Random) -> Case:
    data, kind = data_of(random, random.shape(1, 5), TYPES)
    kept = random.source.random(data.shape) < random.pick((0, 0.3, 1))
    kept_data = np.where(kept, data, 0).astype(data.dtype)
    return case("NonZero", 3, [(kept_data, kind)], {"output_type": random.pick(("i32", "i64"))})


@generator("Select-1")
def _select(random: Random) -> Case:
    shape = random.shape(0, 5)
    one, other = random.broadcastable(shape)
    cond, _ = random.broadcastable(shape)
    kind = random.pick(TYPES)
    args = [random.array("boolean", cond), random.array(kind, one), random.array(kind, other)]
    if random.chance(0.2):
        args = [random.array("boolean", shape), random.array(kind, shape), random.array(kind, shape)]
        return case("Select", 1, args, {"auto_broadcast": "none"}, constant=())
    return case("Select", 1, args, constant=(1,) if random.chance(0.2) else ())


def _one_hot(opset: int) -> None:
    @generator(f"OneHot-{opset}")
    def _(random: Random) -> Case:
        shape = random.shape(0, 4)
        depth = random.int(1, 5)
        places = random.source.integers(-depth - 1, depth + 2, shape)
        given: dict[str, Any] = {"axis": random.int(-len(shape) - 1, len(shape))}
        if opset == 16:
            given["negative_indices_mode"] = random.pick(("ignore_negative", "normalize"))
        kind = random.pick(TYPES)
        args = [index(random, places), index(random, depth), random.array(kind, ()), random.array(kind, ())]
        return case("OneHot", opset, args, given, constant=random.pick(((1, 2, 3), (1,), (2, 3), ())))


_one_hot(1)
_one_hot(16)

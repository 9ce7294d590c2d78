from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

_A = f32([[1, 2, 3], [1, 2, 3]])
_SQUARES = f32([[[1, 2, 3], [4, 5, 6], [7, 8, 9]], [[2, 4, 6], [8, 10, 12], [14, 16, 18]]])
_SQUARE = _SQUARES[0]
CASES = [
    Case("Einsum", 7, [f32([1, 2, 3]), f32([4, 5, 6])], [f32(32)], {"equation": "i,i->"}, "page", "inner"),
    Case("Einsum", 7, [_A, f32([4, 5, 6])], [f32([32, 32])], {"equation": "ij,j->i"}, "page", "matrix and vector"),
    Case("Einsum", 7, [_SQUARES], [f32([15, 30])], {"equation": "kii->k"}, "page", "trace"),
    Case("Einsum", 7, [_SQUARES], [f32([[1, 5, 9], [2, 10, 18]])], {"equation": "kii->ki"}, "page", "diagonal"),
    Case(
        "Einsum",
        7,
        [_SQUARES[:1]],
        [f32([[[1, 4, 7]], [[2, 5, 8]], [[3, 6, 9]]])],
        {"equation": "ijk->kij"},
        "page",
        "transpose",
    ),
    Case("Einsum", 7, [_SQUARE], [f32([12, 15, 18])], {"equation": "a...->..."}, "page", "ellipsis"),
    Case(
        "Einsum",
        7,
        [_SQUARE, f32([0.5])],
        [f32([[0.5, 1, 1.5], [2, 2.5, 3], [3.5, 4, 4.5]])],
        {"equation": "a...,...->a..."},
        "page",
        "ellipsis broadcast",
    ),
    Case(
        "Einsum",
        7,
        [f32([[[1, 2, 3], [4, 5, 6]]])],
        [f32([[[1, 4], [2, 5], [3, 6]]])],
        {"equation": "AbC"},
        "page",
        "implicit",
    ),
    Case(
        "Einsum",
        7,
        [f32(np.ones((9, 1, 4, 3))), f32(np.ones((3, 11, 7, 1)))],
        [f32(np.full((9, 11, 7, 4), 3))],
        {"equation": "a...b,b...->a..."},
        "page",
        "ellipses of different rank",
    ),
    Case(
        "Einsum",
        7,
        [f32(np.ones((2, 5))), f32(np.ones((5, 3, 6))), f32(np.ones((5, 3)))],
        [f32(np.full((3, 2), 30))],
        {"equation": "ab,bcd,bc->ca"},
        "page",
        "three inputs",
    ),
    Case(
        "Einsum",
        7,
        [f32([[1, 2], [3, 4]]), f32([10, 100])],
        [f32([[10, 200], [30, 400]])],
        {"equation": "ij, j -> ij"},
        name="batch label in both, blanks",
        departs="blanks",
    ),
    Case(
        "Einsum",
        7,
        [f32([1, 2]), f32([3, 4, 5])],
        [f32([[3, 4, 5], [6, 8, 10]])],
        {"equation": "i,j->ij"},
        name="outer",
    ),
    Case(
        "Einsum",
        7,
        [f32([[5]]), f32([[1, 2]])],
        [f32([15])],
        {"equation": "ij,ij->i"},
        name="size 1 is repeated",
    ),
    Case("Einsum", 7, [f32(2), f32([3, 4])], [f32([6, 8])], {"equation": ",i->i"}, name="scalar input"),
    Case(
        "Einsum",
        7,
        [f32([[1, 2], [3, 4]])],
        [f32(10)],
        {"equation": "...->"},
        name="ellipsis is summed",
    ),
    Case(
        "Einsum",
        7,
        [f32(np.ones((2, 0))), f32(np.ones((0, 3)))],
        [f32(np.zeros((2, 3)))],
        {"equation": "ij,jk->ik"},
        name="empty",
        departs="empty",
    ),
    Case("Einsum", 7, [i32([[1, 2], [3, 4]]), i32([1, -1])], [i32([-1, -1])], {"equation": "ij,j->i"}, name="i32"),
    Case(
        "Einsum",
        7,
        [i64([2**53 + 1, 0]), i64([1, 1])],
        [i64(2**53 + 1)],
        {"equation": "i,i->"},
        name="i64 beyond f64",
        departs="64-bit",
    ),
]
INVALID = [
    Invalid("Einsum", 7, [_A], "it has 2 input subscripts, expected 1", {"equation": "ij,j->i"}, attribute="equation"),
    Invalid(
        "Einsum", 7, [_A], "label k of the output is in no input subscript", {"equation": "ij->k"}, attribute="equation"
    ),
    Invalid("Einsum", 7, [_A], "the output subscript repeats a label", {"equation": "ij->ii"}, attribute="equation"),
    Invalid("Einsum", 7, [_A], "subscript i1 is not made of letters", {"equation": "i1->i"}, attribute="equation"),
    Invalid("Einsum", 7, [_A], "input 0 has rank 2, expected 3 by its subscript ijk", {"equation": "ijk->i"}, input=0),
    Invalid("Einsum", 7, [_A], "axes i of input 0 have sizes 2 and 3", {"equation": "ii->i"}, input=0),
    Invalid("Einsum", 7, [_A, f32([1, 2])], "label j is 3 and, in input 1, 2", {"equation": "ij,j->i"}, input=1),
]

"""The functions of elements: each is written once, for one element, and gets a loop for each of its types.

The loops are made when the kernels are built. LLVM makes vectors of them, so that most functions have no branches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from types import FunctionType
from typing import Any, Final, NamedTuple

import numpy as np

from irrun_kernels import angles, conversions, functions, integers, real
from irrun_kernels.copies import copy_rows
from irrun_kernels.functions import RUN, clip
from irrun_kernels.native import FAR, POINTERS, Deferred, carray, inlined, scalar

KINDS: Final = {np.dtype(kind): kind for kind in POINTERS}
"""The letters of types, as NumPy has them; a ``?`` is a byte in memory."""


_Function = Callable[..., Any]


class ElementFunction(NamedTuple):
    """A function of elements whose types are ``operands``, a letter each, to one of the type ``result``.

    ``cost`` is nanoseconds. If the function is ``wide``, it gets f64 for f32; one of ``rows`` gets the addresses of the
    result and of the operands, and the number of elements. The function ``far`` takes its place for angles that
    `angles.is_far`; it may have branches. Products and windows may have a function that is ``in_epilogues``: that of
    f32, with up to two parameters.
    """

    name: str
    operands: str
    result: str
    cost: float
    function: _Function
    wide: bool = False
    in_epilogues: bool = False
    rows: bool = False
    far: _Function | None = None


def _of(
    signature: str,
    types: str,
    cost: float,
    *,
    wide: bool = False,
    in_epilogues: bool = False,
    rows: bool = False,
    far: _Function | None = None,
    **functions: _Function,
) -> list[ElementFunction]:
    """Functions of several types, for which there is an ``x`` in the signature; its last letter is the result."""
    kinds = [(signature[:-1].replace("x", kind), signature[-1].replace("x", kind)) for kind in types]
    return [
        ElementFunction(name, operands, result, cost, function, wide, in_epilogues, rows, far)
        for (name, function), (operands, result) in product(functions.items(), kinds)
    ]


ELEMENTS: Final = (
    *_of("xxx", "fdq", 0.2, add=lambda x, y: x + y, subtract=lambda x, y: x - y, multiply=lambda x, y: x * y),
    *_of("xxx", "fd", 0.2, divide=lambda x, y: x / y),
    *_of("xxx", "q", 4, divide=integers.divide, truncated_divide=integers.truncated_divide),
    *_of("xxx", "q", 4, mod=integers.mod, floor_mod=integers.floor_mod),
    *_of("xxx", "fdqQ", 0.2, maximum=lambda x, y: y if (y > x) | (y != y) else x),
    *_of("xxx", "fdqQ", 0.2, minimum=lambda x, y: y if (y < x) | (y != y) else x),
    *_of("xxx", "fd", 0.2, at_least=lambda x, low: low if x < low else x),
    *_of("xxxx", "fd", 0.2, in_epilogues=True, clamp=clip),
    *_of("xx?", "fdqQ", 0.2, less=lambda x, y: x < y, less_equal=lambda x, y: x <= y),
    *_of("xx?", "fdq", 0.2, equal=lambda x, y: x == y, not_equal=lambda x, y: x != y),
    *_of("?xxx", "BHIQ", 0.2, select=lambda condition, x, y: x if condition else y),
    *_of("xxx", "?q", 0.2, bitwise_and=lambda x, y: x & y, bitwise_or=lambda x, y: x | y),
    *_of("xxx", "?q", 0.2, bitwise_xor=lambda x, y: x ^ y),
    *_of("xx", "?", 0.2, bitwise_not=lambda x: x ^ 1),
    *_of("xx", "q", 0.2, bitwise_not=lambda x: ~x),
    *_of("xxx", "q", 0.2, left_shift=integers.left_shift, right_shift=integers.right_shift),
    *_of("xxx", "Q", 0.2, right_shift=lambda x, y: x >> y if y < 64 else x ^ x),
    *_of("xx", "fdq", 0.2, in_epilogues=True, negative=lambda x: -x, abs=lambda x: abs(x)),
    *_of("xx", "fdq", 0.2, sign=lambda x: x if x != x else 1 * (x > 0) - 1 * (x < 0)),
    *_of("xx", "fd", 0.4, in_epilogues=True, sqrt=lambda x: np.sqrt(x)),
    *_of("xxx", "f", 4, power=real.power),
    *_of("xx", "f", 0.2, floor=functions.floor, ceiling=functions.ceil, rint=functions.rint),
    *_of("xx", "d", 0.2, floor=real.floor, ceiling=real.ceil, rint=real.rint),
    *_of("xx", "fd", 0.2, wide=True, round_away=real.round_away),
    *_of("xx", "fd", 2, wide=True, far=angles.far_sin, sin=angles.sin),
    *_of("xx", "fd", 2, wide=True, far=angles.far_cos, cos=angles.cos),
    *_of("xx", "fd", 2, wide=True, acos=angles.acos, atan=angles.atan, log=real.log),
    *_of("xxx", "fd", 2, wide=True, atan2=angles.atan2),
    *_of("xx", "fd", 2, wide=True, in_epilogues=True, softplus=real.softplus, mish=real.mish),
    *_of("xx", "fd", 2, wide=True, erf=real.erf),
    *_of("xx", "fd", 0.4, wide=True, softsign=lambda x: x / (1.0 + abs(x))),
    *_of("xxxx", "fd", 0.4, wide=True, hardsigmoid=lambda x, slope, value: clip(slope * x + value, 0.0, 1.0)),
    *_of("xxx", "fdq", 0.2, in_epilogues=True, prelu=lambda x, slope: slope * x if x < 0 else x),
    *_of("xx", "f", 1, in_epilogues=True, exp=functions.exp, tanh=functions.tanh),
    *_of("xx", "f", 1, in_epilogues=True, sigmoid=functions.sigmoid, swish=functions.swish, gelu=functions.gelu),
    *_of("xx", "f", 1, in_epilogues=True, gelu_tanh=functions.gelu_tanh),
    *_of("xx", "f", 0.4, in_epilogues=True, hswish=functions.hswish, hsigmoid=functions.hsigmoid),
    *_of("xxx", "f", 1, in_epilogues=True, elu=functions.elu),
    *_of("xq", "?bhiBHI", 0.2, to_q=lambda x: x),
    *_of("xf", "?bhiBHIqQd", 0.2, to_f=lambda x: x),
    *_of("xd", "?qQf", 0.2, to_d=lambda x: x),
    *_of("xb", "q", 0.2, to_b=lambda x: x),
    *_of("xh", "q", 0.2, to_h=lambda x: x),
    *_of("xi", "q", 0.2, to_i=lambda x: x),
    *_of("x?", "fdq", 0.2, to_bool=lambda x: x < 0 or x > 0),
    *_of("xq", "fd", 0.2, to_q=integers.in_64_bits),
    *_of("xq", "fd", 0.2, trunc=integers.in_32_bits),
    *_of("xxxx", "q", 0.4, place=integers.place, place_from_end=integers.place_from_end),
    *_of("fH", "f", 0.1, rows=True, bf16_bits=conversions.rounding(conversions.AS_BITS)),
    *_of("ff", "f", 0.1, rows=True, round_to_bf16=conversions.rounding(conversions.AS_FLOATS)),
    *_of("ff", "f", 0.1, rows=True, round_to_f16=conversions.rounding(conversions.AS_F16)),
    *_of("Bffff", "f", 0.1, dequantize=conversions.dequantize),
    *_of("ffffB", "f", 0.15, rows=True, quantize=conversions.quantize),
)

NUMBERS: Final = {(each.name, each.operands): number for number, each in enumerate(ELEMENTS)}
"""The number of a function of some types."""

_IN_EPILOGUES: Final = tuple(each for each in ELEMENTS if each.in_epilogues and each.operands[0] == "f")
UNARY: Final = tuple(each.name for each in _IN_EPILOGUES)
"""Functions of one f32 and up to two parameters that epilogues have, by their number."""


_Source = Callable[[ElementFunction], str]


def _choice(
    elements: Iterable[tuple[int, ElementFunction]], arrays: int, parameters: Sequence[str], source: _Source
) -> Any:
    """A function of the number of one of the elements, which has a loop for each of them.

    It gets the number of results, the addresses of results and of operands, and other parameters; ``arrays`` is the
    number of addresses. ``source`` is the body of a loop, in which the arrays are named `_ARRAYS`.
    """
    places = _ARRAYS[:arrays]
    lines = [f"def choose({', '.join(['number', 'count', *places, *parameters])}):"]
    names: dict[str, Any] = {"carray": carray, **{f"pointer_{ord(kind)}": POINTERS[kind] for kind in POINTERS}}
    for number, element in elements:
        given = dict(zip(places, element.result + element.operands, strict=False))
        sizes = {place: "count" if place == "out" else FAR for place in given}
        called = [f"carray(pointer_{ord(kind)}({place}), {sizes[place]})" for place, kind in given.items()]
        function = scalar(element.function) if isinstance(element.function, FunctionType) else element.function
        scope: dict[str, Any] = {"np": np, "function": function, "far": element.far, "is_far": angles.is_far}
        exec(f"def loop({', '.join([*given, *parameters])}):{source(element)}", scope)
        names[f"loop_{number}"] = function if element.rows else scalar(scope["loop"])
        arguments = [*given, "count"] if element.rows else [*called, *parameters]
        lines.append(f"    {'if' if len(lines) == 1 else 'elif'} number == {number}:")
        lines.append(f"        loop_{number}({', '.join(arguments)})")
    exec("\n".join(lines), names)
    return inlined(names["choose"]).form


_ARRAYS: Final = ("out", "x", "y", "z", "w")


def _each(element: ElementFunction, *operands: str) -> str:
    """The body of a loop over elements, of which these are the operands."""
    pairs = zip(operands, element.operands, strict=False)
    given = ", ".join(f"np.float64({operand})" if element.wide and kind == "f" else operand for operand, kind in pairs)
    body = f"""
    for i in range(len(out)):
        out[i] = function({given})"""
    if element.far is None:
        return body
    return f"""{body}
    for i in range(len(out)):
        if is_far({given}):
            out[i] = far({given})"""


apply: Any = Deferred(
    lambda: _choice(enumerate(ELEMENTS), 5, (), lambda element: _each(element, "x[i]", "y[i]", "z[i]", "w[i]"))
)
"""``apply(number, count, out, x, y, z, w)``: write the function of some elements from the addresses of its operands.

The memory of the result must not overlap that of an operand.
"""


unary: Any = Deferred(
    lambda: _choice(enumerate(_IN_EPILOGUES), 1, ("a", "b"), lambda element: _each(element, "out[i]", "a", "b"))
)
"""``unary(number, count, x, a, b)``: replace f32 from an address on by a function of `UNARY`."""

FOLDED: Final = ("add", "multiply", "maximum", "minimum", "bitwise_and", "bitwise_or")
"""The functions of two elements by which elements are combined with others."""

_FOLD: Final = """
    if column == 1:
        for j in range(rows):
            for i in range(len(out)):
                out[i] = function(out[i], x[np.uint64(j * row + i)])
    else:
        for i in range(len(out)):
            result = out[i]
            for j in range(rows):
                result = function(result, x[np.uint64(j * row + i * column)])
            out[i] = result"""


_FOLDS: Final = [(number, each) for number, each in enumerate(ELEMENTS) if each.name in FOLDED]

combine: Any = Deferred(lambda: _choice(_FOLDS, 2, ("rows", "row", "column"), lambda _: _FOLD))
"""``combine(number, count, out, x, rows, row, column)``: combine the elements of ``out`` with those of some rows.

The number is that of one of `ELEMENTS`. The distances ``row`` and ``column`` of elements are in elements.
"""


@inlined
def apply_to_rows(number: int, x: int, step: int, rows: int, columns: int, a: Any, b: Any, workspace: int) -> None:
    """Replace rows that are ``step`` bytes apart by a function of `UNARY`; workspace has room for `RUN` f32.

    Short rows are concatenated first: loops over few elements are slow.
    """
    if step == 4 * columns:
        unary(number, rows * columns, x, a, b)
        return
    if 4 * columns > RUN:
        for row in range(rows):
            unary(number, columns, x + row * step, a, b)
        return
    each = RUN // columns
    for first in range(0, rows, each):
        count = min(each, rows - first)
        copy_rows(x + first * step, step, workspace, 4 * columns, count, columns)
        unary(number, count * columns, workspace, a, b)
        copy_rows(workspace, 4 * columns, x + first * step, step, count, columns)

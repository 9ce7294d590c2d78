"""The functions of elements: each is written once, for one element, and gets a loop for each of its types.

The loops are made when the kernels are built. LLVM makes vectors of them, so that most functions have no branches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from types import FunctionType
from typing import Any, Final, NamedTuple

import numpy as np

from irrun_kernels import angles, conversions, functions, integers, real
from irrun_kernels.copies import copy_rows
from irrun_kernels.functions import RUN, clip
from irrun_kernels.native import POINTERS, Deferred, carray, floats, inlined, scalar

KINDS: Final = {np.dtype(kind): kind for kind in POINTERS}
"""The letters of types, as NumPy has them; a ``?`` is a byte in memory."""


class ElementFunction(NamedTuple):
    """A function of elements whose types are ``operands``, a letter each, to one of the type ``result``.

    ``cost`` is nanoseconds. If the function is ``wide``, it gets f64 for f32; one of ``rows`` gets the addresses of the
    result and of the operands, and the number of elements. The function ``far`` takes the place of
    it where ``is_far`` says so of the operands; it may have branches. Products and windows may have a function that is
    ``in_epilogues``: that of f32, with up to two parameters.
    """

    name: str
    operands: str
    result: str
    cost: float
    function: Callable[..., Any]
    wide: bool = False
    far: Callable[..., Any] | None = None
    is_far: Callable[..., Any] | None = None
    in_epilogues: bool = False
    rows: bool = False


def _of(signature: str, types: str, cost: float, **named: Callable[..., Any]) -> list[ElementFunction]:
    """Functions of several types, for which there is an ``x`` in the signature; its last letter is the result."""
    return [
        ElementFunction(name, signature[:-1].replace("x", kind), signature[-1].replace("x", kind), cost, function)
        for name, function in named.items()
        for kind in types
    ]


def _real(signature: str, cost: float, **named: Callable[..., Any]) -> list[ElementFunction]:
    """Functions of f32 and f64 that are computed in f64."""
    return [each._replace(wide=True) for each in _of(signature, "fd", cost, **named)]


def _far(
    elements: Sequence[ElementFunction], far: Callable[..., Any], is_far: Callable[..., Any]
) -> list[ElementFunction]:
    return [each._replace(far=far, is_far=is_far) for each in elements]


def _in_epilogues(elements: Sequence[ElementFunction]) -> list[ElementFunction]:
    return [each._replace(in_epilogues=True) for each in elements]


def _of_rows(name: str, operands: str, result: str, cost: float, function: Callable[..., Any]) -> ElementFunction:
    return ElementFunction(name, operands, result, cost, function, rows=True)


def _to(target: str, sources: str, function: Callable[..., Any] = lambda x: x) -> list[ElementFunction]:
    return [ElementFunction(f"to_{target}", source, target, 0.2, function) for source in sources]


ELEMENTS: Final = (
    *_of("xxx", "fdq", 0.2, add=lambda x, y: x + y, subtract=lambda x, y: x - y, multiply=lambda x, y: x * y),
    *_of("xxx", "fd", 0.2, divide=lambda x, y: x / y),
    *_of("xxx", "q", 4, divide=integers.divide, truncated_divide=integers.truncated_divide),
    *_of("xxx", "q", 4, mod=integers.mod, floor_mod=integers.floor_mod),
    *_far(_real("xxx", 1, mod=integers.truncated), integers.far_truncated, integers.is_far),
    *_far(_real("xxx", 1, floor_mod=integers.floored), integers.far_floored, integers.is_far),
    *_of("xxx", "fdqQ", 0.2, maximum=lambda x, y: y if (y > x) | (y != y) else x),
    *_of("xxx", "fdqQ", 0.2, minimum=lambda x, y: y if (y < x) | (y != y) else x),
    *_of("xxx", "fd", 0.2, at_least=lambda x, low: low if x < low else x),
    *_in_epilogues(_of("xxxx", "fd", 0.2, clamp=clip)),
    *_of("xx?", "fdqQ", 0.2, less=lambda x, y: x < y, less_equal=lambda x, y: x <= y),
    *_of("xx?", "fdq", 0.2, equal=lambda x, y: x == y, not_equal=lambda x, y: x != y),
    *_of("?xxx", "BHIQ", 0.2, select=lambda condition, x, y: x if condition else y),
    *_of("xxx", "?q", 0.2, bitwise_and=lambda x, y: x & y, bitwise_or=lambda x, y: x | y),
    *_of("xxx", "?q", 0.2, bitwise_xor=lambda x, y: x ^ y),
    *_of("xx", "?", 0.2, bitwise_not=lambda x: x ^ 1),
    *_of("xx", "q", 0.2, bitwise_not=lambda x: ~x),
    *_of("xxx", "q", 0.2, left_shift=integers.left_shift, right_shift=integers.right_shift),
    *_of("xxx", "Q", 0.2, right_shift=lambda x, y: x >> y if y < 64 else x ^ x),
    *_in_epilogues(_of("xx", "fdq", 0.2, negative=lambda x: -x, abs=lambda x: abs(x))),
    *_of("xx", "fdq", 0.2, sign=lambda x: x if x != x else 1 * (x > 0) - 1 * (x < 0)),
    *_in_epilogues(_of("xx", "fd", 0.4, sqrt=lambda x: np.sqrt(x))),
    *_of("xxx", "f", 4, power=real.power),
    *_of("xx", "f", 0.2, floor=functions.floor, ceiling=functions.ceil, rint=functions.rint),
    *_of("xx", "d", 0.2, floor=real.floor, ceiling=real.ceil, rint=real.rint),
    *_real("xx", 0.2, round_away=real.round_away),
    *_far(_real("xx", 2, sin=angles.sin), angles.far_sin, angles.is_far),
    *_far(_real("xx", 2, cos=angles.cos), angles.far_cos, angles.is_far),
    *_real("xx", 2, acos=angles.acos, atan=angles.atan, log=real.log),
    *_real("xxx", 2, atan2=angles.atan2),
    *_in_epilogues(_real("xx", 2, softplus=real.softplus, mish=real.mish)),
    *_real("xx", 2, erf=real.erf),
    *_real("xx", 0.4, softsign=lambda x: x / (1.0 + abs(x))),
    *_real("xxxx", 0.4, hardsigmoid=lambda x, slope, value: clip(slope * x + value, 0.0, 1.0)),
    *_in_epilogues(_of("xxx", "fdq", 0.2, prelu=lambda x, slope: slope * x if x < 0 else x)),
    *_in_epilogues(_of("xx", "f", 1, exp=functions.exp, tanh=functions.tanh)),
    *_in_epilogues(_of("xx", "f", 1, sigmoid=functions.sigmoid, swish=functions.swish, gelu=functions.gelu)),
    *_in_epilogues(_of("xx", "f", 1, gelu_tanh=functions.gelu_tanh)),
    *_in_epilogues(_of("xx", "f", 0.4, hswish=functions.hswish, hsigmoid=functions.hsigmoid)),
    *_in_epilogues(_of("xxx", "f", 1, elu=functions.elu)),
    *_to("q", "?bhiBHI"),
    *_to("f", "?bhiBHIqQd"),
    *_to("d", "?qQf"),
    *_to("b", "q"),
    *_to("h", "q"),
    *_to("i", "q"),
    *_to("?", "fdq", lambda x: x < 0 or x > 0),
    *_to("q", "fd", integers.in_64_bits),
    *_of("xq", "fd", 0.2, trunc=integers.in_32_bits),
    *_of("xxxx", "q", 0.4, place=integers.place, place_from_end=integers.place_from_end),
    _of_rows("bf16_bits", "f", "H", 0.1, conversions.rounding(conversions.AS_BITS)),
    _of_rows("round_to_bf16", "f", "f", 0.1, conversions.rounding(conversions.AS_FLOATS)),
    _of_rows("round_to_f16", "f", "f", 0.1, conversions.rounding(conversions.AS_F16)),
    ElementFunction("dequantize", "Bfff", "f", 0.1, conversions.dequantize),
    _of_rows("quantize", "ffff", "B", 0.15, conversions.quantize),
)

NUMBERS: Final = {(each.name, each.operands): number for number, each in enumerate(ELEMENTS)}
"""The number of a function of some types."""

_IN_EPILOGUES: Final = tuple(each for each in ELEMENTS if each.in_epilogues and each.operands[0] == "f")
UNARY: Final = tuple(each.name for each in _IN_EPILOGUES)
"""Functions of one f32 and up to two parameters that epilogues have, by their number."""


_PLACES: Final = "xyzw"
"""Operands of a function, in the sources of loops."""


def _operands(element: ElementFunction) -> str:
    """The operands of an element in the source of a loop."""
    pairs = zip(_PLACES, element.operands, strict=False)
    return ", ".join(f"np.float64({name}[i])" if element.wide and kind == "f" else f"{name}[i]" for name, kind in pairs)


def _loop(number: int, element: ElementFunction) -> Iterator[str]:
    """The source of a loop."""
    operands = _operands(element)
    yield f"def loop_{number}(out, {', '.join(_PLACES[: len(element.operands)])}):"
    yield "    for i in range(len(out)):"
    yield f"        out[i] = function_{number}({operands})"
    if element.far is not None:
        yield "    for i in range(len(out)):"
        yield f"        if is_far_{number}({operands}):"
        yield f"            out[i] = far_{number}({operands})"


def _choice(number: int, element: ElementFunction) -> Iterator[str]:
    """The source of the call of a loop, with arrays at addresses."""
    places = [*zip(("out", *_PLACES), element.result + element.operands, strict=False)]
    arrays = [place if element.rows else f"carray(pointer_{ord(kind)}({place}), count)" for place, kind in places]
    yield f"    {'el' if number else ''}if number == {number}:"
    if element.rows:
        yield f"        function_{number}({', '.join(arrays)}, count)"
    else:
        yield f"        loop_{number}({', '.join(arrays)})"


def _loops() -> Any:
    """The function `apply`."""
    lines = [f"def apply(number, count, out, {', '.join(_PLACES)}):"]
    for number, element in enumerate(ELEMENTS):
        lines += _choice(number, element)
    for number, element in enumerate(ELEMENTS):
        lines += () if element.rows else _loop(number, element)
    return compiled(lines, enumerate(ELEMENTS), "apply")


def in_place() -> Any:
    """A function of a number, an array of f32, and two parameters: it replaces elements by a function of `UNARY`."""
    lines = ["def choose(number, x, a, b):"]
    for number, element in enumerate(_IN_EPILOGUES):
        given = ", ".join(("np.float64(x[i])" if element.wide else "x[i]", "a", "b")[: len(element.operands)])
        lines += [
            f"    {'el' if number else ''}if number == {number}:",
            "        for i in range(len(x)):",
            f"            x[i] = function_{number}({given})",
        ]
    return compiled(lines, enumerate(_IN_EPILOGUES), "choose")


def compiled(lines: Sequence[str], elements: Iterable[tuple[int, ElementFunction]], name: str) -> Any:
    names: dict[str, Any] = {"np": np, "carray": carray}
    names |= {f"pointer_{ord(kind)}": pointer for kind, pointer in POINTERS.items()}
    for number, element in elements:
        for part in ("function", "far", "is_far"):
            function = getattr(element, part)
            if function is not None:
                names[f"{part}_{number}"] = scalar(function) if isinstance(function, FunctionType) else function
    exec("\n".join(lines), names)
    for loop in [key for key in names if key.startswith("loop_")]:
        names[loop] = scalar(names[loop])
    return inlined(names[name])


apply: Any = Deferred(lambda: _loops().form)
"""``apply(number, count, out, x, y, z, w)``: write the function of some elements from the addresses of its operands.

The memory of the result must not overlap that of an operand.
"""

unary: Any = Deferred(lambda: in_place().form)
"""``unary(number, x, a, b)``: replace each element of x by a function of `UNARY`."""


@inlined
def apply_to_rows(number: int, x: int, step: int, rows: int, columns: int, a: Any, b: Any, workspace: int) -> None:
    """Replace rows that are ``step`` bytes apart by a function of `UNARY`; workspace has room for `RUN` f32.

    Short rows are concatenated first: loops over few elements are slow.
    """
    if step == 4 * columns:
        unary(number, floats(x, rows * columns), a, b)
        return
    if 4 * columns > RUN:
        for row in range(rows):
            unary(number, floats(x + row * step, columns), a, b)
        return
    each = RUN // columns
    for first in range(0, rows, each):
        count = min(each, rows - first)
        copy_rows(x + first * step, step, workspace, 4 * columns, count, columns)
        unary(number, floats(workspace, count * columns), a, b)
        copy_rows(workspace, 4 * columns, x + first * step, step, count, columns)

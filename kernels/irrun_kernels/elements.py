"""Functions of arrays of several element types, which are chosen when they are called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from irrun_kernels.native import FAR, POINTERS, carray, inlined

_LETTERS: Final = "fdbBhHiIq"
KINDS: Final = {np.dtype(letter): ord(letter) for letter in _LETTERS}
"""The number of each element type."""

unsigned: Final = np.uint64
"""The type of an index that may be negative: Numba takes negative ones for distances from the end."""

Elements = Any
"""An array, in a function `of_kind` or `of_width`: calls have its address instead."""

Step = int
"""A distance in elements, in such a function: calls have bytes instead."""


def of_kind(letters: str = _LETTERS) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A function of arrays of some of the `KINDS`: calls have the kind before the other arguments."""
    return lambda function: _chosen({ord(letter): letter for letter in letters}, function)


def of_width(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of arrays that it only copies: calls have the bytes of an element before the other arguments."""
    return _chosen({4: "f", 8: "q", 2: "H", 1: "B"}, function)


def _chosen(letters: Mapping[int, str], function: Callable[..., Any]) -> Callable[..., Any]:
    notes = {name: note for name, note in function.__annotations__.items() if name != "return"}
    lines = [f"def choose(key, {', '.join(notes)}):"]
    for key, letter in letters.items():
        forms = {"Elements": f"carray(pointer_{letter}({{}}), {FAR})", "Step": f"{{}} // {np.dtype(letter).itemsize}"}
        given = ", ".join(forms.get(note, "{}").format(name) for name, note in notes.items())
        lines += [f"    if key == {key}:", f"        return call({given})"]
    lines[-2:] = [lines[-1][4:]]
    pointers = {f"pointer_{letter}": POINTERS[letter] for letter in letters.values()}
    names: dict[str, Callable[..., Any]] = {"carray": carray, "call": inlined(function), **pointers}
    exec("\n".join(lines), names)
    return inlined(names["choose"])


@of_kind()
def load(x: Elements, step: Step, out: Any) -> None:
    """Read elements, ``step`` of them apart, into an array of a type that holds them all."""
    if step == 1:
        for i in range(len(out)):
            out[i] = x[i]
    else:
        for i in range(len(out)):
            out[i] = x[unsigned(i * step)]

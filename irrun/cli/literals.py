"""Tensors written on the command line: ``[[1,2],[3,4]]``, ``f32:[1,2]``, ``true``, ``x.npy``."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from irrun.cli.failures import Failure
from irrun.cli.values import type_of
from irrun.diagnostics import near_match
from irrun.evaluation.files.arrays import load_one
from irrun.model.arguments import integer_range
from irrun.ops.calling import conform
from irrun.ops.declaration import In, TypeVar
from irrun.ops.spec import OpSpec
from irrun.tensor import Array, ElementType
from irrun.tensor.element_type import BOOLEAN, BY_NAME, F32, I32, I64, NUMERIC, STRING

_WORDS = {
    "true": True,
    "True": True,
    "false": False,
    "False": False,
    "nan": math.nan,
    "NaN": math.nan,
    "inf": math.inf,
    "Infinity": math.inf,
}


class Argument(NamedTuple):
    """A tensor as written; ``type`` is None for a literal without one."""

    text: str
    array: Array
    type: ElementType | None


def parse(text: str) -> Argument | None:
    """Parse an argument; None for ``-``, an absent input."""
    if text == "-":
        return None
    name, colon, rest = text.partition(":")
    type = BY_NAME.get(name) if colon else None
    written = text if type is None else rest
    path = Path(written)
    if path.suffix in (".npy", ".npz") or (type is None and not written.startswith("[") and _is_file(path)):
        array = load_one(path)
        return Argument(text, array, type or type_of(array))
    if type is STRING and not written.startswith(("[", '"', "'")):
        return Argument(text, np.array(written, dtype=np.str_), STRING)
    array = _literal(written, text)
    return Argument(text, array, type or (STRING if array.dtype.kind == "U" else None))


def settle(spec: OpSpec, arguments: Sequence[Argument | None]) -> list[tuple[Array, ElementType] | None]:
    """Convert each argument to the carrier of its element type.

    A literal has the type of the other arguments of the same type variable. Without those it is f32 where one of these
    literals has a fraction and i64 otherwise, or the first of i64, i32 and f32 that the input accepts.
    """
    bound: dict[TypeVar, ElementType] = {}
    fractions: set[TypeVar] = set()
    for index, argument in enumerate(arguments):
        variable = spec.input(index).type
        if argument is None or not isinstance(variable, TypeVar):
            continue
        if argument.type is not None:
            bound.setdefault(variable, argument.type)
        elif argument.array.dtype.kind == "f" and F32 in variable.among:
            fractions.add(variable)
    typed: list[tuple[Array, ElementType] | None] = []
    for index, argument in enumerate(arguments):
        if argument is None:
            typed.append(None)
            continue
        port = spec.input(index)
        type = argument.type
        if type is None and isinstance(port.type, TypeVar):
            type = bound.get(port.type) or (F32 if port.type in fractions else None)
        if type is None:
            type = _natural(argument.array, port)
        typed.append((_converted(argument, type), type))
    return typed


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _natural(array: Array, port: In) -> ElementType:
    """Return the default type of a literal: the first that suits its values and that the input accepts."""
    if array.dtype.kind == "b":
        return BOOLEAN
    takes = port.type.among if isinstance(port.type, TypeVar) else port.type
    among = {takes} if isinstance(takes, ElementType) else takes
    if array.dtype.kind == "f" and array.size:
        return F32
    if array.dtype.kind == "f":
        return next((type for type in (F32, I64, I32, BOOLEAN) if type in among), F32)
    if isinstance(takes, ElementType) and takes.is_integer:
        return takes
    if BOOLEAN in among and not among & NUMERIC and np.isin(array, (0, 1)).all():
        return BOOLEAN
    return next((type for type in (I64, I32, F32) if type in among), I64)


def _converted(argument: Argument, type: ElementType) -> Array:
    """Convert the array to the carrier of a type; Failure where a value is not of that type."""
    array = argument.array
    problem = _problem(array, type)
    if problem:
        raise Failure(f"{shortened(argument.text)} cannot be {type}: {problem}")
    if type.kind == "string":
        strings = np.empty(array.shape, dtype=object)
        strings.reshape(-1)[:] = array.reshape(-1).tolist()
        return strings
    with np.errstate(all="ignore"):
        return conform(array, type)


def _problem(array: Array, type: ElementType) -> str:
    """Explain why a value is not of a type; an empty string where all values are."""
    is_text = array.dtype.kind == "U"
    if type.kind == "string":
        return "" if is_text else "it is not text"
    if is_text:
        return "it is text"
    if type.kind == "boolean":
        return "" if np.isin(array, (0, 1)).all() else "it holds more than true and false"
    if type.kind == "dynamic":
        return "a tensor has a type of its own"
    if type.is_float or array.size == 0:
        return ""
    if array.dtype.kind == "f" and not (np.isfinite(array) & (array == np.trunc(array))).all():
        return "it holds more than integers"
    low, high = integer_range(type)
    least, most = int(array.min()), int(array.max())
    return (
        "" if low <= least and most <= high else f"it holds {least if least < low else most}, expected {low} to {high}"
    )


def _literal(written: str, text: str) -> Array:
    try:
        value = _value(ast.parse(written.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Failure(_unreadable(text)) from None
    kinds = {type(item) for item in _leaves(value)}
    if str in kinds and len(kinds) > 1:
        raise Failure(f"{shortened(text)} mixes text and numbers")
    try:
        array = np.array(value)
    except (ValueError, OverflowError):
        raise Failure(f"{shortened(text)} has rows of different length") from None
    if array.dtype == object:
        raise Failure(f"{shortened(text)} holds an integer of more than 64 bits")
    return array


def _unreadable(text: str) -> str:
    prefix, colon, _ = text.partition(":")
    if colon and re.fullmatch(r"[a-z]+\d\w*|bool|str|int|float|half|double", prefix):
        close = near_match(prefix, BY_NAME) or ", expected one such as f32, i64 or boolean"
        return f'no element type "{prefix}" in {shortened(text)}{close}'
    what = "is neither a file nor a literal, expected x.npy, a number, or a list such as [[1,2],[3,4]]"
    return f"{shortened(text) or 'an empty string'} {what}"


def shortened(text: str) -> str:
    """Return the text, shortened in the middle where it is long."""
    return text if len(text) <= 60 else f"{text[:30]}…{text[-20:]}"


def _value(node: ast.expr) -> Any:
    """Evaluate a literal in JSON or Python syntax; ValueError for anything else."""
    match node:
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value(item) for item in items]
        case ast.Constant(value=bool() | int() | float() | str() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(operand)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _number(operand)
        case ast.Name(id=word) if word in _WORDS:
            return _WORDS[word]
    raise ValueError


def _number(node: ast.expr) -> float:
    value = _value(node)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError
    return value


def _leaves(value: Any) -> list[Any]:
    return [leaf for item in value for leaf in _leaves(item)] if isinstance(value, list) else [value]

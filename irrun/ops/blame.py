"""Calls into code of others: its faults name the extension, the file and the line, and its outputs are checked."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import CodeType
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.diagnostics import OpError, amount
from irrun.diagnostics.foreign import TRACEBACK, running
from irrun.diagnostics.signals import is_of_signal
from irrun.ops.operation import Op
from irrun.tensor import Array, ElementType, Fact, Shape, Undecided

_PACKAGE: Final = f"{Path(__file__).resolve().parents[1]}{os.sep}"
_LONGEST: Final = 300


class ExtensionFault(OpError):
    """The code of an extension fails: it raises an exception, or returns what it must not; the cause is the former."""

    code = "IR805"
    of_extension = True


_PASSED: Final = KeyboardInterrupt, GeneratorExit, MemoryError, ExtensionFault


def is_own(cls: type) -> bool:
    """Return whether a class is part of irrun."""
    return cls.__module__.partition(".")[0] == "irrun"


@contextmanager
def blamed(subject: str, place: str = "", *passed: type[Exception]) -> Iterator[None]:
    """Run code of an extension; any exception but those ``passed`` becomes an ExtensionFault about ``subject``.

    ``place`` is that of what is called, which is named where the exception has left no line of the extension.
    """
    try:
        with running():
            yield
    except BaseException as error:
        if isinstance(error, (*_PASSED, *passed)) or is_of_signal(error):
            raise
        if os.environ.get(TRACEBACK):
            import traceback

            traceback.print_exception(error, file=sys.stderr)
        where = place_of(error, place.rpartition(":")[0]) or place
        raise ExtensionFault(f"{subject} fails{f' at {where}' if where else ''}: {described(error)}") from error


def described(error: BaseException) -> str:
    """Return the type of an exception and the first line of its message."""
    try:
        text = str(error)
    except Exception:
        text = "its message cannot be read"
    first, _, rest = text.strip().partition("\n")
    shown = first[:_LONGEST] + ("…" if rest or len(first) > _LONGEST else "")
    return f"{type(error).__name__}{f': {shown}' if shown else ''}"


def place_of(error: BaseException, beside: str = "") -> str:
    """Return the file and the line of an extension at which an exception left it; empty where there is none.

    That is the innermost line that is neither irrun's nor of Python or an installed package. Without one, it is that of
    an installed package, of the folder of the file ``beside`` if there is one.
    """
    if isinstance(error, SyntaxError) and error.filename:
        return f"{_shown(error.filename)}:{error.lineno}"
    lines: list[tuple[str, int]] = []
    trace = error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if not name.startswith((_PACKAGE, "<frozen")):
            lines.append((name, trace.tb_lineno))
        trace = trace.tb_next
    python, installed = _folders("stdlib", "platstdlib"), _folders("purelib", "platlib")
    own = [line for line in lines if not line[0].startswith(python + installed)]
    packages = [line for line in lines if line[0].startswith(installed)]
    folder = f"{os.path.dirname(os.path.abspath(beside))}{os.sep}"
    found = own or [line for line in packages if line[0].startswith(folder)] or packages
    return f"{_shown(found[-1][0])}:{found[-1][1]}" if found else ""


def _folders(*names: str) -> tuple[str, ...]:
    """Return the beginnings of the paths in folders of this Python, by the names that ``sysconfig`` has for them."""
    import sysconfig

    return tuple(f"{sysconfig.get_path(name)}{os.sep}" for name in names)


def _shown(filename: str) -> str:
    """Return a path, relative where it is in the current folder."""
    here = f"{os.getcwd()}{os.sep}"
    return filename.removeprefix(here)


# -- operations


def as_read(cls: type[Op], values: Mapping[str, Any]) -> Op:
    """Return an operation with the values of a file; ExtensionFault where one that is not irrun's cannot be made."""
    if is_own(cls):
        return cls.as_read(values)
    with blamed(f"{cls.type}.verify", definition(cls.verify, cls), OpError):
        return cls.as_read(values)


def called(op: Op, name: str, *given: Any) -> Any:
    """Call another method of an operation; ExtensionFault where one that is not irrun's fails."""
    method = getattr(op, name)
    if is_own(type(op)):
        return method(*given)
    with blamed(f"{op.type}.{name}", definition(getattr(type(op), name), type(op)), OpError):
        found = method(*given)
        return list(found) if isinstance(found, Iterator) else found


def infer(op: Op, *inputs: Any, **asked: Any) -> Any:
    """Call ``infer`` of an operation; ExtensionFault where one that is not irrun's fails or returns no facts."""
    if is_own(type(op)):
        return op.infer(*inputs, **asked)
    hook = _Hook.of(op, "infer")
    with blamed(hook.name, hook.place, OpError, Undecided):
        returned = op.infer(*inputs, **asked)
    results = returned if isinstance(returned, tuple | list) else (returned,)
    count = len(op.outputs)
    are_facts = all(isinstance(item, Shape | Fact) for item in results)
    is_variadic = bool(op.outputs) and op.outputs[-1].variadic
    if not are_facts or not (len(results) == count or is_variadic):
        expected = f"expected a Shape or a Fact for each of {amount(count, 'output')}"
        raise ExtensionFault(f"{hook} returns {_described(returned)}, {expected}")
    return returned


def runner(op: Op, outputs: Sequence[Fact] | None = None) -> Callable[..., Any]:
    """Return ``run`` of an operation, whose outputs have these facts; of one that is not irrun's with checks.

    Its arrays are read-only. ExtensionFault where it fails, or where its outputs are not those that ``infer`` stated;
    None does not check them, as those of arithmetic with dims.
    """
    return op.run if is_own(type(op)) else functools.partial(_run, op, outputs)


def _run(op: Op, outputs: Sequence[Fact] | None, *inputs: Any, **asked: Any) -> tuple[Any, ...]:
    hook = _Hook.of(op, "run")
    with blamed(hook.name, hook.place, OpError, Undecided):
        returned = op.run(*map(_protected, inputs), **asked)
    results = tuple(returned) if isinstance(returned, tuple | list) else (returned,)
    if outputs is None:
        return results
    if len(results) != len(outputs):
        raise ExtensionFault(f"{hook} returns {amount(len(results), 'output')}, expected {len(outputs)}")
    pairs = enumerate(zip(results, outputs, strict=True))
    return tuple([_checked(hook, f" as output {index}" if len(outputs) > 1 else "", *pair) for index, pair in pairs])


class _Hook(NamedTuple):
    """A method of an operation as messages name it, and the place where it is defined."""

    name: str
    place: str

    @staticmethod
    def of(op: Op, name: str) -> _Hook:
        method = type(op).hooks.get(name) or getattr(type(op), name)
        return _Hook(f"{op.type}.{getattr(method, '__name__', name)}", definition(method, type(op)))

    def __str__(self) -> str:
        return f"{self.name} at {self.place}"


def definition(function: Any, cls: type) -> str:
    """Return the file and the line at which a method of a class begins; the file of the class where irrun has it."""
    code = getattr(function, "__code__", None)
    if isinstance(code, CodeType) and not code.co_filename.startswith(_PACKAGE):
        return f"{_shown(code.co_filename)}:{code.co_firstlineno}"
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    return _shown(file) if file else cls.__module__


def _protected(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    view = value.view()
    view.flags.writeable = False
    return view


def _checked(hook: _Hook, which: str, result: Any, fact: Fact) -> Array:
    """Return an output as an array of the type that was inferred; ExtensionFault where it is another one."""
    try:
        array = None if result is None else np.asarray(result)
    except ValueError:
        array = None
    if array is None or not (fact.shape.admits(array.shape) and _holds(fact.type, array)):
        expected = f"expected {fact.type}{fact.shape}, as infer states"
        raise ExtensionFault(f"{hook} returns {_described(result)}{which}, {expected}")
    return array if array.flags.writeable else array.copy()


def _holds(type: ElementType, array: Array) -> bool:
    """Return whether an element type holds the values of an array, floats after rounding."""
    kind = array.dtype.kind
    if not type.is_known:
        return kind in "biufOSU"
    if type.kind == "string":
        return kind in "OSU"
    if type.is_float:
        return kind in "biuf"
    if kind == "b" or type.kind == "boolean":
        return kind == "b"
    if kind not in "iu":
        return False
    limits = np.iinfo(type.dtype)
    fits = array.dtype == type.dtype or not array.size
    return fits or bool(int(array.min()) >= limits.min and int(array.max()) <= limits.max)


def _described(value: Any) -> str:
    """Return what a value is, for a message."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype}{list(value.shape)}"
    if isinstance(value, tuple | list):
        return f"({', '.join(map(_described, value[:4]))}{', …' if len(value) > 4 else ''})"
    text = repr(value) if isinstance(value, int | float | str | None | Shape | Fact) else f"a {type(value).__name__}"
    return text if len(text) <= 40 else f"{text[:40]}…"

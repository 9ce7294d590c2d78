"""Collect calls of kernels over arrays that do not exist yet.

Arrays are views of numbered buffers. What a call reads and writes follows from the declaration of its arguments; from
that follows how long each buffer is needed, and so where it is placed in the arena.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple, TypeGuard

import numpy as np

from irrun.kernels.aligned import forget
from irrun.kernels.layout import axes_in_memory, merged_axes
from irrun.ops import Op
from irrun.runtime.packing import shared
from irrun.runtime.packs import Packs
from irrun.runtime.symbolic import Number, Symbols, SymInt, as_many, is_found, of_sizes
from irrun.runtime.view import Buffer, Call, Given, Interpreted, Numbers, Operand, Value, View, place_of
from irrun.tensor import Array, Fact
from irrun.tensor.element_type import dtype_text
from irrun_kernels.native import NOWHERE, Address, KernelFunction

F32: Final = np.dtype(np.float32)
BF16_BITS: Final[np.dtype[Any]] = np.dtype(np.uint16)
U8: Final[np.dtype[Any]] = np.dtype(np.uint8)
I64: Final[np.dtype[Any]] = np.dtype(np.int64)
"""The types of f32, of the bits of bf16, of levels, and of indices."""

EMPTY: Final = "a tensor without elements"
"""Why NumPy computes many steps on arrays of size 0."""

WIDEST_VECTOR: Final = 64
"""Bytes; also the most bytes that kernels read beyond the end of an array."""


class Unsupported(Exception):
    """No kernel computes a step; the text says why. It is the only way in which a lowering refuses."""


@dataclass(slots=True)
class Builder:
    """Collects calls; ``items`` are in the order in which they run.

    ``written`` are arrays that the prelude writes to variables. ``fresh`` are variables that the program does not read:
    it is for runs that find them without a value. ``algorithm`` is how the step that is lowered is computed, where its
    lowering chooses one of several. What depends on the plan, a `PlanBuilder` knows; here are calls outside of a plan.
    """

    packs: Packs = field(default_factory=Packs)
    symbols: Symbols = field(default_factory=Symbols)
    items: list[Call | Interpreted] = field(default_factory=list)
    buffers: list[Buffer] = field(default_factory=lambda: [Buffer("constant")])
    written: dict[str, View] = field(default_factory=dict)
    fresh: set[str] = field(default_factory=set)
    algorithm: str = ""
    _constants: dict[int, int] = field(default_factory=dict)
    _numbers: dict[Hashable, Numbers] = field(default_factory=dict)
    _views: dict[int, tuple[Numbers, View]] = field(default_factory=dict)
    _taken: dict[Hashable, View] = field(default_factory=dict)

    def wanted(self, shape: Sequence[Number], dtype: np.dtype[Any]) -> View | None:  # noqa: ARG002
        """The place where the only result of the step that is lowered should be; None for anywhere."""
        return None

    def early(self, run: Callable[..., Any] | None, inputs: Sequence[Value]) -> tuple[View, ...]:  # noqa: ARG002
        """Let NumPy compute the outputs of the step that is lowered before any call; Unsupported where it cannot.

        It computes them by a function, or as the step does.
        """
        raise Unsupported("a step outside of a plan")

    def counted(self, array: View, count: View) -> View:  # noqa: ARG002
        """The first columns of an array, of a number that the calls so far write to another."""
        return array

    def _buffer(self, buffer: Buffer) -> int:
        self.buffers.append(buffer)
        return len(self.buffers) - 1

    def empty(self, shape: Sequence[Number], dtype: np.dtype[Any] = F32) -> View:
        """A contiguous array in the arena."""
        made = View.contiguous(self._buffer(Buffer("arena")), shape, dtype)
        self.buffers[made.buffer].size = made.size * dtype.itemsize
        return made

    def images(self, shape: Sequence[Number], dtype: np.dtype[Any] = F32) -> View:
        """An array [N, C, *S] whose channels are neighbours in memory."""
        batch, channels, *sizes = shape
        return self.empty((batch, *sizes, channels), dtype).transpose(0, len(shape) - 1, *range(1, len(shape) - 1))

    def result_images(self, shape: Sequence[Number], dtype: np.dtype[Any] = F32) -> View:
        """The same for the only result of the step that is lowered: where it is wanted."""
        return self.wanted(shape, dtype) or self.images(shape, dtype)

    def given(
        self, shape: Sequence[Number], strides: Sequence[Number] | None, dtype: np.dtype[Any], given: Given
    ) -> View:
        """An array of the run, contiguous unless it has strides."""
        found = View.contiguous(self._buffer(Buffer("given", given=given)), shape, dtype)
        return found if strides is None else View(found.buffer, 0, found.shape, tuple(strides), dtype)

    def view(self, x: Operand | Numbers) -> View:
        """The array of a constant, or of numbers, which are written when the run begins."""
        if isinstance(x, View):
            return x
        if isinstance(x, np.ndarray):
            return View(self._constant(x), 0, x.shape, x.strides, x.dtype)
        found = self._views.get(id(x.values))
        if found is None:
            numbers = x.values.reshape(-1).tolist()
            buffer = self._buffer(Buffer("numbers", numbers=numbers, dtype=x.dtype))
            found = self._views[id(x.values)] = (x, View.contiguous(buffer, x.values.shape, x.dtype))
        return found[1]

    def _constant(self, array: Array) -> int:
        found = self._constants.get(id(array))
        if found is None:
            found = self._constants[id(array)] = self._buffer(Buffer("constant", array.nbytes, array))
        return found

    def constant(self, array: Array | None, dtype: np.dtype[Any] = F32) -> Address:
        """The address of a contiguous copy of a constant, or of itself."""
        return NOWHERE if array is None else Address(self._constant(np.ascontiguousarray(array, dtype)))

    def packed(
        self, tag: Hashable, source: Array, vectors: int, make: Callable[[], Array], *, on_disk: bool = True
    ) -> Address:
        """The address of packed weights, which are made of a source once for all plans of a model.

        They may be kept ``on_disk`` where the tag and the source tell all that they are made of.
        """
        key = (tag, source.ctypes.data, source.shape, source.strides, vectors)
        found = shared(self.packs, key, partial(self.packs.made, tag, source, vectors, make) if on_disk else make)
        forget(source)
        return Address(self._constant(found))

    def numbers(self, values: Sequence[Number]) -> Array | Numbers:
        """Integers that are known when a run begins, as a tensor; equal ones are one tensor."""
        if not is_symbolic(*values):
            return np.array(values, np.int64)
        key = tuple(value.terms if isinstance(value, SymInt) else value for value in values)
        found = self._numbers.get(key)
        if found is None:
            array = np.empty(len(values), object)
            array[:] = values
            found = self._numbers[key] = Numbers(array, I64)
        return found

    def table(
        self, make: Callable[..., Array], numbers: Sequence[Number], shape: Sequence[Number], dtype: np.dtype[Any]
    ) -> Operand:
        """The array of this shape that a function makes of numbers, when the run begins if some are known only then."""
        if not is_symbolic(*numbers):
            return np.ascontiguousarray(make(*numbers), dtype)
        return View.contiguous(self._buffer(Buffer("numbers", 0, None, numbers, make, dtype)), shape, dtype)

    def address(self, x: Operand | None) -> Address:
        """The address of an array or a constant."""
        if x is None:
            return NOWHERE
        found = self.view(x)
        address = Address(found.buffer, found.offset)
        self._taken[place_of(address)] = found
        return address

    def call(
        self,
        kernel: KernelFunction,
        arguments: Any,
        tasks: Number,
        workspace: Number = 0,
        tables: Mapping[str, Sequence[Any]] | None = None,
    ) -> None:
        """Add a call; ``workspace`` are the bytes that each worker needs for it."""
        call = Call(kernel, kernel.flat(arguments), tasks, workspace, tables or {})
        places = [place_of(access.address) for access in call.accesses]
        views = {place: self._taken[place] for place in places if place in self._taken}
        self.items.append(call._replace(views=views))

    def cover(self, *views: View) -> None:
        """Let the last call access whole arrays, in place of parts of them that begin where they do."""
        call = self.items[-1]
        if isinstance(call, Call):
            whole = {place_of(self.address(view)): view for view in views}
            self.items[-1] = call._replace(views={**call.views, **whole})

    @property
    def failure(self) -> Address:
        """The address of a number that kernels set where they cannot compute the run."""
        return FAILURE

    @staticmethod
    def is_constant(x: Operand | None) -> TypeGuard[Array]:
        """Return whether an array is a constant of the plan."""
        return isinstance(x, np.ndarray)


FAILURE: Final[Address] = Address(0)


Lowering = Callable[..., Any]
"""``lowering(op, builder, *inputs)`` returns the output, or a tuple of outputs; Unsupported leaves a step to NumPy."""


class Lowered(NamedTuple):
    """A lowering, and the inputs that may be `Numbers`: it gets their values."""

    function: Lowering
    numbers: Collection[int]


LOWERINGS: Final[dict[type[Op] | str, Lowered]] = {}


def lowers(*operations: type[Op] | str, numbers: Collection[int] = ()) -> Callable[[Lowering], Lowering]:
    """Declare how operations are lowered. A text is a type in lower case, for all of its versions."""

    def declare(function: Lowering) -> Lowering:
        for operation in operations:
            if operation in LOWERINGS:
                name = operation if isinstance(operation, str) else operation.__name__
                raise TypeError(f"{name} is lowered twice: {LOWERINGS[operation].function}, {function}")
            LOWERINGS[operation] = Lowered(function, numbers)
        return function

    return declare


def require_f32(*arrays: Operand | None, may_be_found: bool = False) -> None:
    """Raise Unsupported unless all arrays, except absent ones, hold f32 and are not empty.

    What computes each row by itself also takes rows that calls find, of which there may be none.
    """
    for array in arrays:
        if array is not None and array.dtype != F32:
            raise Unsupported(f"elements of {dtype_text(array.dtype)}")
        if array is not None:
            require_elements(array, may_be_found=may_be_found)


def require_elements(array: Operand, *, may_be_found: bool = True) -> None:
    """Raise Unsupported for an empty array, unless calls find how many rows it has."""
    if not (may_be_found and is_found(array.size)) and not array.size > 0:
        raise Unsupported(EMPTY)


def has_static_shape(fact: Fact) -> bool:
    """Return whether the shape and the type of a tensor are known."""
    return fact.shape.is_static and fact.type.is_known and fact.type.kind != "string"


def empty_as(builder: Builder, x: Operand, dtype: np.dtype[Any], shape: Sequence[Number] | None = None) -> View:
    """Return an array of another type, or shape as well, with the same memory order of axes, without gaps."""
    order = memory_order(x)
    made = builder.empty([(x.shape if shape is None else shape)[axis] for axis in order], dtype)
    return made.transpose(np.argsort(order).tolist())


def broadcast(builder: Builder, x: Operand, shape: Sequence[Number]) -> View:
    """Repeat axes of size 1; Unsupported where the sizes do not fit, which NumPy reports."""
    try:
        return builder.view(x).broadcast_to(shape)
    except ValueError as error:
        raise Unsupported(str(error)) from None


def broadcast_shape(*shapes: Sequence[Number]) -> tuple[Number, ...]:
    """The shape to which all of some shapes broadcast; Unsupported where there is none, which NumPy reports."""
    rank = max(len(shape) for shape in shapes)
    sizes: list[Number] = []
    for axis in range(-rank, 0):
        found: Number = 1
        for shape in shapes:
            if len(shape) < -axis or shape[axis] == 1:
                continue
            if found != 1 and found != shape[axis]:
                raise Unsupported(f"axes of sizes {found} and {shape[axis]} do not broadcast")
            found = found if isinstance(found, int) and found != 1 else shape[axis]
        sizes.append(found)
    return tuple(sizes)


@of_sizes
def share(count: Number, nanoseconds: Any) -> tuple[Number, Number]:
    """Cut ``count`` things, which take so long together, into tasks: how many in each, and how many tasks."""
    tasks = max(1, min(_MOST_TASKS, count, int(nanoseconds / _LEAST_NANOSECONDS)))
    each = -(-count // tasks)
    return each, -(-count // each) if each else 0


_MOST_TASKS: Final = 16
_LEAST_NANOSECONDS: Final = 4000


def merged(arrays: Sequence[Operand], most: int) -> list[tuple[Number, tuple[Number, ...]]] | None:
    """Return the merged axes of arrays, one at least; None where more than ``most`` are left."""
    axes = merged_axes(arrays) or [(1, tuple(array.itemsize for array in arrays))]
    return None if len(axes) > most else axes


def memory_order(x: Operand) -> list[int]:
    """The axes of an array in the order of memory, outermost first; the same one for all sizes that calls find."""
    return axes_in_memory(View(0, 0, tuple(map(as_many, x.shape)), tuple(map(as_many, x.strides)), x.dtype))


def integers(values: Operand, what: str) -> list[Number]:
    """The integers of an input, which are known when a run begins at the latest; Unsupported for others."""
    if not isinstance(values, np.ndarray):
        raise Unsupported(f"{what} depends on values")
    found: list[Number] = values.reshape(-1).tolist()
    return found


def is_symbolic(*numbers: Number) -> bool:
    """Return whether some numbers are known only when a run begins."""
    return any(isinstance(number, SymInt) for number in numbers)

"""Describe a program of compiled kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np

from irrun.reporting.plans.epilogues import epilogue_of
from irrun.reporting.plans.lines import array_text, layers_of
from irrun.reporting.plans.listing import ItemListing, Operand, ProgramListing, Size, StepListing
from irrun.reporting.plans.sizes import Sizes
from irrun.runtime.lowering.builder import FAILURE, is_symbolic
from irrun.runtime.plan import Plan, Step
from irrun.runtime.program import LoweredStep, Program, place, stage_of
from irrun.runtime.symbolic import Number, hint_of
from irrun.runtime.view import Access, Call, Interpreted, Numbers, Value, View
from irrun.tensor import Array
from irrun.tensor.element_type import dtype_text
from irrun_kernels.elementwise import CALL, chain
from irrun_kernels.scalars import ELEMENTS


def program_of(
    program: Program, inputs: Sequence[str], results: Sequence[str], packed: Collection[int], level: str
) -> ProgramListing:
    """Describe a program. ``inputs`` and ``results`` are names, ``packed`` the ids of the arrays of packed weights."""
    return _Lister(program, packed).listing(inputs, results, level)


def reasons_of(program: Program, plan: Plan) -> dict[int, str]:
    """Return why NumPy computes steps of a plan, by their number."""
    numbers = {step.node.id: number for number, step in enumerate(plan.steps)}
    items = [*program.preludes[0], *program.preludes[1], *program.items]
    return {numbers[item.step.node.id]: item.reason for item in items if isinstance(item, Interpreted)}


class _Lister:
    def __init__(self, program: Program, packed: Collection[int]) -> None:
        self._program = program
        self._packed = packed
        sizes = [
            0 if buffer.kind != "arena" or stage_of(buffer.size) > 1 else int(hint_of(buffer.size))
            for buffer in program.buffers
        ]
        self._offsets, self._arena = place(program.buffers, sizes)
        self._names: dict[int, str] = {FAILURE.buffer: "failure"}
        self._of_arrays: dict[int, int] = {}
        self._counts = {"%": 0, "$": 0}
        for number, buffer in enumerate(program.buffers):
            if buffer.array is not None:
                self._of_arrays[id(buffer.array)] = number
        self._name_all()
        self._sizes = Sizes(program, self._names)

    def _name_all(self) -> None:
        """Number the arrays in the order in which they first occur."""
        program = self._program
        for value in program.parameters:
            self._name(value.buffer)
        for prelude in program.preludes:
            for early in prelude:
                self._name_values((*early.inputs, *early.outputs))
        for item in program.items:
            if isinstance(item, Call):
                for access in item.accesses:
                    self._name(access.address.buffer)
            else:
                self._name_values((*item.inputs, *item.outputs))
        self._name_values(program.results)
        for buffer, given in program.given.items():
            if given.shape or given.strides:
                self._name(buffer)

    def _name_values(self, values: Sequence[Value]) -> None:
        for value in values:
            if isinstance(value, View):
                self._name(value.buffer)

    def _name(self, number: int) -> str:
        found = self._names.get(number)
        if found is None:
            letter = "$" if self._program.buffers[number].kind == "constant" else "%"
            found = self._names[number] = f"{letter}{self._counts[letter]}"
            self._counts[letter] += 1
        return found

    def listing(self, inputs: Sequence[str], results: Sequence[str], level: str) -> ProgramListing:
        program = self._program
        main = [step for step in program.steps if step.first >= 0]
        steps = [self._step(lowered) for lowered in main]
        items = [item for step in steps for item in step.items]
        preludes = tuple(tuple(self._prelude(item) for item in prelude) for prelude in program.preludes)
        constants = program.constants
        parameters = tuple(self._operand(view, name) for view, name in zip(program.parameters, inputs, strict=True))
        made = tuple(f"{name} = {self._value(value)}" for value, name in zip(program.results, results, strict=True))
        guards, tensors = tuple(self._sizes.guards), self._tensors_of_sizes()
        return ProgramListing(
            level,
            parameters,
            made,
            self._sizes.origins,
            guards,
            preludes,
            tuple(steps),
            program.stops,
            tensors,
            dict(sorted(Counter(item.kernel for item in items if item.tasks is not None).items())),
            dict(sorted(program.interpreted.items())),
            self._arena,
            sum(array.nbytes for array in constants if id(array) not in self._packed),
            sum(array.nbytes for array in constants if id(array) in self._packed),
        )

    def _tensors_of_sizes(self) -> dict[str, str]:
        found = {}
        for number, buffer in enumerate(self._program.buffers):
            if buffer.kind == "numbers" and number in self._names:
                kind = dtype_text(buffer.dtype) + (" made of" if buffer.make is not None else "")
                found[self._names[number]] = f"{kind} {', '.join(map(self._sizes.text, buffer.numbers))}"
        return found

    def _step(self, lowered: LoweredStep) -> StepListing:
        items = tuple(self._item(n, self._program.items[n]) for n in range(lowered.first, lowered.last))
        outputs = tuple(map(self._value, lowered.outputs))
        return _step_of(lowered.step, items, outputs)._replace(algorithm=lowered.algorithm)

    def _prelude(self, item: Interpreted) -> StepListing:
        outputs = tuple(map(self._value, item.outputs))
        return _step_of(item.step, (self._item(-1, item),), outputs)

    def _item(self, number: int, item: Call | Interpreted) -> ItemListing:
        if isinstance(item, Interpreted):
            reads = tuple(self._operand(value) for value in item.inputs if value is not None)
            writes = tuple(map(self._operand, item.outputs))
            return ItemListing(
                number,
                "NumPy",
                reads,
                writes,
                None,
                self._sum(item.inputs),
                self._sum(item.outputs),
                reason=item.reason,
            )
        return self._call(number, item)

    def _call(self, number: int, call: Call) -> ItemListing:
        accesses = [access for access in call.accesses if access.address != FAILURE]
        packed = [access for access in accesses if self._is_packed(access)]
        reads = [access for access in accesses if access.is_read]
        writes = [access for access in accesses if access.is_written]
        return ItemListing(
            number,
            call.kernel.name,
            tuple(map(self._access, reads)),
            tuple(map(self._access, writes)),
            int(hint_of(call.tasks)),
            self._sizes.value(sum(self._bytes(access) for access in reads if not self._is_packed(access))),
            self._sizes.value(sum(map(self._bytes, writes))),
            sum(int(self._bytes(access)) for access in packed),
            tasks_vary=is_symbolic(call.tasks),
            functions=_functions(call),
            epilogue=epilogue_of(call),
            may_bail_out=len(accesses) < len(call.accesses),
        )

    def _access(self, access: Access) -> Operand:
        field = "" if access.is_in_table else access.field.removesuffix("_start")
        if access.view is not None:
            return self._operand(access.view, field)
        buffer = self._program.buffers[access.address.buffer]
        name = self._place_name(access.address.buffer, access.address.offset)
        if buffer.array is None:
            return Operand(name, "", self._sizes.value(buffer.size), field, *self._place(access.address.buffer))
        kind = "packed" if self._is_packed(access) else array_text(buffer.array)
        return Operand(name, kind, buffer.array.nbytes, field)

    def _is_packed(self, access: Access) -> bool:
        array = self._program.buffers[access.address.buffer].array
        return array is not None and id(array) in self._packed

    def _operand(self, value: Value, field: str = "") -> Operand:
        if isinstance(value, View):
            kind = f"{dtype_text(value.dtype)}[{self._sizes.shape(value.shape)}]{_order(value)}"
            name = self._place_name(value.buffer, value.offset)
            return Operand(name, kind, self._sizes.value(_bytes(value)), field, *self._place(value.buffer))
        if isinstance(value, np.ndarray):
            number = self._of_arrays.get(id(value))
            name = self._names.get(number, "") if number is not None else ""
            return Operand(name or "constant", array_text(value), value.nbytes, field)
        if isinstance(value, Numbers):
            return Operand("sizes", self._numbers(value), None, field)
        return Operand("absent", "", None, field)

    def _place_name(self, number: int, offset: Number) -> str:
        text = self._sizes.text(offset)
        return self._names[number] + ("" if text == "0" else f"+({text})" if " " in text else f"+{text}")

    def _place(self, number: int) -> tuple[int | None, Size | None]:
        offset = self._offsets.get(number)
        buffer = self._program.buffers[number]
        if offset is None or stage_of(buffer.size) > 1:
            return None, None
        return offset, self._sizes.value(buffer.size)

    def _value(self, value: Value) -> str:
        return self._operand(value).text

    def _numbers(self, value: Numbers) -> str:
        return f"[{', '.join(map(self._sizes.text, value.values.reshape(-1).tolist()))}]"

    def _bytes(self, access: Access) -> Number:
        if access.view is not None:
            return _bytes(access.view)
        return self._program.buffers[access.address.buffer].size

    def _sum(self, values: Sequence[Value]) -> Size:
        return self._sizes.value(sum(_bytes(value) for value in values if isinstance(value, View | np.ndarray)))


def _step_of(step: Step, items: tuple[ItemListing, ...], outputs: tuple[str, ...]) -> StepListing:
    return StepListing(step.node.type, tuple(layers_of(step)), items, outputs)


def _functions(call: Call) -> tuple[str, ...]:
    """The names of the functions that a chain applies."""
    if call.kernel is not chain:
        return ()
    names = [ELEMENTS[number].name for number in call.tables["calls"][::CALL]]
    return tuple(f"to_{dtype_text(np.dtype(name[3:]))}" if name.startswith("to_") else name for name in names)


def _order(x: View) -> str:
    """The axes as they are in memory, where that is another order than that of the shape."""
    strides = [abs(hint_of(stride)) for stride in x.strides]
    axes = [axis for axis, size in enumerate(x.shape) if strides[axis] and (is_symbolic(size) or size != 1)]
    order = sorted(axes, key=lambda axis: -strides[axis])
    return "" if order == axes else f"{{{','.join(map(str, order))}}}"


def _bytes(x: View | Array) -> Number:
    """The bytes of the elements of an array, each once: axes that repeat them do not count."""
    found: Number = x.itemsize
    for size, stride in zip(x.shape, x.strides, strict=True):
        if not (isinstance(stride, int) and stride == 0):
            found = found * size
    return found

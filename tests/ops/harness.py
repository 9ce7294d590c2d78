"""Turns operation cases into models and compares their outputs with the expected ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import irrun.model
from irrun.document.writer import Handle, Writer
from irrun.ops import Op
from irrun.ops.available import operations_of
from irrun.ops.calling import infer, run
from irrun.tensor import Array, ElementType, Fact, Shape
from irrun.tensor.element_type import BOOLEAN, F32, F64, I8, I16, I32, I64, STRING, U8, U16, U32, U64
from tests.cases import AnyCase, Case, Invalid, ModelCase
from tests.nets import written
from tests.ops import own_operations

EXTENSIONS = (own_operations,)
OPERATIONS = operations_of(EXTENSIONS)
"""The operations of irrun, and those that a test module declares like a user."""

_BY_DTYPE = {kind.dtype: kind for kind in (F32, F64, I8, I16, I32, I64, U8, U16, U32, U64, BOOLEAN, STRING)}


def declaration(case: AnyCase | Invalid) -> type[Op]:
    version = f"opset{case.opset}" if isinstance(case.opset, int) else case.opset
    return OPERATIONS.resolve(case.type, version)


def operation(case: Case | Invalid) -> Op:
    values: dict[str, Any] = dict(case.attributes)
    for spec in declaration(case).spec.attributes:
        if spec.field in values and spec.kind == "type" and isinstance(values[spec.field], str):
            values[spec.field] = ElementType.named(values[spec.field])
        if spec.field in values and spec.kind == "shape" and isinstance(values[spec.field], str):
            values[spec.field] = Shape.parse(values[spec.field])
    return declaration(case)(**values)


def element_types(case: Case | Invalid) -> list[ElementType]:
    return [
        ElementType.named(case.types[index])
        if index in case.types
        else F32
        if array is None
        else _BY_DTYPE[array.dtype]
        for index, array in enumerate(item if not isinstance(item, str) else None for item in case.inputs)
    ]


def facts(case: Case, *, values: bool = True, sizes: bool = True) -> list[Fact | None]:
    """Return the facts of the inputs: without values unless ``values``, and then without dims unless ``sizes``."""
    found: list[Fact | None] = []
    for array, type in zip(case.inputs, element_types(case), strict=True):
        if array is None:
            found.append(None)
        elif values:
            found.append(Fact.of(type, array))
        else:
            found.append(Fact(type, Shape(array.shape) if sizes else Shape.unknown(array.ndim)))
    return found


def constants(case: Case) -> tuple[int, ...]:
    """Return the inputs that are constants in the model for the native plugin."""
    return tuple(range(1, len(case.inputs)) if case.constant is None else case.constant)


def model(
    case: Case,
    *,
    dynamic: bool = False,
    constants: Sequence[int] = (),
    half: bool = False,
    declared: Sequence[Fact] | None = None,
) -> tuple[Writer, list[int]]:
    """Return a model of the one operation, and the indices of the inputs that are its Parameters.

    Inputs in ``constants`` become Const layers. With ``dynamic`` every size of a Parameter is ``?``; with ``half``
    every f32 is f16. ``declared`` are the outputs as the model declares them, if not as irrun infers them.
    """
    ir = Writer(str(case))
    return ir, part(ir, case, "", dynamic=dynamic, constants=constants, half=half, declared=declared)


def part(
    ir: Writer,
    case: Case,
    prefix: str,
    *,
    dynamic: bool = False,
    constants: Sequence[int] = (),
    half: bool = False,
    declared: Sequence[Fact] | None = None,
) -> list[int]:
    """Add the operation of a case to a model, as ``model`` does; its Parameters are named ``{prefix}in{index}``."""
    op = operation(case)
    handles: list[Handle] = []
    known: list[Fact] = []
    parameters: list[int] = []
    for index, (array, type) in enumerate(zip(case.inputs, element_types(case), strict=True)):
        if array is None:
            break
        kind = ElementType.named("f16") if half and type is F32 else type
        if index in constants:
            handles.append(ir.constant(array, kind))
            known.append(Fact.of(kind, array))
        else:
            shape = Shape.unknown(array.ndim) if dynamic else Shape(array.shape)
            handles.append(ir.parameter(f"{prefix}in{index}", kind, shape))
            known.append(Fact(kind, shape))
            parameters.append(index)
    if declared is None:
        declared = [Fact(fact.type, fact.shape) for fact in infer(op, known, output_count=len(case.expected))]
    for handle in ir.layer(case.type, op.spec.version, handles, declared, written(op)):
        ir.result(handle)
    return parameters


def whole(case: ModelCase) -> Writer:
    """Return the model of a model case."""
    ir = Writer(str(case))
    case.build(ir)
    return ir


def computed(case: AnyCase) -> Sequence[Array]:
    """Return the outputs of irrun: of the kernel alone, or of the model of a model case."""
    if isinstance(case, Case):
        op = operation(case)
        outputs = infer(op, facts(case), output_count=len(case.expected))
        return run(op, case.inputs, [fact.type for fact in outputs], facts=facts(case, values=False))
    ir = whole(case)
    request = irrun.model.build(irrun.model.load(ir.text.encode(), ir.weights)).session()
    for _ in range(case.runs - 1):
        request.run(list(case.inputs))
    return request.run(list(case.inputs)).to_tuple()


def passes(case: AnyCase) -> bool:
    try:
        expect(computed(case), case)
    except AssertionError:
        return False
    return True


def expect(got: Sequence[Array], case: AnyCase, rtol: float | None = None, atol: float | None = None) -> None:
    """Fail unless every output has the expected type, shape and values."""
    assert len(got) == len(case.expected), f"{len(got)} outputs, expected {len(case.expected)}"
    for index, (array, want) in enumerate(zip(got, case.expected, strict=True)):
        where = f"output {index}"
        assert array.shape == want.shape, f"{where}: shape {array.shape}, expected {want.shape}"
        if want.dtype == object:
            assert array.tolist() == want.tolist(), where
            continue
        if array.dtype == np.float16 and want.dtype == np.float32:
            array = array.astype(np.float32)
        assert array.dtype == want.dtype or rtol is not None, f"{where}: {array.dtype}, expected {want.dtype}"
        if want.dtype.kind == "f":
            np.testing.assert_allclose(
                array.astype(np.float64),
                want.astype(np.float64),
                rtol=case.rtol if rtol is None else rtol,
                atol=case.atol if atol is None else atol,
                equal_nan=True,
                err_msg=where,
            )
        else:
            np.testing.assert_array_equal(array, want, err_msg=where)

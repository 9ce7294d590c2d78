from __future__ import annotations

from irrun.ops import Array, ElementType, Fact, In, Op, OpError, Out, attr, op
from irrun.tensor import DYNAMIC
from irrun.tensor import element_type as types

_TAKEN = types.INTEGER - {types.U2, types.U3, types.U6} | {
    *(types.BOOLEAN, types.F16, types.BF16, types.F32, types.F64),
    *(types.F8E4M3, types.F8E5M2),
}
_SIGNED_BY_WIDTH = {kind.bits: kind for kind in types.SIGNED}


@op("ConvertPromoteTypes", opset=14)
class ConvertPromoteTypes(Op):
    """Convert two tensors to a common type that can hold the values of both.

    Floats take precedence over integers, integers over booleans. The common type of two floats is the wider one, f16
    for two of 8 bits and f32 for f16 and bf16; that of two integers is the narrowest that holds all values of both,
    signed where one is.

    Note: where promote_unsafe is false, integers of different signs may not widen, and a float must have twice the
    width of the integer; OpenVINO checks the same.
    """

    inputs = (In("input_0", _TAKEN), In("input_1", _TAKEN))
    outputs = (Out("output_0", _TAKEN), Out("output_1", _TAKEN))

    promote_unsafe: bool = attr(False, doc="whether to allow promotions that lose precision or widen")
    pytorch_scalar_promotion: bool = attr(
        False, doc="whether a scalar is converted to the type of a tensor of its kind"
    )
    u64_integer_promotion_target: ElementType = attr(types.F32, doc="the type for u64 together with a signed integer")

    def infer(self, input_0: Fact, input_1: Fact) -> tuple[Fact, Fact]:
        common = self._common(input_0, input_1)
        return Fact(common, input_0.shape), Fact(common, input_1.shape)

    def run(self, input_0: Array, input_1: Array) -> tuple[Array, Array]:
        return input_0, input_1

    def _common(self, input_0: Fact, input_1: Fact) -> ElementType:
        a, b = input_0.type, input_1.type
        if not a.is_known or not b.is_known:
            return DYNAMIC
        if a is b or b is types.BOOLEAN:
            return a
        if a is types.BOOLEAN:
            return b
        if a.is_float != b.is_float:
            return self._float_and_integer(a, b) if a.is_float else self._float_and_integer(b, a)
        if self.pytorch_scalar_promotion and (input_0.rank is None or input_1.rank is None):
            return DYNAMIC
        if self.pytorch_scalar_promotion and (input_0.rank == 0) != (input_1.rank == 0):
            return self._scalar(b, scalar=a) if input_0.rank == 0 else self._scalar(a, scalar=b)
        if a.kind != b.kind:
            return self._signed_and_unsigned(a, b) if a.kind == "int" else self._signed_and_unsigned(b, a)
        if a.bits != b.bits:
            return a if a.bits > b.bits else b
        common = types.F16 if a.bits == 8 else types.F32
        self._must_be_safe(False, a, b, common)
        return common

    def _float_and_integer(self, real: ElementType, integer: ElementType) -> ElementType:
        self._must_be_safe(real.bits >= 2 * integer.bits, integer, real, real)
        return real

    def _scalar(self, tensor: ElementType, scalar: ElementType) -> ElementType:
        holds = tensor.bits >= scalar.bits if tensor.kind == scalar.kind else 2 * tensor.bits >= scalar.bits
        self._must_be_safe(holds and (tensor.kind == scalar.kind or tensor.kind == "int"), scalar, tensor, tensor)
        return tensor

    def _signed_and_unsigned(self, signed: ElementType, unsigned: ElementType) -> ElementType:
        wide = unsigned is types.U64
        common = self.u64_integer_promotion_target if wide else _SIGNED_BY_WIDTH[max(2 * unsigned.bits, signed.bits)]
        self._must_be_safe(not wide and 2 * unsigned.bits <= signed.bits, signed, unsigned, common)
        return common

    def _must_be_safe(self, safe: bool, a: ElementType, b: ElementType, common: ElementType) -> None:
        if not safe and not self.promote_unsafe:
            raise OpError(
                f"{a} and {b} would become {common}, which is not safe; promote_unsafe is false",
                attribute="promote_unsafe",
            )

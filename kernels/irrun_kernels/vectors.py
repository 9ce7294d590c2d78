"""Vectors of f32 as LLVM has them: 16 lanes with AVX-512, 8 with AVX, 4 elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import Any, Final, NamedTuple

from irrun_kernels import ir
from irrun_kernels.backends import OF_BF16, OF_BYTES
from irrun_kernels.host import BYTES, LANES, LEVEL

_INTEGERS: Final = 1.5 * 2.0**23
"""An f32 whose neighbours are integers: the sum with a small number has the nearest integer in its lowest bits."""


class Mask(NamedTuple):
    """The ``lanes`` of a vector that are in memory, as bits, and whether these are all of them."""

    lanes: Any
    is_whole: Any


class Vectors:
    """Emits operations on vectors. The last of several may be masked."""

    def __init__(self, builder: Any) -> None:
        self.builder = builder
        self.float = ir.FloatType()
        self.long = ir.IntType(64)
        self.word = ir.IntType(32)
        self.byte = ir.IntType(8)
        self.vector = ir.VectorType(self.float, LANES)
        self.words = ir.VectorType(self.word, LANES)
        self.halves = ir.VectorType(ir.IntType(16), LANES)
        self.bytes = ir.VectorType(self.byte, LANES)

    def constant(self, value: int) -> Any:
        return ir.Constant(self.long, value)

    def every(self, value: float) -> Any:
        """A constant in all lanes."""
        return ir.Constant(self.vector, [value] * LANES)

    def variable(self, value: Any) -> Any:
        """A variable that LLVM keeps in a register."""
        with self.builder.goto_entry_block():
            place = self.builder.alloca(value.type)
        self.builder.store(value, place)
        return place

    def scratch(self, size: int) -> Any:
        """The address of memory of this function."""
        with self.builder.goto_entry_block():
            place = self.builder.alloca(ir.ArrayType(self.byte, size))
            place.align = 64
            return self.builder.ptrtoint(place, self.long)

    def is_given(self, address: Any) -> Any:
        return self.builder.icmp_signed("!=", address, self.constant(0))

    def variants(self, given: Sequence[Any], choices: Iterable[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
        """Each choice in turn; what is built for it is run where the given values are that choice."""
        for choice in choices:
            same = [
                self.builder.icmp_signed("==", *pair) for pair in zip(given, map(self.constant, choice), strict=True)
            ]
            with self.builder.if_then(reduce(self.builder.and_, same)):
                yield choice

    @contextmanager
    def times(self, count: Any) -> Iterator[Any]:
        """A loop, with the number of the iteration."""
        builder, before = self.builder, self.builder.block
        head, body, after = (builder.append_basic_block(name) for name in ("head", "body", "end"))
        builder.branch(head)
        builder.position_at_end(head)
        index = builder.phi(self.long)
        index.add_incoming(self.constant(0), before)
        builder.cbranch(builder.icmp_signed("<", index, count), body, after)
        builder.position_at_end(body)
        yield index
        index.add_incoming(builder.add(index, self.constant(1)), builder.block)
        builder.branch(head)
        builder.position_at_end(after)

    def for_each_vector(self, count: Any, emit: Callable[[Any, Any], None]) -> None:
        """Call ``emit`` with the number of the first element of each vector, and with a mask for the last ones."""
        whole = self.builder.udiv(count, self.constant(LANES))
        with self.times(whole) as loop:
            emit(self.builder.mul(loop, self.constant(LANES)), None)
        done = self.builder.mul(whole, self.constant(LANES))
        emit(done, self.mask(self.builder.sub(count, done)))

    def pointer(self, address: Any, offset: int, type: Any) -> Any:
        moved = self.builder.add(address, self.constant(offset)) if offset else address
        return self.builder.inttoptr(moved, type.as_pointer())

    def beyond(self, address: Any, number: Any, step: Any) -> Any:
        """The address ``number`` times ``step`` further."""
        factor = self.constant(step) if isinstance(step, int) else step
        return self.builder.add(address, self.builder.mul(number, factor))

    def load_long(self, address: Any, offset: int) -> Any:
        return self.builder.load(self.pointer(address, offset, self.long), align=8)

    def load(self, address: Any, number: int = 0, mask: Mask | None = None, type: Any = None) -> Any:
        """Vector ``number`` behind an address, of f32 by default; zeros where it is masked."""
        type = self.vector if type is None else type
        place = self.pointer(address, _size(type) * number, type)
        name, align = f"llvm.masked.load.{_suffix(type)}.p0{_suffix(type)}", bytes_of(type)
        return self._access(
            mask,
            lambda: self.builder.load(place, align=align),
            lambda lanes: self.call(name, type, place, ir.Constant(self.word, align), lanes, ir.Constant(type, None)),
        )

    def _access(self, mask: Mask | None, whole: Callable[[], Any], part: Callable[[Any], Any]) -> Any:
        """Access a vector in memory, or some lanes of it; a mask of all lanes is none where masks take time."""
        if mask is None:
            return whole()
        if LEVEL.has_masks:
            return part(mask.lanes)
        found = []
        accesses: list[Callable[[], Any]] = [whole, lambda: part(mask.lanes)]
        with self.builder.if_else(mask.is_whole) as branches:
            for branch, access in zip(branches, accesses, strict=True):
                with branch:
                    found.append((access(), self.builder.block))
        if found[0][0].type == ir.VoidType():
            return None
        value = self.builder.phi(found[0][0].type)
        for one, block in found:
            value.add_incoming(one, block)
        return value

    def store(self, value: Any, address: Any, number: int = 0, mask: Mask | None = None) -> None:
        type = value.type
        place = self.pointer(address, _size(type) * number, type)
        name, align = f"llvm.masked.store.{_suffix(type)}.p0{_suffix(type)}", bytes_of(type)
        self._access(
            mask,
            lambda: self.builder.store(value, place, align=align),
            lambda lanes: self.call(name, ir.VoidType(), value, place, ir.Constant(self.word, align), lanes),
        )

    def mask(self, count: Any) -> Mask:
        """The first ``count`` lanes."""
        spread = self.spread(self.builder.trunc(count, self.word), self.words)
        lanes = self.builder.icmp_signed("<", ir.Constant(self.words, list(range(LANES))), spread)
        return Mask(lanes, self.builder.icmp_signed(">=", count, self.constant(LANES)))

    def splat(self, value: Any) -> Any:
        """A number in all lanes."""
        return self.spread(value, self.vector)

    def multiply_add(self, a: Any, b: Any, total: Any) -> Any:
        return self.call(f"llvm.fma.{_suffix(self.vector)}", self.vector, a, b, total)

    def multiply_bf16(self, a: Any, b: Any, total: Any) -> Any:
        """Add the products of two bf16 in each word of ``a`` and two of ``b`` to f32, first those in the upper halves.

        Each product and sum is rounded once. The instruction takes numbers below 2**-126 for zeros. That of ARM rounds
        the sum of two products to odd.
        """
        if OF_BF16.function:
            return self._dot(OF_BF16.function, total, a, b)
        first = self.multiply_add(self.upper_halves(a), self.upper_halves(b), total)
        return self.multiply_add(self.lower_halves(a), self.lower_halves(b), first)

    def _dot(self, function: str, total: Any, a: Any, b: Any) -> Any:
        """Call an instruction that adds products of parts of words."""
        type = ir.VectorType(self.byte, BYTES) if ".neon." in function else self.words
        return self.call(function, total.type, total, self.builder.bitcast(a, type), self.builder.bitcast(b, type))

    def upper_halves(self, words: Any) -> Any:
        """The bf16 in the upper halves of words as f32."""
        return self.builder.bitcast(self.builder.and_(words, self.each(0xFFFF0000)), self.vector)

    def lower_halves(self, words: Any) -> Any:
        """The bf16 in the lower halves of words as f32."""
        return self.builder.bitcast(self.builder.shl(words, self.each(16)), self.vector)

    def flushed(self, value: Any) -> Any:
        """Zeros of the same sign in place of numbers below 2**-126."""
        bits = self.builder.bitcast(value, self.words)
        return self.builder.bitcast(self._flushed(bits, bits), self.vector)

    def _flushed(self, bits: Any, others: Any) -> Any:
        """Other words in place of those of f32 that are not below 2**-126, whose signs stay."""
        tiny = self.builder.icmp_unsigned("==", self.builder.and_(bits, self.each(0x7F800000)), self.each(0))
        return self.builder.select(tiny, self.builder.and_(bits, self.each(0x80000000)), others)

    def rounded(self, value: Any) -> Any:
        """The nearest bf16 of f32; ties go to even, numbers below 2**-126 to zero."""
        if OF_BF16.name == "AVX512-BF16":
            return self.call("llvm.x86.avx512bf16.cvtneps2bf16.512", self.halves, value)
        builder = self.builder
        bits = builder.bitcast(value, self.words)
        odd = builder.and_(builder.lshr(bits, self.each(16)), self.each(1))
        nearest = self._flushed(bits, builder.add(builder.add(bits, odd), self.each(0x7FFF)))
        quiet = builder.or_(bits, self.each(0x400000))
        nearest = builder.select(builder.fcmp_unordered("uno", value, value), quiet, nearest)
        return builder.trunc(builder.lshr(nearest, self.each(16)), self.halves)

    def paired(self, lower: Any, upper: Any) -> Any:
        """Words of the nearest bf16 of two vectors."""
        low, high = (self.builder.zext(self.rounded(value), self.words) for value in (lower, upper))
        return self.builder.or_(low, self.builder.shl(high, self.each(16)))

    def unpacked(self, bits: Any) -> Any:
        """The f32 that the bits of bf16 mean."""
        return self.lower_halves(self.builder.zext(bits, self.words))

    def rounded_to_f16(self, value: Any) -> Any:
        """The nearest f32 that f16 holds; ties go to even, numbers that are too large to infinity."""
        return self.builder.fpext(self.builder.fptrunc(value, ir.VectorType(ir.HalfType(), LANES)), self.vector)

    def each(self, value: int) -> Any:
        """A constant in all words."""
        return ir.Constant(self.words, [value] * LANES)

    def load_table(self, address: Any) -> list[Any]:
        """Load a table of 16 f32 into registers."""
        return [self.load(address, part) for part in range(16 // LANES)]

    def look_up(self, table: Sequence[Any], words: Any) -> Any:
        """The numbers of a table that the lowest four bits of words are the places of."""
        builder = self.builder
        if LEVEL.tiles == "memory":
            found = self.every(0.0)
            for lane in map(self.constant, range(LANES)):
                place = builder.and_(builder.extract_element(words, lane), ir.Constant(self.word, 15))
                found = builder.insert_element(found, builder.extract_element(table[0], place), lane)
            return found
        if LANES == 16:
            return self.call("llvm.x86.avx512.permvar.sf.512", self.vector, *table, words)
        if LANES == 8:
            low, high = (self.call("llvm.x86.avx2.permps", self.vector, part, words) for part in table)
            is_high = builder.icmp_signed("<", builder.shl(words, self.each(28)), self.each(0))
            return builder.select(is_high, high, low)
        octets = ir.VectorType(self.byte, BYTES)
        places = builder.mul(builder.and_(words, self.each(15)), self.each(0x04040404))
        places = builder.add(places, self.each(0x03020100))
        parts = [builder.bitcast(part, octets) for part in (*table, places)]
        return builder.bitcast(self.call("llvm.aarch64.neon.tbl4.v16i8", octets, *parts), self.vector)

    def multiply_bytes(self, a: Any, b: Any, total: Any) -> Any:
        """Add the products of four bytes without sign in each word of ``a`` and four with sign of ``b`` to words.

        The bytes of ``a`` are less by the offset of the backend.
        """
        if OF_BYTES.function:
            offset = OF_BYTES.offset * 0x01010101
            return self._dot(OF_BYTES.function, total, self.builder.xor(a, self.each(offset)) if offset else a, b)
        halves = ir.VectorType(ir.IntType(16), 2 * LANES)
        eight, low = ir.Constant(halves, [8] * 2 * LANES), ir.Constant(halves, [255] * 2 * LANES)
        a, b = self.builder.bitcast(a, halves), self.builder.bitcast(b, halves)
        even = self.builder.and_(a, low), self.builder.ashr(self.builder.shl(b, eight), eight)
        odd = self.builder.lshr(a, eight), self.builder.ashr(b, eight)
        return self.builder.add(self.builder.add(self._pairs(*even), self._pairs(*odd)), total)

    def _pairs(self, a: Any, b: Any) -> Any:
        """Products of halves of words, added in pairs: one instruction on many processors."""
        wide = ir.VectorType(self.word, 2 * LANES)
        products = self.builder.mul(self.builder.sext(a, wide), self.builder.sext(b, wide), flags=("nsw",))
        lanes = (ir.Constant(self.words, list(range(first, 2 * LANES, 2))) for first in (0, 1))
        first, second = (self.builder.shuffle_vector(products, products, half) for half in lanes)
        return self.builder.add(first, second)

    def nearest(self, value: Any, most: Any) -> Any:
        """The nearest integer from 0 to ``most`` as a byte; ties go to even, NaN to 0."""
        return self.as_bytes(self.smallest(self.largest(value, self.every(0.0)), most))

    def as_bytes(self, value: Any) -> Any:
        """The nearest bytes of numbers from 0 to 255; ties go to even."""
        integers = self.builder.fadd(value, self.every(_INTEGERS))
        return self.builder.trunc(self.builder.bitcast(integers, self.words), self.bytes)

    def integer(self, value: Any) -> Any:
        """The nearest integers as f32; ties go to even."""
        return self.call(f"llvm.rint.{_suffix(self.vector)}", self.vector, value)

    def widened(self, bytes: Any) -> Any:
        """Bytes without sign as f32."""
        return self.builder.uitofp(bytes, self.vector)

    def largest(self, a: Any, b: Any) -> Any:
        """The larger of two, b where a is NaN."""
        return self.builder.select(self.builder.fcmp_ordered(">", a, b), a, b)

    def smallest(self, a: Any, b: Any) -> Any:
        """The smaller of two, b where a is NaN."""
        return self.builder.select(self.builder.fcmp_ordered("<", a, b), a, b)

    def largest_lane(self, vector: Any) -> Any:
        """The largest element of a vector without NaN."""
        step = LANES // 2
        while step:
            lanes = ir.Constant(self.words, [(lane + step) % LANES for lane in range(LANES)])
            vector = self.largest(vector, self.builder.shuffle_vector(vector, vector, lanes))
            step //= 2
        return self.builder.extract_element(vector, self.constant(0))

    def exchanged(self, vectors: list[Any], number: int, step: int) -> Any:
        """Vector ``number`` of a square whose blocks beside the diagonal, of ``step`` lanes, have changed places."""
        other = LANES + step * (bool(number & step) - 1)
        order = [lane + other if lane & step else lane + (number & step) for lane in range(LANES)]
        lanes = ir.Constant(self.words, order)
        return self.builder.shuffle_vector(vectors[number & ~step], vectors[number | step], lanes)

    def prefetch(self, address: Any, locality: int = 2) -> None:
        """Fetch a cache line into the L2 cache, or for 3 into the L1 cache."""
        hints = [ir.Constant(self.word, value) for value in (0, locality, 1)]
        self.call("llvm.prefetch.p0i8", ir.VoidType(), self.pointer(address, 0, self.byte), *hints)

    def call(self, name: str, result: Any, *arguments: Any) -> Any:
        """Call a function of LLVM."""
        function = self.builder.module.globals.get(name)
        if function is None:
            type = ir.FunctionType(result, [argument.type for argument in arguments])
            function = ir.Function(self.builder.module, type, name)
        return self.builder.call(function, arguments)

    def spread(self, value: Any, type: Any) -> Any:
        """A number in all lanes of a vector of another type."""
        undefined = ir.Constant(type, ir.Undefined)
        first = self.builder.insert_element(undefined, value, ir.Constant(self.word, 0))
        zeros = ir.Constant(self.words, [0] * LANES)
        return self.builder.shuffle_vector(first, undefined, zeros)


def bytes_of(type: Any) -> int:
    """The bytes of an element of a vector, to which it is aligned."""
    return 4 if type.element == ir.FloatType() else int(type.element.width) // 8


def _size(type: Any) -> int:
    return int(type.count) * bytes_of(type)


def _suffix(type: Any) -> str:
    """The name of a vector type in the names of LLVM's functions."""
    element = "f32" if type.element == ir.FloatType() else f"i{type.element.width}"
    return f"v{type.count}{element}"

"""Vectors of f32 as LLVM has them: 16 lanes with AVX-512, 8 with AVX, 4 elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import Any, Final, NamedTuple

import llvmlite.binding as llvm
from llvmlite import ir


def _host() -> tuple[int, int]:
    """The lanes of a vector of f32, and the number of vector registers."""
    features = llvm.get_host_cpu_features()
    if features.get("avx512f"):
        return 16, 32
    if features.get("avx"):
        return 8, 16
    return 4, 32 if "arm64" in llvm.get_process_triple() or "aarch64" in llvm.get_process_triple() else 16


LANES, REGISTERS = _host()

BYTES: Final = 4 * LANES


class Loop(NamedTuple):
    """The number of the iteration."""

    index: Any


class Vectors:
    """Emits operations on vectors. The last of several may be masked."""

    def __init__(self, builder: Any) -> None:
        self.builder = builder
        self.float = ir.FloatType()
        self.long = ir.IntType(64)
        self.vector = ir.VectorType(self.float, LANES)

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
    def times(self, count: Any) -> Iterator[Loop]:
        """A loop."""
        builder = self.builder
        before, head, body, after = (
            builder.block,
            *(builder.append_basic_block(name) for name in ("head", "body", "end")),
        )
        builder.branch(head)
        builder.position_at_end(head)
        index = builder.phi(self.long)
        index.add_incoming(self.constant(0), before)
        builder.cbranch(builder.icmp_signed("<", index, count), body, after)
        builder.position_at_end(body)
        yield Loop(index)
        index.add_incoming(builder.add(index, self.constant(1)), builder.block)
        builder.branch(head)
        builder.position_at_end(after)

    def pointer(self, address: Any, offset: int, type: Any) -> Any:
        moved = self.builder.add(address, self.constant(offset)) if offset else address
        return self.builder.inttoptr(moved, type.as_pointer())

    def load_long(self, address: Any, offset: int) -> Any:
        return self.builder.load(self.pointer(address, offset, self.long), align=8)

    def load(self, address: Any, number: int = 0, mask: Any = None) -> Any:
        """Vector ``number`` behind an address."""
        place = self.pointer(address, BYTES * number, self.vector)
        if mask is None:
            return self.builder.load(place, align=4)
        load = self._function(
            "masked.load", ".p0" + self._suffix, self.vector, place.type, _WORD, mask.type, self.vector
        )
        return self.builder.call(load, [place, ir.Constant(_WORD, 4), mask, self.every(0.0)])

    def store(self, value: Any, address: Any, number: int = 0, mask: Any = None) -> None:
        place = self.pointer(address, BYTES * number, self.vector)
        if mask is None:
            self.builder.store(value, place, align=4)
            return
        store = self._function(
            "masked.store", ".p0" + self._suffix, ir.VoidType(), self.vector, place.type, _WORD, mask.type
        )
        self.builder.call(store, [value, place, ir.Constant(_WORD, 4), mask])

    def mask(self, count: Any) -> Any:
        """The first ``count`` lanes."""
        words = ir.VectorType(_WORD, LANES)
        spread = self.spread(self.builder.trunc(count, _WORD), words)
        return self.builder.icmp_signed("<", ir.Constant(words, list(range(LANES))), spread)

    def splat(self, value: Any) -> Any:
        """A number in all lanes."""
        return self.spread(value, self.vector)

    def multiply_add(self, a: Any, b: Any, total: Any) -> Any:
        fma = self._function("fma", "", self.vector, *[self.vector] * 3)
        return self.builder.call(fma, [a, b, total])

    def largest(self, a: Any, b: Any) -> Any:
        """The larger of two, b where a is NaN."""
        return self.builder.select(self.builder.fcmp_ordered(">", a, b), a, b)

    def smallest(self, a: Any, b: Any) -> Any:
        """The smaller of two, b where a is NaN."""
        return self.builder.select(self.builder.fcmp_ordered("<", a, b), a, b)

    def exchanged(self, vectors: list[Any], number: int, step: int) -> Any:
        """Vector ``number`` of a square whose blocks beside the diagonal, of ``step`` lanes, have changed places."""
        other = LANES + step * (bool(number & step) - 1)
        order = [lane + other if lane & step else lane + (number & step) for lane in range(LANES)]
        lanes = ir.Constant(ir.VectorType(_WORD, LANES), order)
        return self.builder.shuffle_vector(vectors[number & ~step], vectors[number | step], lanes)

    def prefetch(self, address: Any, locality: int = 2) -> None:
        """Fetch a cache line into the second cache, or for 3 into the first."""
        byte = ir.IntType(8).as_pointer()
        function = self._named("llvm.prefetch.p0i8", ir.VoidType(), byte, _WORD, _WORD, _WORD)
        hints = [ir.Constant(_WORD, value) for value in (0, locality, 1)]
        self.builder.call(function, [self.builder.inttoptr(address, byte), *hints])

    @property
    def _suffix(self) -> str:
        return f"v{LANES}f32"

    def _function(self, name: str, ending: str, result: Any, *arguments: Any) -> Any:
        return self._named(f"llvm.{name}.{self._suffix}{ending}", result, *arguments)

    def _named(self, name: str, result: Any, *arguments: Any) -> Any:
        known = self.builder.module.globals.get(name)
        return known or ir.Function(self.builder.module, ir.FunctionType(result, arguments), name)

    def spread(self, value: Any, type: Any) -> Any:
        """A number in all lanes of a vector of another type."""
        undefined = ir.Constant(type, ir.Undefined)
        first = self.builder.insert_element(undefined, value, ir.Constant(_WORD, 0))
        zeros = ir.Constant(ir.VectorType(_WORD, LANES), [0] * LANES)
        return self.builder.shuffle_vector(first, undefined, zeros)


_WORD: Final = ir.IntType(32)

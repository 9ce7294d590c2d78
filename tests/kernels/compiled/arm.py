"""Compile kernels for an ARM processor, and run them in an emulator of one.

`become` has to be called before anything that asks for the level of the processor is imported.
"""

from __future__ import annotations

import ctypes
import mmap
import struct
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

from tests.kernels.compiled import built

_SIZE: Final = 1 << 24
_PAGE: Final = 4096


def become(level: str) -> None:
    """Take an ARM processor of a level for that of this process, and run kernels in the emulator."""
    built.become(level)
    from building import compiler
    from building.systems import SYSTEMS
    from irrun_kernels import native

    # A kernel's values and its instructions are those of one compilation.
    compiler.code_of = cache(compiler.code_of)
    emulator = cache(Emulator)

    def address_of(_: str, symbol: str) -> int:
        data = built.object_file(symbol, SYSTEMS["linux-arm64"]).read_bytes()
        return emulator().load(data, symbol)

    native.address_of = address_of

    from irrun.runtime import workers
    from irrun_kernels import tape

    def numbers(place: int, count: int) -> Any:
        return (ctypes.c_int64 * count).from_address(place)

    def walk(_: Any, tape: int, calls: int, _counters: int, workspace: int, *_rest: Any) -> None:
        rows = numbers(tape, 3 * calls)
        for kernel, arguments, tasks in zip(rows[::3], rows[1::3], rows[2::3], strict=True):
            for task in range(tasks):
                emulator().call(kernel, arguments, task, workspace)

    def walk_alone(calls: int, count: int, workspace: int) -> None:
        walk(None, calls, count, 0, workspace)

    tape.walk_alone = walk_alone
    workers.Workers.walk = walk

    from tests.kernels.compiled import lowered

    # Tasks are examined by this processor.
    lowered.MOST_BYTES = -1


def words(name: str) -> set[str]:
    """Return the instructions of a kernel. They are kept beside the objects."""
    from building.compiler import assembly_of, code_of
    from building.libraries import OBJECTS
    from building.objects import digest
    from building.systems import SYSTEMS
    from irrun_kernels.levels import built_for
    from irrun_kernels.native import DECLARED

    (level,) = built_for
    declared = next(one for one in DECLARED if one.name == name)
    key = digest(Path(declared.function.__code__.co_filename), level)
    path = OBJECTS / "optimised-once" / f"{declared.symbol}-{level.name}-{key}.words"
    if not path.exists():
        built.optimise_once()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(assembly_of(code_of(declared), SYSTEMS["linux-arm64"]), encoding="utf-8")
    return set(path.read_text(encoding="utf-8").split())


class Emulator:
    """An ARM processor whose memory is that of this process."""

    def __init__(self) -> None:
        import unicorn
        from unicorn import arm64_const

        self._registers = arm64_const
        self._machine = machine = unicorn.Uc(unicorn.UC_ARCH_ARM64, unicorn.UC_MODE_ARM)
        machine.ctl_set_cpu_model(arm64_const.UC_CPU_ARM64_MAX)
        machine.reg_write(arm64_const.UC_ARM64_REG_CPACR_EL1, 3 << 20)
        self._region = mmap.mmap(-1, _SIZE)
        self._start = ctypes.addressof(ctypes.c_char.from_buffer(self._region))
        machine.mem_map_ptr(self._start, _SIZE, unicorn.UC_PROT_ALL, self._start)
        machine.hook_add(unicorn.UC_HOOK_MEM_UNMAPPED, self._share)
        last = self._start + 4 * len(_SERVED) - 1
        machine.hook_add(unicorn.UC_HOOK_CODE, self._serve, None, self._start, last)
        # Functions of C that code may call: this process does their work, and they return.
        _write(self._start, _RETURN * len(_SERVED))
        self._end = self._start + 4 * len(_SERVED)

    def _share(self, machine: Any, _access: int, address: int, size: int, *_: Any) -> bool:
        for page in {address // _PAGE, (address + size - 1) // _PAGE}:
            machine.mem_map_ptr(page * _PAGE, _PAGE, 3, page * _PAGE)
        return True

    def _serve(self, machine: Any, address: int, *_: Any) -> None:
        function = list(_SERVED.values())[(address - self._start) // 4]
        function(*(machine.reg_read(getattr(self._registers, f"UC_ARM64_REG_X{number}")) for number in range(3)))

    def load(self, data: bytes, symbol: str) -> int:
        """Link an object; return the address of a symbol of it."""
        sections = [_Section(*struct.unpack_from("<IIQQQQIIQQ", data, at)) for at in _section_places(data)]
        places = {}
        for number, section in enumerate(sections):
            if section.flags & 2 and section.size:
                places[number] = self._end = -(-self._end // 64) * 64
                if section.type != 8:
                    _write(self._end, data[section.offset : section.offset + section.size])
                self._end += section.size
        table = next(section for section in sections if section.type == 2)
        names = sections[table.link]
        symbols: dict[int, Any] = {}
        for number in range(table.size // 24):
            name, _, _, home, value, _ = struct.unpack_from("<IBBHQQ", data, table.offset + 24 * number)
            text = data[names.offset + name :].split(b"\0", 1)[0].decode()
            served = self._start + 4 * list(_SERVED).index(text) if home == 0 and text in _SERVED else 0
            symbols[number] = SimpleNamespace(name=text, address=served or places.get(home, 0) + value)
        for section in sections:
            if section.type == 4 and section.info in places:
                for number in range(section.size // 24):
                    offset, info, addend = struct.unpack_from("<QQq", data, section.offset + 24 * number)
                    target = symbols[info >> 32]
                    assert target.address, f"no function {target.name}"
                    self._relocate(places[section.info] + offset, info & 0xFFFFFFFF, target.address + addend)
        return int(next(one.address for one in symbols.values() if one.name == symbol))

    def _relocate(self, place: int, kind: int, value: int) -> None:
        """Write an address into the instruction, or the number, at a place."""
        if kind in (257, 260, 261):
            size, number = (8, value) if kind == 257 else (8 if kind == 260 else 4, value - place)
            _write(place, (number % (1 << 8 * size)).to_bytes(size, "little"))
            return
        word = int.from_bytes(ctypes.string_at(place, 4), "little")
        pages = (value >> 12) - (place >> 12)
        if kind in (282, 283):
            word |= (value - place >> 2) & 0x3FFFFFF
        elif kind in (263, 264, 265, 266, 267, 268, 269):
            word |= (value >> 16 * ((kind - 263) // 2) & 0xFFFF) << 5
        elif kind == 275:
            word |= (pages & 3) << 29 | (pages >> 2 & 0x7FFFF) << 5
        else:
            word |= ((value & 0xFFF) >> _SCALES[kind]) << 10
        _write(place, word.to_bytes(4, "little"))

    def call(self, address: int, *arguments: int) -> None:
        """Call a function of integers."""
        registers = self._registers
        for number, argument in enumerate(arguments):
            self._machine.reg_write(getattr(registers, f"UC_ARM64_REG_X{number}"), argument)
        # The stack grows down from the end of the region, which is also where the function returns to.
        end = self._start + _SIZE - 64
        self._machine.reg_write(registers.UC_ARM64_REG_SP, end)
        self._machine.reg_write(registers.UC_ARM64_REG_LR, end)
        self._machine.emu_start(address, end)


def _write(place: int, data: bytes) -> None:
    ctypes.memmove(place, data, len(data))


_SCALES: Final = {277: 0, 278: 0, 284: 1, 285: 2, 286: 3, 299: 4}
"""The shift of the lower twelve bits of an address in an instruction, by the number of the relocation."""


class _Section(NamedTuple):
    name: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entry: int


def _section_places(data: bytes) -> list[int]:
    """The places of the headers of the sections of an ELF file."""
    (first,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    return [first + size * number for number in range(count)]


_SERVED: Final[dict[str, Callable[[int, int, int], Any]]] = {
    "memset": lambda out, value, count: ctypes.memset(out, value & 255, count),
    "memcpy": ctypes.memmove,
    "memmove": ctypes.memmove,
}
_RETURN: Final = (0xD65F03C0).to_bytes(4, "little")

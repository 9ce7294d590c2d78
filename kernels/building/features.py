"""The library with the instructions that tell what a processor of the family x86 has."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import llvmlite.binding as llvm

from building.systems import System, link

_CODE: Final = """
define dllexport void @irrun_cpuid(i32 %leaf, i32 %subleaf, ptr %out) {
  %told = call {i32, i32, i32, i32} asm sideeffect "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx}"(
    i32 %leaf, i32 %subleaf)
  store {i32, i32, i32, i32} %told, ptr %out
  ret void
}

define dllexport i32 @irrun_xgetbv() {
  %low = call i32 asm sideeffect "xgetbv", "={ax},{cx},~{dx}"(i32 0)
  ret i32 %low
}
"""


def build_features(system: System, folder: Path, library: Path) -> None:
    """Write the library for any processor of the family."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    llvm.initialize_native_asmparser()
    machine = llvm.Target.from_triple(system.triple).create_target_machine(cpu="x86-64", opt=2, reloc="pic")
    path = folder / f"processor-{system.name}.o"
    path.write_bytes(machine.emit_object(llvm.parse_assembly(f'target triple = "{system.triple}"\n{_CODE}')))
    link(system, [path], library)

"""The library with the instructions that tell what a processor of the family x86 has."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from building.systems import System, link
from irrun_kernels.library import sign

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


def build_features(system: System, objects: Path, folder: Path) -> None:
    """Write the library for any processor of the family into a folder."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    llvm.initialize_native_asmparser()
    machine = llvm.Target.from_triple(system.triple).create_target_machine(cpu="x86-64", opt=2, reloc="pic")
    for place in (objects, folder):
        place.mkdir(parents=True, exist_ok=True)
    path, library = objects / f"processor-{system.name}.o", folder / f"processor{system.suffix}"
    path.write_bytes(machine.emit_object(llvm.parse_assembly(f'target triple = "{system.triple}"\n{_CODE}')))
    link(system, [path], library)
    sign(library)

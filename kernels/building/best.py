"""The level of the processor that this runs on."""

from __future__ import annotations

from building.features import build_features
from building.libraries import OBJECTS
from building.systems import BuildError, System
from irrun_kernels import library, processor
from irrun_kernels.levels import Level


def best_level(system: System) -> Level:
    """Return the best level that this processor has; BuildError if it has none."""
    if system.machine == "x86_64" and library.damage("processor") is not None:
        OBJECTS.mkdir(parents=True, exist_ok=True)
        library.FOLDER.mkdir(exist_ok=True)
        build_features(system, OBJECTS, library.FOLDER / f"processor{system.suffix}")
        library.sign(library.FOLDER / f"processor{system.suffix}")
    fitting = [level for level in processor.fitting() if not level.is_for_tests]
    if not fitting:
        raise BuildError(f"no level of {system.machine} fits this processor")
    return fitting[0]

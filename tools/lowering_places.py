"""The table of the modules that lower operations, by type."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections import defaultdict
from pathlib import Path

_HEAD = '''"""The module of this folder that lowers each type of operation: only those that a plan needs are imported.

Made by ``tools/generate.py``. A type that is missing here has no kernel.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_TYPES: Final = {
'''
_TAIL = """}

PLACES: Final[Mapping[str, str]] = {type: name for name, types in _TYPES.items() for type in types.split()}
"""


def module(root: Path) -> str:
    """Return the source of the table. It needs no library of kernels: where there is none, a level is assumed."""
    sys.path.append(str(root / "kernels"))
    from irrun_kernels.levels import LEVELS, built_for
    from irrun_kernels.processor import level

    if level() is None:
        built_for.append(LEVELS[0])
    from irrun.ops.registry import spelling
    from irrun.runtime import lowering
    from irrun.runtime.lowering.builder import LOWERINGS

    for module in pkgutil.iter_modules(lowering.__path__):
        importlib.import_module(f"{lowering.__name__}.{module.name}")
    found = defaultdict(set)
    for operation, lowered in LOWERINGS.items():
        name = operation if isinstance(operation, str) else operation.type.lower()
        if not isinstance(operation, str) or spelling(operation) is not None:
            found[lowered.function.__module__.rpartition(".")[2]].add(name)
    return _HEAD + "".join(_entry(name, sorted(types)) for name, types in sorted(found.items())) + _TAIL


def _entry(name: str, types: list[str]) -> str:
    """Return an entry of the table, in lines that are not too long."""
    line = f'    "{name}": "{" ".join(types)}",\n'
    if len(line) <= 121:
        return line
    rows = [""]
    for each in types:
        if len(rows[-1]) + len(each) > 109:
            rows.append("")
        rows[-1] += f"{each} "
    rows[-1] = rows[-1].rstrip()
    return f'    "{name}": (\n' + "".join(f'        "{row}"\n' for row in rows) + "    ),\n"

"""irrun in the place of OpenVINO, for programs that import ``openvino``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Final

from irrun.openvino.importing.absent import ABSENT

_OWN: Final = "irrun.openvino"
_ROOMS: Final = ("importing", "models", "nodes", "running", "values")
"""The folders of irrun's that are not modules of OpenVINO."""
_INSTALLED: Final = ("openvino.tools", "openvino.preprocess.torchvision")
"""Modules that are those of an installed OpenVINO: its own programs, such as benchmark_app, and what uses its API."""

_CONVERTER: Final = "openvino.tools.ovc"
"""The module among them that would need OpenVINO's converters: it is irrun's, which reads IR files."""


def stand_in() -> None:
    """Let ``import openvino`` mean ``irrun.openvino`` from now on, in this process.

    An installed openvino stays as it is. RuntimeError where the process has imported it already.
    """
    own = sys.modules[_OWN]
    imported = sys.modules.setdefault("openvino", own)
    if imported is not own:
        where = getattr(imported, "__file__", None) or "elsewhere"
        raise RuntimeError(f"openvino is already imported, from {where}; expected stand_in() before its first import")
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder, Loader):
    """Finds the modules of ``openvino`` in irrun: both names stand for one module."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname in _INSTALLED:
            return _installed(fullname) or self._own(fullname)
        if f"{fullname}.".startswith(f"{_CONVERTER}."):
            return self._own(fullname)
        if fullname.startswith("openvino.") and not fullname.startswith(tuple(f"{name}." for name in _INSTALLED)):
            return self._own(fullname)
        if fullname.startswith("openvino.tools.") and sys.modules["openvino.tools"] is sys.modules[f"{_OWN}.tools"]:
            raise _missing(fullname)
        if fullname.rpartition(".")[0] == _OWN and fullname.rpartition(".")[2] in ABSENT:
            raise _missing(fullname.removeprefix("irrun."))
        return None

    def _own(self, fullname: str) -> ModuleSpec:
        own = _module(fullname)
        return ModuleSpec(fullname, self, loader_state=own.__spec__, is_package=hasattr(own, "__path__"))

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return sys.modules[_own(spec.name)]

    def exec_module(self, module: ModuleType) -> None:
        """Return to the module the specification that it had before."""
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state


def _installed(name: str) -> ModuleSpec | None:
    """Return the specification of a module of an installed OpenVINO; None where there is none."""
    *package, _ = name.split(".")
    return PathFinder.find_spec(name, [str(Path(entry, *package)) for entry in sys.path])


def _module(name: str) -> ModuleType:
    """Return the module of irrun for a module of openvino; ModuleNotFoundError where there is none."""
    own = _own(name)
    if own.startswith(tuple(f"{_OWN}.{room}" for room in _ROOMS)):
        raise _missing(name)
    try:
        return import_module(own)
    except ModuleNotFoundError as error:
        raise (_missing(name) if error.name == own else error) from None


def _own(name: str) -> str:
    """Return the name of irrun's module for one of openvino.

    Parts of the compiled module, and of ``openvino.runtime`` of releases until 2025, are those of openvino.
    """
    return f"irrun.{name}".replace("._pyopenvino.", ".").replace(".runtime.", ".").removesuffix(".runtime")


def _missing(name: str) -> ModuleNotFoundError:
    reason = next((f": {ABSENT[part]}" for part in name.split(".") if part in ABSENT), "")
    return ModuleNotFoundError(f"irrun has no {name}{reason}", name=name)

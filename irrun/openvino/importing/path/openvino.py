"""The module ``openvino`` of programs that ``python -m irrun.openvino`` runs: it makes way for irrun's."""

import sys
from importlib import import_module
from pathlib import Path

_ROOT = str(Path(__file__).resolve().parents[4])

sys.path.insert(0, _ROOT)
import_module("irrun")  # this one, not another one that is installed
sys.path.remove(_ROOT)
del sys.modules[__name__]
import_module("irrun.openvino").stand_in()

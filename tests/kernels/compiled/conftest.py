from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("irrun_kernels") is not None else ["test_*.py"]

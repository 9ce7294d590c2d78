from __future__ import annotations

from irrun.runtime.tiers import has_kernels

collect_ignore_glob = [] if has_kernels() else ["test_*.py"]

"""Differences between OpenVINO's CPU plugin and the specification that affect many operations.

The text of a departure follows the words "OpenVINO's CPU plugin". Departures of a single operation are declared there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

GENERAL: Final[Mapping[str, str]] = {
    "64-bit": "computes i64 and u64 in 32 bits",
    "f64": "computes f64 in f32, or refuses it",
    "empty": "crashes on empty tensors, refuses them, or leaves results unwritten",
    "pdpd": "refuses auto_broadcast pdpd, or treats it as numpy",
    "strings": "refuses strings, or crashes on them",
    "optional": "requires an input that is optional by the page",
    "memory": "reads or writes beyond its buffers, so that results differ from run to run",
    "undefined": "returns other elements where the page leaves them undefined",
    "unknown": "does not know the operation",
}
"""Departures by a short key."""

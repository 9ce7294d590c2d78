"""Cases in which OpenVINO's CPU plugin fails, refuses a layer, or returns a different result.

A row says which layers, why, and how to recognise them. Growing keeps away from them, most of the time. Where results
differ nevertheless, what such layers make is cut off from the graph; only what still differs then is a finding.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from tests.lab.graphs.departures import arithmetic, movement, networks
from tests.lab.graphs.departures.row import Departure
from tests.lab.graphs.evaluate import Use

DEPARTURES: Final = (*arithmetic.DEPARTURES, *movement.DEPARTURES, *networks.DEPARTURES)

_BY_TYPE: Final = defaultdict(list)
for _row in DEPARTURES:
    for _type in _row.types:
        _BY_TYPE[_type].append(_row)


def departure(use: Use) -> Departure | None:
    """The first row that a layer falls under."""
    return next((row for row in _BY_TYPE.get(use.op.type, ()) if row.applies(use)), None)

"""Rows of ids as one array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from irrun.generation.errors import GenerationError
from irrun.tensor import Array


class TokenizedInputs(NamedTuple):
    """Ids of shape [texts, tokens], and 1 in the mask of the same shape where an id is not padding."""

    input_ids: Array
    attention_mask: Array


def padded(rows: Sequence[Array], pad: int, side: str = "left", least: int = 0) -> TokenizedInputs:
    """Return rows of ids as one array and its mask, of ``least`` columns at least; shorter rows are padded."""
    if side not in ("left", "right"):
        raise GenerationError(f'padding_side is "{side}", expected left or right')
    longest = max(least, max((len(row) for row in rows), default=0))
    ids, mask = np.full((len(rows), longest), pad, np.int64), np.zeros((len(rows), longest), np.int64)
    for place, row in enumerate(rows):
        part = slice(longest - len(row), longest) if side == "left" else slice(len(row))
        ids[place, part], mask[place, part] = row, 1
    return TokenizedInputs(ids, mask)

"""The bandwidth of the memory, and the bytes that a language model reads from it for each token."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import numpy as np

import irrun.model

SIZE: Final = 256 * 2**20
"""Bytes that each thread copies, more than any cache holds."""
LARGE: Final = 2**16
"""Elements of a constant that counts."""
DECOMPRESSION: Final = {"Convert", "Subtract", "Multiply", "Reshape"}
"""The layers between stored weights and the layer that consumes them."""


def copied(threads: int, repeat: int = 5) -> float:
    """The bytes read and written in a second by threads that copy arrays: the best of several times."""
    pairs = [(np.zeros(SIZE, np.uint8), np.ones(SIZE, np.uint8)) for _ in range(threads)]
    best = 0.0
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(repeat):
            began = time.perf_counter()
            list(pool.map(lambda pair: np.copyto(*pair), pairs))
            best = max(best, 2 * threads * SIZE / (time.perf_counter() - began))
    return best


def weights_read(path: Path) -> int:
    """The bytes of large constants that each token reads: all but tables from which only rows are gathered."""
    graph = irrun.model.load(path).bound.graph
    total = 0
    for node in graph.ordered():
        if node.type != "Const" or int(np.prod(node.op.shape)) < LARGE:
            continue
        consumers, frontier = set(), [node.id]
        while frontier:
            for successor in graph.successors(frontier.pop()):
                kind = graph.node(successor).type
                frontier += [successor] if kind in DECOMPRESSION else []
                consumers |= {kind} - DECOMPRESSION
        total += node.op.size if consumers != {"Gather"} else 0
    return total

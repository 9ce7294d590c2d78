"""Queries of the usual axes of a layout."""

from __future__ import annotations

from irrun.api.layout import Layout


def has_batch(layout: Layout) -> bool:
    return layout.has_name("N")


def has_channels(layout: Layout) -> bool:
    return layout.has_name("C")


def has_depth(layout: Layout) -> bool:
    return layout.has_name("D")


def has_height(layout: Layout) -> bool:
    return layout.has_name("H")


def has_width(layout: Layout) -> bool:
    return layout.has_name("W")


def batch_idx(layout: Layout) -> int:
    return layout.get_index_by_name("N")


def channels_idx(layout: Layout) -> int:
    return layout.get_index_by_name("C")


def depth_idx(layout: Layout) -> int:
    return layout.get_index_by_name("D")


def height_idx(layout: Layout) -> int:
    return layout.get_index_by_name("H")


def width_idx(layout: Layout) -> int:
    return layout.get_index_by_name("W")

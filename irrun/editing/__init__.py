"""Edits of graphs."""

from irrun.editing.mutable import EditError, MutableGraph

__all__ = ["EditError", "MutableGraph"]

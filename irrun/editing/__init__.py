"""Edits of graphs."""

from irrun.editing.mutable import EditError, MutableGraph
from irrun.editing.pieces import Piece, piece

__all__ = ["EditError", "MutableGraph", "Piece", "piece"]

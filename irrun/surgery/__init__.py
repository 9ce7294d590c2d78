"""Edits of models for their owners: pieces, other shapes, other weights, other names. Each returns a new model."""

from irrun.surgery.drafts import save
from irrun.surgery.extraction import Extract, extract, record
from irrun.surgery.names import rename, without_names
from irrun.surgery.shapes import reshape
from irrun.surgery.weights import convert, strip

__all__ = ["Extract", "convert", "extract", "record", "rename", "reshape", "save", "strip", "without_names"]

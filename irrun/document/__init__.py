"""The IR file as written: reader, source map, weights, writer."""

from irrun.document.reader import Document, read
from irrun.document.weights import Weights

__all__ = ["Document", "Weights", "read"]

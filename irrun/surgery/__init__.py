"""Edits of models for their owners: pieces, shapes, weights, names, attributes, ends. Each returns a new model."""

from irrun.surgery.attributes import set_attributes, set_weights
from irrun.surgery.drafts import save
from irrun.surgery.ends import make_states, remove_states, set_outputs
from irrun.surgery.extraction import Extract, extract, record
from irrun.surgery.names import rename, without_names
from irrun.surgery.notes import set_layer_notes, set_notes
from irrun.surgery.preprocessing import Preprocessing, preprocess
from irrun.surgery.shapes import reshape
from irrun.surgery.weights import convert, strip

__all__ = ["Extract", "Preprocessing", "convert", "extract", "make_states", "preprocess", "record", "remove_states"]
__all__ += ["rename", "reshape", "save", "set_attributes", "set_layer_notes", "set_notes", "set_outputs", "set_weights"]
__all__ += ["strip", "without_names"]

"""Drawings of graphs: what is drawn, its layout, and the formats."""

from irrun.reporting.drawing.formats import FORMATS, draw
from irrun.reporting.drawing.scene import Scene, scene_of

__all__ = ["FORMATS", "Scene", "draw", "scene_of"]

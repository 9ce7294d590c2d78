"""Runs one function on many items: in this process, in several, or on a cluster of Dask."""

from irrun.jobs.items import Lost, Way, processors, way
from irrun.jobs.spread import Work, in_order, spread

__all__ = ["Lost", "Way", "Work", "in_order", "processors", "spread", "way"]

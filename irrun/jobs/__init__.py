"""Runs one function on many items: in this process, in several, or on a cluster of Dask."""

from irrun.jobs.dividing import Way, way
from irrun.jobs.items import Lost, processors
from irrun.jobs.spread import Work, in_order, spread

__all__ = ["Lost", "Way", "Work", "in_order", "processors", "spread", "way"]

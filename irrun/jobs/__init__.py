"""Runs one function on many items: in this process, in several, or on a cluster of Dask."""

from irrun.jobs.spread import Lost, Work, in_order, processors, spread

__all__ = ["Lost", "Work", "in_order", "processors", "spread"]

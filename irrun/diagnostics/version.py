"""The version of irrun, which reports name."""

__version__ = "0.1.0"

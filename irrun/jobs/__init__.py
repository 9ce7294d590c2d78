"""Runs one function on many items: in this process, in several, or on a cluster of Dask."""

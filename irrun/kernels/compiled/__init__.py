"""Kernels that Numba compiles. Only imported where the extra ``jit`` is installed and a plan is worth compiling."""

"""Build libraries of kernels with Numba, and wheels that contain them. Nothing of this is in the wheels."""

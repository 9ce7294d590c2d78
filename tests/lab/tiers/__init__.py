"""Random graphs on the compiled tier, compared with the kernels of NumPy layer by layer."""

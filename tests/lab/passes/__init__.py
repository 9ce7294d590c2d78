"""Each pass of the optimiser alone, and each left out, compared with the model without passes."""

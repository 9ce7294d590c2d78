"""Many inferences: of many threads at once, whose results are those of one thread, and in constant memory."""

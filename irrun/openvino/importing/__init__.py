"""The import of the API's modules by programs."""

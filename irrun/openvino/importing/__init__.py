"""How programs import the modules of the API."""

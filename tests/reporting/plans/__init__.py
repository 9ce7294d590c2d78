"""Small networks, and the texts of what runs of them. ``python -m tests.reporting.plans`` writes the texts again."""

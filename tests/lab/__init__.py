"""Laboratories: programs that look for faults longer than a test may, or beside other engines.

``python -m tests.lab`` lists them, ``python -m tests.lab NAME`` runs ``main`` of the ``__main__.py`` of one. Its tests
are beside it.
"""

"""Tests of irrun.jobs."""

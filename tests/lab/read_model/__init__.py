"""Faults in a small IR, and the answers of OpenVINO's read_model and of irrun."""

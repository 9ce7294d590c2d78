"""Plant single faults in the sources of irrun, and see which tests notice them.

``draw`` chooses faults by a seed, ``plant`` writes one into a copy of the tree, ``study`` runs tests against it.
"""

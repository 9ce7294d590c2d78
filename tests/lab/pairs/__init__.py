"""Sound rewritings and planted faults of exported models: whether ``irrun compare`` claims what is true.

``sound`` rewrites a model as exporters and compressors do, ``faults`` plants a fault, ``judging`` holds the verdict
against what was planted, with other names, beside the float original, and beside a rewriting.
"""

"""Random graphs, run by irrun and by OpenVINO.

    grow      a graph from a seed: layers are added one by one, values are known from the start
    recipes   data by operation: how its inputs and attributes are drawn
    motifs    several layers at once: quantized weights, attention, sub-graphs, states
    write     a graph as an IR
    engines   the forms in which irrun runs it, and OpenVINO in a process of its own
    compare   tolerance from noise: what an honest error of rounding may change is no difference
    departures  known faults of the native CPU plugin, each with a reason
    shrink    the least graph that still differs
    campaign  all of it, for one seed or for many

``python -m tests.graphs --count 20000 --seed 1 --jobs 2 --out FOLDER`` runs many and goes on where it was stopped.
The approach is that of NNSmith (Liu et al., ASPLOS 2023).
"""

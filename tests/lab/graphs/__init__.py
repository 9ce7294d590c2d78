"""Random graphs, run by irrun and by OpenVINO.

    grow      a graph from a seed: layers are added one by one, values are known from the start
    recipes   data by operation: how its inputs and attributes are drawn
    motifs    several layers at once: quantized weights, attention, sub-graphs, states
    write     a graph as an IR
    engines   the forms in which irrun runs it, and OpenVINO in a process of its own
    judge     one graph through the engines: what is wrong with it
    compare   tolerance from noise: what an honest error of rounding may change is not a difference
    exact     a graph in float64, which decides where forms of irrun differ
    departures, refusals  known faults of the native CPU plugin in a layer, each with a reason
    apart     layers that do not read each other: where OpenVINO agrees with each, it is wrong in combining them
    shrink    the least graph that still differs, by edits
    campaign  all of it, for one seed or for many

``python -m tests.lab graphs --count 20000 --seed 1 --jobs 2 --out FOLDER`` runs many, each in one of irrun's forms
beside OpenVINO, and goes on where it was stopped.
The approach is that of NNSmith (Liu et al., ASPLOS 2023).
"""

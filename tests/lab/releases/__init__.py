"""First releases: which release of OpenVINO is the first to read and compile each version of each operation.

``python -m tests.lab releases FOLDER`` asks the releases that are installed in ``FOLDER/2024.3.0`` and its like (``pip
install --target``), each in a process of its own, with one-layer models of the cases of the operations. It writes
``docs/data/releases.json``: the first release that reads, and the first that compiles, a model of each version.
With ``--models``, it asks for the exported models and the examples whether the release that ``irrun info`` names reads
them, and whether the one before refuses them, and writes ``docs/data/releases-of-models.json``.
With ``--faults``, it runs the models of ``docs/faults``, and writes the error of each release to
``docs/data/openvino-faults.json``. With ``--departures``, it runs the smallest case of each departure that an operation
declares, and writes the outcomes to ``docs/data/openvino-departures.json`` and the models to
``docs/faults/operations.zip``; and it runs the workarounds with the OpenVINO of its own environment.
"""

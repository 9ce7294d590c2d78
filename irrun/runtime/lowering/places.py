"""The module of this folder that lowers each type of operation: only those that a plan needs are imported.

Made by ``tools/generate.py``. A type that is missing here has no kernel.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_TYPES: Final = {
    "attention": "assign fusedappend fusedattention fusedrotary readvalue",
    "conversions": "fuseddequantize fusedquantize fusedround",
    "convolutions": "fusedconvolution",
    "copies": "concat",
    "elementwise": (
        "abs acos add atan atan2 bitwiseand bitwiseleftshift bitwisenot bitwiseor bitwiserightshift bitwisexor ceiling "
        "clamp convert convertlike cos divide elu equal erf exp fakequantize floor floormod fusedelementwise gelu "
        "greater greaterequal hardsigmoid hsigmoid hswish isnan less lessequal log logicaland logicalnot logicalor "
        "logicalxor maximum minimum mish mod multiply negative notequal power prelu relu round select sigmoid sign sin "
        "softplus softsign sqrt squareddifference subtract swish tanh xor"
    ),
    "gathers": (
        "fusedpackedgather gather gatherelements gathernd onehot scatterelementsupdate scatterndupdate scatterupdate"
    ),
    "images": "avgpool fusedmaxpool lrn",
    "integers": "fusedintegerconvolution fusedintegermatmul",
    "matrices": "fusedmatmul fusedpackedmatmul",
    "movement": (
        "broadcast depthtospace fusedchannels fusedexpand pad reverse roll slice slicescatter spacetodepth split "
        "stridedslice tile variadicsplit"
    ),
    "normalization": "fusedlayernorm groupnormalization logsoftmax mvn normalizel2 softmax",
    "recurrent": "fusedrecurrence",
    "reductions": (
        "reducel1 reducel2 reducelogicaland reducelogicalor reducemax reducemean reducemin reduceprod reducesum"
    ),
    "reshaping": "fusedview reshape squeeze unsqueeze",
    "sampling": "adaptiveavgpool gridsample interpolate roialign",
    "sorting": "cumsum nonzero range topk",
    "stacks": "einsum matmul",
    "transposed_convolutions": "fusedtransposedconvolution",
}

PLACES: Final[Mapping[str, str]] = {type: name for name, types in _TYPES.items() for type in types.split()}

from __future__ import annotations

from irrun.linter.examples import ITERATOR
from irrun.linter.rule import Rule


class WrongPortMap(Rule):
    """A port map does not tie the layer to its body.

    ## What it does
    Reports entries of a port map that name a port or a layer that there is not, that feed a Parameter or make an
    output twice, or that hold no number; Parameters of the body that no entry feeds, and outputs that no entry
    makes.

    ## Why is this bad
    OpenVINO reads past the end of a list, or refuses the file without saying which entry.

    ## Example
    `<input external_port_id="0" internal_layer_id="9"/>` where the body has no layer 9.

    ## Use instead
    The id of the Parameter or the Result in the body.
    """

    code = "IR207"
    name = "wrong-port-map"
    stage = "graph"
    good = (ITERATOR,)
    bad = (
        ITERATOR.replace('internal_layer_id="3"', 'internal_layer_id="9"'),
        ITERATOR.replace('external_port_id="1"', 'external_port_id="9"'),
        ITERATOR.replace('internal_layer_id="1"', 'internal_layer_id="0"'),
        ITERATOR.replace('axis="0"', 'axis="rows"'),
        ITERATOR.replace('<output external_port_id="1" internal_layer_id="3"/>', ""),
        ITERATOR.replace('<input external_port_id="0" internal_layer_id="1"/>', ""),
    )
